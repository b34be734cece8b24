import { createPublicKey, hash, type KeyObject, sign, verify } from "node:crypto";

/** Who signs: an Ed25519 key and its name, which for a log is its origin. */
export interface NoteSigner {
  readonly name: string;
  /** The private key. */
  readonly key: KeyObject;
  /** The 32 bytes of RFC 8032 §5.1.5. */
  readonly publicKey: Uint8Array;
}

/** A note whose signatures hold. */
export interface VerifiedNote {
  readonly text: string;
  /** The names of the known keys that signed it. */
  readonly signers: string[];
}

/** Signs a text as a C2SP signed-note. Throws when the text or the name cannot stand in a note. */
export function signNote(text: string, { name, key, publicKey }: NoteSigner): string {
  if (!isNoteText(text) || !isKeyName(name)) throw new TypeError("the text or the key name cannot stand in a note");
  const signature = Buffer.concat([keyId(name, publicKey), sign(null, Buffer.from(text), key)]);
  return `${text}\n${signatureStart}${name} ${signature.toString("base64")}\n`;
}

/**
 * The text and the signers of a C2SP signed-note. Undefined when it is no note, when a signature of a known key does not
 * hold, or when none of the known keys signed it. Signatures of other keys are passed over, also of one with a known name.
 */
export function verifyNote(note: string, verifierKeys: readonly string[]): VerifiedNote | undefined {
  const parts = splitNote(note);
  if (parts === undefined) return undefined;
  const known = new Map(verifierKeys.map(parseVerifierKey).map((key) => [`${key.name} ${key.id}`, key]));
  const text = Buffer.from(parts.text);
  const signers = new Set<string>();
  for (const { name, id, signature } of parts.signatures) {
    const key = known.get(`${name} ${id}`);
    if (key === undefined) continue;
    if (!verify(null, text, key.publicKey, signature)) return undefined;
    signers.add(name);
  }
  return signers.size === 0 ? undefined : { text: parts.text, signers: [...signers] };
}

/** The verifier key of C2SP signed-note: `<name>+<key id>+<base64 of 0x01 and the public key>`. */
export const verifierKey = (name: string, publicKey: Uint8Array): string =>
  `${name}+${keyId(name, publicKey).toString("hex")}+${typedKey(publicKey).toString("base64")}`;

const signatureStart = "\u2014 ";
const keyIdBytes = 4;
const publicKeyBytes = 32;
/** The signature type of Ed25519. */
const ed25519 = Buffer.of(1);
/** The specification wants at least 16 to be read; without a limit a note could make its reader work for long. */
const maxSignatures = 100;

const typedKey = (publicKey: Uint8Array): Buffer => Buffer.concat([ed25519, publicKey]);

const keyId = (name: string, publicKey: Uint8Array): Buffer =>
  hash("sha256", Buffer.concat([Buffer.from(`${name}\n`), typedKey(publicKey)]), "buffer").subarray(0, keyIdBytes);

/** Ends a line, and has no control character below U+0020 but newlines. */
const isNoteText = (text: string): boolean =>
  text.endsWith("\n") && text.isWellFormed() && !/[^\P{Cc}\n\u007f-\u009f]/u.test(text);

const isKeyName = (name: string): boolean => name.isWellFormed() && /^[^\p{White_Space}\p{Cc}+]+$/u.test(name);

interface NoteSignature {
  readonly name: string;
  /** In hexadecimal digits. */
  readonly id: string;
  readonly signature: Buffer;
}

function splitNote(note: string): { text: string; signatures: NoteSignature[] } | undefined {
  const end = note.lastIndexOf("\n\n") + 1;
  if (!isNoteText(note) || end === 0) return undefined;
  const lines = note.slice(end + 1, -1).split("\n");
  if (lines.length > maxSignatures) return undefined;
  const signatures = lines.flatMap((line) => parseSignature(line) ?? []);
  return signatures.length === lines.length ? { text: note.slice(0, end), signatures } : undefined;
}

function parseSignature(line: string): NoteSignature | undefined {
  if (!line.startsWith(signatureStart)) return undefined;
  const [name = "", encoded = "", ...others] = line.slice(signatureStart.length).split(" ");
  const bytes = parseBase64(encoded);
  if (!isKeyName(name) || bytes === undefined || bytes.length <= keyIdBytes || others.length > 0) return undefined;
  return { name, id: bytes.toString("hex", 0, keyIdBytes), signature: bytes.subarray(keyIdBytes) };
}

/** Throws when it is none, or its key id is not the one of its key: who trusts it wrote it down wrongly. */
function parseVerifierKey(text: string): { name: string; id: string; publicKey: KeyObject } {
  const [, name = "", id = "", encoded = ""] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(text) ?? [];
  const typed = parseBase64(encoded);
  const raw = typed?.subarray(1);
  if (typed?.[0] !== ed25519[0] || raw?.length !== publicKeyBytes || verifierKey(name, raw) !== text) {
    throw new TypeError(`this is no verifier key for Ed25519: ${text}`);
  }
  const jwk = { kty: "OKP", crv: "Ed25519", x: raw.toString("base64url") };
  return { name, id, publicKey: createPublicKey({ key: jwk, format: "jwk" }) };
}

/** Undefined when it is not exactly how the bytes are written (RFC 4648 §4). */
function parseBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return text !== "" && bytes.toString("base64") === text ? bytes : undefined;
}
