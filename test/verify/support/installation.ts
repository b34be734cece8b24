import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** An Ed25519 key of an installation, with its public half as a key file shows it. */
export interface FixtureKey {
  readonly privateKey: KeyObject;
  /** The 32 bytes of RFC 8032. */
  readonly publicKey: Buffer;
  readonly jwk: Jwk;
}

export interface Jwk {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
  readonly kid: string;
  readonly alg: "EdDSA";
  readonly use: "sig";
  readonly purpose: "receipt" | "render" | "log";
  readonly nbf: number;
  readonly exp?: number;
  readonly revokedAt?: string;
}

/** Who hands out bundles. */
export interface Installation {
  readonly issuer: string;
  readonly organizationId: string;
  readonly receiptKey: FixtureKey;
  readonly renderKey: FixtureKey;
  readonly logKey: FixtureKey;
}

const longAgo = Math.floor(Date.now() / 1000) - 30 * 86_400;

export const makeInstallation = (): Installation => ({
  issuer: "https://agreements.example.com",
  organizationId: "0199aa00-0000-7000-8000-00000000000a",
  receiptKey: makeKey("receipt"),
  renderKey: makeKey("render"),
  logKey: makeKey("log"),
});

function makeKey(purpose: Jwk["purpose"]): FixtureKey {
  const { privateKey } = generateKeyPairSync("ed25519");
  const { x = "" } = privateKey.export({ format: "jwk" });
  const kid = createHash("sha256").update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest("base64url");
  const jwk: Jwk = { kty: "OKP", crv: "Ed25519", x, kid, alg: "EdDSA", use: "sig", purpose, nbf: longAgo };
  return { privateKey, publicKey: Buffer.from(x, "base64url"), jwk };
}

export interface KeyFile {
  readonly keys: readonly Jwk[];
  readonly logKeys: readonly string[];
  readonly logSigningKeys: readonly Jwk[];
  readonly tsaCertificates: readonly string[];
}

export interface KeyChanges {
  readonly receipt?: Partial<Jwk>;
  readonly render?: Partial<Jwk>;
  readonly log?: Partial<Jwk>;
}

/** What the installation publishes for whoever checks bundles of its organization. */
export const keyFile = (installation: Installation, changes: KeyChanges = {}): KeyFile => ({
  keys: [
    { ...installation.receiptKey.jwk, ...changes.receipt },
    { ...installation.renderKey.jwk, ...changes.render },
  ],
  logKeys: [logOrigin(installation), anchorOrigin(installation)].flatMap((name) =>
    ["", "/e2"].map((epoch) => verifierKey(installation, name + epoch)),
  ),
  logSigningKeys: [{ ...installation.logKey.jwk, ...changes.log }],
  tsaCertificates: [],
});

export const logOrigin = ({ organizationId }: Installation): string =>
  `agreements.example.com/click/log/${organizationId}`;
export const anchorOrigin = (_installation: Installation): string => "agreements.example.com/click/log/anchor";

function verifierKey({ logKey }: Installation, name: string): string {
  const typed = Buffer.concat([Buffer.of(1), logKey.publicKey]);
  return `${name}+${noteKeyId(name, typed).toString("hex")}+${typed.toString("base64")}`;
}

const noteKeyId = (name: string, typed: Buffer): Buffer =>
  createHash("sha256").update(`${name}\n`).update(typed).digest().subarray(0, 4);

/** A C2SP checkpoint as a signed note of the log. */
export function signCheckpoint({ logKey }: Installation, origin: string, size: number, root: Buffer): string {
  const text = `${origin}\n${size}\n${root.toString("base64")}\n`;
  const id = noteKeyId(origin, Buffer.concat([Buffer.of(1), logKey.publicKey]));
  const signature = Buffer.concat([id, sign(null, Buffer.from(text), logKey.privateKey)]);
  return `${text}\n\u2014 ${origin} ${signature.toString("base64")}\n`;
}

/** A compact JWS. */
export function signJws(key: FixtureKey, typ: string, payload: string): string {
  const header = Buffer.from(JSON.stringify({ alg: "EdDSA", kid: key.jwk.kid, typ })).toString("base64url");
  const signed = `${header}.${Buffer.from(payload).toString("base64url")}`;
  return `${signed}.${sign(null, Buffer.from(signed), key.privateKey).toString("base64url")}`;
}
