import { createHmac, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const decode = (part: string | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(part ?? "", "base64url").toString()) as Record<string, unknown>;

/** A token as somebody makes it who has no key of ours. */
function signWith(key: KeyObject, header: object, payload: object): string {
  const signed = `${encode(header)}.${encode(payload)}`;
  return `${signed}.${sign(null, Buffer.from(signed), key).toString("base64url")}`;
}

export const parts = (token: string) => {
  const [header, payload, signature] = token.split(".");
  return { header: decode(header), payload: decode(payload), texts: [header, payload, signature] as string[] };
};

const stranger = generateKeyPairSync("ed25519").privateKey;
const seed = Buffer.alloc(32, 7).toString("base64url");

/** What a good token is turned into by people who would like it to say something else, with what they change. */
export function forgeries(good: string, publicKey: string): Readonly<Record<string, string>> {
  const { header, payload, texts } = parts(good);
  const [h = "", p = "", s = ""] = texts;
  const later = { ...payload, exp: (payload.exp as number) + 3600 };
  const x = createPrivateKey(stranger.export({ format: "pem", type: "pkcs8" })).export({ format: "jwk" }).x;
  const jwk = { kty: "OKP", crv: "Ed25519", x };
  const hmac = (head: object) => {
    const signed = `${encode(head)}.${p}`;
    return `${signed}.${createHmac("sha256", Buffer.from(publicKey, "base64url")).update(signed).digest("base64url")}`;
  };
  const flipped = Buffer.from(s, "base64url");
  flipped[0] = (flipped[0] as number) ^ 1;
  return {
    "signed by a stranger under our key id": signWith(stranger, header, payload),
    "signed by a stranger under a key id of their own": signWith(stranger, { ...header, kid: seed }, payload),
    "a key id that is a path": signWith(stranger, { ...header, kid: "../../dev/null" }, payload),
    "a key that it brings along": signWith(stranger, { ...header, jwk }, payload),
    "a key that it tells us to fetch": signWith(stranger, { ...header, jku: "https://evil.example/keys" }, payload),
    "no algorithm": `${encode({ ...header, alg: "none" })}.${p}.`,
    "no algorithm, but a signature": `${encode({ ...header, alg: "none" })}.${p}.${s}`,
    "our public key used as a secret": hmac({ ...header, alg: "HS256" }),
    "our public key used as a secret, and another algorithm named": hmac(header),
    "another type of token": signWith(stranger, { ...header, typ: "at+jwt" }, payload),
    "a critical extension": `${encode({ ...header, crit: ["b64"], b64: false })}.${p}.${s}`,
    "a later expiry under the old signature": `${h}.${encode(later)}.${s}`,
    "another order of the same claims": `${h}.${encode(Object.fromEntries(Object.entries(payload).reverse()))}.${s}`,
    "a signature with one bit changed": `${h}.${p}.${flipped.toString("base64url")}`,
    "a signature that is cut off": `${h}.${p}.${s.slice(0, -4)}`,
    "no signature": `${h}.${p}.`,
    "the signature of zeros": `${h}.${p}.${Buffer.alloc(64).toString("base64url")}`,
    "a fourth part": `${good}.${s}`,
    padding: `${good}=`,
    "blanks around it": ` ${good} `,
    "characters that base64 decoders skip": `${h}.${p}.${s.slice(0, 10)}\n${s.slice(10)}`,
    "bits after the end of the signature": `${h}.${p}.${nextLetter(s)}`,
    "a payload that is no object": `${h}.${encode([payload])}.${s}`,
    "a header that is no JSON": `${Buffer.from("{").toString("base64url")}.${p}.${s}`,
    "something that is no token": "render me",
    nothing: "",
    "far too much": `${h}.${p}.${"A".repeat(3_000)}`,
  };
}

/** The last letter of 64 bytes in base64 carries four bits that mean nothing. */
function nextLetter(signature: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = alphabet.indexOf(signature.at(-1) ?? "");
  return signature.slice(0, -1) + (alphabet[last + 1] ?? "");
}
