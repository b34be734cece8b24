import { type Bytes, concat, type HashName } from "./bytes.ts";
import { type Der, integer, oid, readDer, sequence, tags } from "./certificate.ts";
import { ensure, fail } from "./finding.ts";
import { curves, hashes, oids, signatureAlgorithms } from "./object-ids.ts";

/** The identifier in an AlgorithmIdentifier (RFC 5280 §4.1.1.2) of an algorithm that takes no parameters. */
export function algorithmId(element: Der | undefined, name: string): string {
  const [id, parameters, ...others] = sequence(element, name);
  const isPlain = parameters === undefined || (parameters.tag === tags.null && parameters.content.length === 0);
  ensure(isPlain && others.length === 0, `${name} has an algorithm with parameters`);
  return oid(id, name);
}

export function hashAlgorithm(element: Der | undefined, name: string): { id: string; hash: HashName } {
  const id = algorithmId(element, name);
  return {
    id,
    hash: hashes[id] ?? fail(`${name} uses the hash algorithm ${id}, which is not known or proves nothing`),
  };
}

interface SignedBytes {
  /** SubjectPublicKeyInfo of who signed. */
  readonly publicKey: Der;
  /** AlgorithmIdentifier. */
  readonly algorithm: Der;
  /** For algorithms that do not name their hash themselves. */
  readonly hash?: HashName;
  readonly signature: Bytes;
  readonly data: Bytes;
}

/** Whether a signature by RSA (PKCS #1 v1.5) or ECDSA holds. Fails for what is neither. */
export async function isSignatureGood(signed: SignedBytes, name: string): Promise<boolean> {
  const { hash, key } = readAlgorithm(signed, name);
  const [keyAlgorithm] = sequence(signed.publicKey, name);
  const [keyType, curve] = sequence(keyAlgorithm, name);
  ensure(oid(keyType, name) === key, `${name}: the key and the signature are of different kinds`);
  return key === oids.rsa ? isRsaGood(signed, hash) : isEcdsaGood(signed, hash, oid(curve, name), name);
}

function readAlgorithm({ algorithm, hash }: SignedBytes, name: string): { hash: HashName; key: string } {
  const id = algorithmId(algorithm, name);
  // In CMS the algorithm may be just "RSA", and the hash is told beside it (RFC 3370 §3.2).
  if (id === oids.rsa && hash !== undefined) return { hash, key: oids.rsa };
  const known = signatureAlgorithms[id] ?? fail(`${name}: the signature algorithm ${id} is not known`);
  ensure(hash === undefined || hash === known.hash, `${name}: two hash algorithms are named`);
  return known;
}

async function isRsaGood({ publicKey, signature, data }: SignedBytes, hash: HashName): Promise<boolean> {
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash };
  const key = await crypto.subtle.importKey("spki", publicKey.whole, algorithm, false, ["verify"]);
  return crypto.subtle.verify(algorithm.name, key, signature, data);
}

async function isEcdsaGood(
  { publicKey, signature, data }: SignedBytes,
  hash: HashName,
  curveId: string,
  name: string,
): Promise<boolean> {
  const curve = curves[curveId] ?? fail(`${name}: the curve ${curveId} is not known`);
  const algorithm = { name: "ECDSA", namedCurve: curve.name };
  const key = await crypto.subtle.importKey("spki", publicKey.whole, algorithm, false, ["verify"]);
  const numbers = sequence(readDer(signature, name), name);
  ensure(numbers.length === 2, `${name}: the signature is not one of ECDSA`);
  const [r, s] = numbers.map((number) => fixedLength(integer(number, name), curve.bytes, name)) as [Bytes, Bytes];
  return crypto.subtle.verify({ name: "ECDSA", hash }, key, concat(r, s), data);
}

/** DER drops leading zeros, and adds one before a high bit; Web Crypto wants all numbers equally long. */
function fixedLength(number: Bytes, length: number, name: string): Bytes {
  const digits = number[0] === 0 ? number.subarray(1) : number;
  ensure(digits.length <= length && (number[0] ?? 0) < 0x80, `${name}: the signature has a number out of range`);
  return concat(new Uint8Array(length - digits.length), digits);
}
