import { hashAlgorithm } from "./algorithm.ts";
import { type Bytes, concat, digest, type HashName, isSame } from "./bytes.ts";
import type { Certificate } from "./certificate.ts";
import {
  contextTag,
  type Der,
  integer,
  octets,
  oid,
  partsOf,
  primitiveTag,
  requireTag,
  sequence,
  smallInteger,
  tags,
} from "./certificate.ts";
import { ensure, fail } from "./finding.ts";
import { oids } from "./object-ids.ts";

/** A SignerInfo (RFC 5652 §5.3) with signed attributes, as time stamps have it. */
export interface Signer {
  readonly id: Der;
  readonly hashId: string;
  readonly hash: HashName;
  readonly algorithm: Der;
  readonly signature: Bytes;
  /** What the signature is over. */
  readonly signedAttributes: Bytes;
  readonly messageDigest: Bytes;
  /** The hash of the certificate that the signer meant (RFC 5816). */
  readonly certificateHash: { readonly hash: HashName; readonly value: Bytes };
}

/** Of signatures over content of this type; that of time stamps when no other is given. */
export function parseSigner(element: Der, name: string, contentType: string = oids.tstInfo): Signer {
  const [version, id, digestAlgorithm, attributes, algorithm, signature, ...others] = sequence(element, name);
  const signerId = id ?? fail(`${name} does not name its signer`);
  // RFC 5652 §5.3: the version follows from how the signer is named.
  ensure(smallInteger(version, name) === (signerId.tag === tags.sequence ? 1 : 3), `${name} has a wrong version`);
  ensure(others.length === 0 || (others.length === 1 && others[0]?.tag === contextTag(1)), `${name} is too long`);
  const { id: hashId, hash } = hashAlgorithm(digestAlgorithm, name);
  const signed = requireTag(attributes, contextTag(0), name);
  const values = readAttributes(signed, name);
  const attribute = (type: string): Der => values.get(type) ?? fail(`${name} lacks a signed attribute (${type})`);
  ensure(oid(attribute(oids.contentType), name) === contentType, `${name} was signed as something else`);
  return {
    id: signerId,
    hashId,
    hash,
    algorithm: requireTag(algorithm, tags.sequence, name),
    signature: octets(signature, name),
    // RFC 5652 §5.4: they are signed under the tag of a SET, which they do not have here.
    signedAttributes: concat(Uint8Array.of(tags.set), signed.whole.subarray(1)),
    messageDigest: octets(attribute(oids.messageDigest), name),
    certificateHash: readCertificateHash(values, name),
  };
}

/** The value of each attribute; every one that matters has exactly one. */
function readAttributes(element: Der, name: string): ReadonlyMap<string, Der> {
  const values = new Map<string, Der>();
  for (const attribute of partsOf(element, name)) {
    const [type, set] = sequence(attribute, name);
    const [value, ...others] = partsOf(requireTag(set, tags.set, name), name);
    const key = oid(type, name);
    ensure(value !== undefined && others.length === 0 && !values.has(key), `${name} has an attribute twice`);
    values.set(key, value);
  }
  return values;
}

/** ESSCertIDv2 (RFC 5035), or the older ESSCertID, whose hash is SHA-1. */
function readCertificateHash(values: ReadonlyMap<string, Der>, name: string): Signer["certificateHash"] {
  const current = values.get(oids.signingCertificateV2);
  const attribute = current ?? values.get(oids.signingCertificate);
  const [certificates] = sequence(attribute ?? fail(`${name} does not say which certificate signed it`), name);
  const [id] = sequence(certificates, name);
  const [first, second] = sequence(id, name);
  if (current === undefined) return { hash: "SHA-1", value: octets(first, name) };
  if (first?.tag === tags.octetString) return { hash: "SHA-256", value: octets(first, name) };
  return { hash: hashAlgorithm(first, name).hash, value: octets(second, name) };
}

/** Whether this is the certificate that the signer named, twice over. */
export async function isSignerNamed({ id, certificateHash }: Signer, certificate: Certificate): Promise<boolean> {
  const isNamed = id.tag === tags.sequence ? isIssuerAndSerial(id, certificate) : isKeyIdentifier(id, certificate);
  return isNamed && isSame(await digest(certificateHash.hash, certificate.whole), certificateHash.value);
}

function isIssuerAndSerial(id: Der, { issuer, serial }: Certificate): boolean {
  const name = "the name of the signer";
  const [issuerName, number] = sequence(id, name);
  return issuerName !== undefined && isSame(issuerName.whole, issuer) && isSame(integer(number, name), serial);
}

function isKeyIdentifier(id: Der, { extensions }: Certificate): boolean {
  const identifier = extensions.get(oids.subjectKeyIdentifier)?.value;
  const name = "the name of the signer";
  return identifier !== undefined && isSame(requireTag(id, primitiveTag(0), name).content, octets(identifier, name));
}
