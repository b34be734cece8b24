import { type Bytes, fromBase64Url, isSame, sha256, toBase64Url, utf8 } from "./bytes.ts";
import { type Certificate, parseCertificates } from "./certificate.ts";
import { importEd25519, type Key } from "./ed25519.ts";
import { fail, Problem } from "./finding.ts";
import { isObject, type Json } from "./json.ts";
import { at, count, isoTime, text, time } from "./read.ts";
import { type NoteKey, parseNoteKey } from "./signed-note.ts";

/** What a key signs: receipts with all other leaves and bundles, or render tokens. */
export type KeyPurpose = "receipt" | "render";

/** A public key of the installation, with the times between which its signatures are good. */
export interface SigningKey {
  readonly kid: string;
  readonly purpose: string;
  /** The 32 bytes of RFC 8032 §5.1.5. */
  readonly publicKey: Bytes;
  readonly key: Key;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly until: number | null;
  readonly revokedAt: number | null;
}

/** The keys that signatures are checked with. */
export interface KeyRing {
  /** Whether they come from a key file, and not from the bundle itself. */
  readonly isGiven: boolean;
  readonly signing: readonly SigningKey[];
  readonly logs: readonly NoteKey[];
  /** The keys behind those of the logs, as far as the source tells when they were revoked. */
  readonly logSigning: readonly SigningKey[];
  /** Of logs that were set back in time, as the key file tells. */
  readonly epochs: readonly LogEpoch[];
  /** Null when none were given. */
  readonly tsaCertificates: readonly Certificate[] | null;
  /** What could not be read. */
  readonly problems: readonly string[];
}

/** A log that lacked what it had signed went on under another origin. */
export interface LogEpoch {
  readonly logId: string;
  /** 2 or higher. */
  readonly epoch: number;
  /** What was signed before is missing from this index on. */
  readonly missingFrom: number;
  /** Of its first leaf: what stands before it in the log, the log still has. */
  readonly firstIndex: number;
  /** Milliseconds since 1970. */
  readonly openedAt: number;
}

/** The keys of the key file, or for want of one those that the bundle brings along. Never fails: it tells its problems. */
export async function readKeys(bundle: Json, given: Json | undefined): Promise<KeyRing> {
  const source = given ?? at(bundle, "integrity");
  const problems: string[] = [];
  const signing = await collect(source, "keys", problems, readSigningKey);
  const logs = await collect(source, "logKeys", problems, readLogKey);
  const logSigning = await collect(source, "logSigningKeys", problems, readSigningKey);
  const epochs = given === undefined ? [] : await collect(given, "epochs", problems, readEpoch);
  const hasCertificates = given !== undefined && at(given, "tsaCertificates") !== null;
  const certificates = hasCertificates ? await collect(given, "tsaCertificates", problems, readCertificates) : [];
  const all = [...signing, ...logSigning];
  for (const { kid } of all) {
    if (all.filter((key) => key.kid === kid).length > 1) problems.push(`the key ${kid} stands there twice`);
  }
  return {
    isGiven: given !== undefined,
    signing,
    logs,
    logSigning,
    epochs,
    // An empty list is treated like no list, because it names no authority to trust.
    tsaCertificates: hasCertificates && certificates.length > 0 ? certificates.flat() : null,
    problems: [...new Set(problems)],
  };
}

async function collect<T>(
  source: Json,
  name: string,
  problems: string[],
  read: (item: Json, name: string) => Promise<T>,
): Promise<T[]> {
  const items = at(source, name) ?? [];
  if (!Array.isArray(items)) {
    problems.push(`${name} is not a list`);
    return [];
  }
  const collected: T[] = [];
  for (const [index, item] of (items as readonly Json[]).entries()) {
    try {
      collected.push(await read(item, `${name}[${index}]`));
    } catch (error) {
      problems.push(error instanceof Problem ? error.message : `${name}[${index}] cannot be read`);
    }
  }
  return collected;
}

async function readSigningKey(jwk: Json, name: string): Promise<SigningKey> {
  const { kty, crv, nbf, exp = null, revokedAt = null } = isObject(jwk) ? jwk : fail(`${name} is not an object`);
  if (kty !== "OKP" || crv !== "Ed25519") fail(`${name} is not an Ed25519 key`);
  const [x, kid] = [text(jwk, "x"), text(jwk, "kid")];
  // RFC 7638: a key id that follows from the key cannot be put before another key.
  const thumbprint = toBase64Url(await sha256(utf8(JSON.stringify({ crv, kty, x }))));
  if (kid !== thumbprint) fail(`${name} has a kid that is not its thumbprint`);
  if (typeof nbf !== "number" || (exp !== null && typeof exp !== "number")) {
    fail(`${name} does not say when its signatures are good`);
  }
  const publicKey = fromBase64Url(x, `x of ${name}`);
  return {
    kid,
    purpose: text(jwk, "purpose"),
    publicKey,
    key: await importEd25519(publicKey, name),
    from: nbf * 1000,
    until: exp === null ? null : exp * 1000,
    revokedAt: revokedAt === null ? null : time(jwk, "revokedAt"),
  };
}

const readEpoch = async (epoch: Json): Promise<LogEpoch> => ({
  logId: text(epoch, "logId"),
  epoch: count(epoch, "epoch"),
  missingFrom: count(epoch, "missing.from"),
  firstIndex: count(epoch, "firstIndex"),
  openedAt: time(epoch, "openedAt"),
});

const readLogKey = async (key: Json, name: string): Promise<NoteKey> =>
  parseNoteKey(typeof key === "string" ? key : fail(`${name} is not a text`));

const readCertificates = async (pem: Json, name: string): Promise<readonly Certificate[]> =>
  parseCertificates(typeof pem === "string" ? pem : fail(`${name} is not a text`), name);

/** Fails when the key is not known. */
export function findKey(ring: KeyRing, kid: string, purpose: KeyPurpose): SigningKey {
  const where = ring.isGiven ? "the key file" : "the bundle";
  const key = ring.signing.find((one) => one.kid === kid) ?? fail(`${where} does not hold the key ${kid}`);
  return key.purpose === purpose ? key : fail(`the key ${kid} is one for "${key.purpose}", not for "${purpose}"`);
}

/** The first moment from which no key of these is to be trusted any more; null while one is. */
export function revocationOf(ring: KeyRing, signers: readonly NoteKey[]): number | null {
  const times = signers.map(({ publicKey }) => {
    const known = ring.logSigning.find((key) => isSame(key.publicKey, publicKey));
    return known?.revokedAt ?? null;
  });
  return times.some((time) => time === null) ? null : Math.max(...times.map(Number));
}

/** Fails when the key did not sign at that time, revoked or not. */
export function requireInTime(key: SigningKey, ms: number): void {
  if (ms < key.from) fail(`the key ${key.kid} signs only from ${isoTime(key.from)} on, not at ${isoTime(ms)}`);
  if (key.until !== null && ms > key.until) {
    fail(`the key ${key.kid} stopped signing at ${isoTime(key.until)}, before ${isoTime(ms)}`);
  }
}
