import { type Bytes, concat, fromBase64, isSame, sha256, toHex, utf8 } from "./bytes.ts";
import { importEd25519, isSigned, type Key } from "./ed25519.ts";
import { ensure, fail } from "./finding.ts";
import { hashBytes } from "./merkle.ts";

/** A verifier key of C2SP signed-note: who may sign the checkpoints of a log. */
export interface NoteKey {
  readonly name: string;
  /** The first four bytes of SHA-256(name, newline, 0x01, public key). */
  readonly id: Bytes;
  /** The 32 bytes of RFC 8032 §5.1.5. */
  readonly publicKey: Bytes;
  readonly key: Key;
}

const idBytes = 4;
const ed25519Type = 1;

/** Reads `<name>+<key id>+<base64 of 0x01 and the public key>`. */
export async function parseNoteKey(text: string): Promise<NoteKey> {
  const shown = text.slice(0, 100);
  const [, name = "", id = "", encoded = ""] = /^([^+\s]+)\+([0-9a-f]{8})\+(.+)$/.exec(text) ?? [];
  ensure(name !== "", `"${shown}" is not a verifier key of a log`);
  const typed = fromBase64(encoded, `the verifier key "${shown}"`);
  ensure(typed[0] === ed25519Type, `the verifier key "${shown}" is not one of Ed25519`);
  const expected = (await sha256(concat(utf8(`${name}\n`), typed))).subarray(0, idBytes);
  ensure(toHex(expected) === id, `the verifier key "${shown}" has an id that is not its own`);
  const publicKey = typed.subarray(1);
  return { name, id: expected, publicKey, key: await importEd25519(publicKey, `the verifier key "${shown}"`) };
}

/** What a log says about itself at one size (C2SP tlog-checkpoint). */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Bytes;
}

/** Reads the text of a checkpoint from its signed note. Says nothing about signatures. */
export function parseCheckpoint(note: string, name: string): Checkpoint {
  const [origin = "", size = "", root = ""] = textOf(note, name).split("\n");
  ensure(origin !== "" && /^(0|[1-9]\d{0,15})$/.test(size), `${name} is not a checkpoint`);
  const bytes = fromBase64(root, `the root in ${name}`);
  ensure(bytes.length === hashBytes, `the root in ${name} does not have 32 bytes`);
  return { origin, size: Number(size), root: bytes };
}

/** The keys with this name that have signed the note. Fails when none has, and when a signature by such a key is wrong. */
export async function requireSigned(
  note: string,
  signer: string,
  keys: readonly NoteKey[],
  name: string,
): Promise<NoteKey[]> {
  const text = utf8(textOf(note, name));
  const known = keys.filter((key) => key.name === signer);
  ensure(known.length > 0, `no key is known by which the log ${signer} signs`);
  const signers: NoteKey[] = [];
  for (const { signerName, id, signature } of signaturesOf(note, name)) {
    const key = known.find((one) => one.name === signerName && isSame(one.id, id));
    if (key === undefined) continue;
    ensure(await isSigned(key.key, signature, text), `the signature of ${signerName} on ${name} does not hold`);
    signers.push(key);
  }
  ensure(signers.length > 0, `${name} is not signed by a known key of the log ${signer}`);
  return signers;
}

/** With the newline at its end. */
function textOf(note: string, name: string): string {
  const end = note.lastIndexOf("\n\n");
  ensure(end > 0 && note.endsWith("\n"), `${name} is not a signed note`);
  return note.slice(0, end + 1);
}

const signaturePattern = /^\u2014 (?<name>[^\s+]+) (?<signature>[A-Za-z0-9+/]+=*)$/;

function signaturesOf(note: string, name: string) {
  const lines = note.slice(note.lastIndexOf("\n\n") + 2, -1).split("\n");
  return lines.map((line) => {
    const groups = signaturePattern.exec(line)?.groups ?? fail(`${name} has a line that is no signature`);
    const bytes = fromBase64(groups.signature ?? "", `a signature of ${name}`);
    return { signerName: groups.name ?? "", id: bytes.subarray(0, idBytes), signature: bytes.subarray(idBytes) };
  });
}

/**
 * Whether the origin is that of the log, in any of its epochs. A log whose database went back in time goes on under
 * its name with a slash, an e and the number of the epoch.
 */
export const isOf = (log: string, origin: string): boolean => withoutEpoch(origin) === log;

export const withoutEpoch = (origin: string): string => origin.replace(epochAtEnd, "");

/** The epoch that an origin names. */
export const epochIn = (origin: string): number => Number(epochAtEnd.exec(origin)?.[1] ?? 1);

const epochAtEnd = /\/e([2-9]|[1-9]\d{1,8})$/;

/** The origin (C2SP tlog-checkpoint) of an organization's log. */
export const logOrigin = (issuer: string, organizationId: string): string => `${logName(issuer)}/${organizationId}`;

/** The origin of the log that holds the checkpoints of all others. */
export const anchorOrigin = (issuer: string): string => `${logName(issuer)}/anchor`;

const logName = (issuer: string): string => `${issuer.replace(/^https?:\/\//, "").replace(/\/+$/, "")}/click/log`;
