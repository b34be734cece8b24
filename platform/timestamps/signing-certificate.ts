import { hash } from "node:crypto";
import { type BaseBlock, ObjectIdentifier, OctetString, Sequence } from "asn1js";
import type { Attribute } from "pkijs";

/**
 * True when the signed attributes name this certificate (DER) as the one that signs: SigningCertificateV2 (RFC 5035), or
 * SigningCertificate (RFC 2634), which older authorities use. Without it, a certificate with the same key but another
 * name could be put in its place.
 */
export function namesCertificate(attributes: readonly Attribute[], certificate: Buffer): boolean {
  const named = attributes.flatMap(certificateHash);
  return (
    named.length > 0 && named.every(({ algorithm, value }) => hash(algorithm, certificate, "buffer").equals(value))
  );
}

const versionOne = "1.2.840.113549.1.9.16.2.12";
const versionTwo = "1.2.840.113549.1.9.16.2.47";

const hashNames: Readonly<Record<string, string>> = {
  "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
};

interface CertificateHash {
  readonly algorithm: string;
  readonly value: Buffer;
}

/** The first certificate that the attribute names is the one that signs. */
function certificateHash({ type, values }: Attribute): CertificateHash[] {
  if (type !== versionOne && type !== versionTwo) return [];
  const [certificates] = itemsOf(values[0]);
  const [first, second] = itemsOf(itemsOf(certificates)[0]);
  if (first instanceof OctetString) {
    return [{ algorithm: type === versionOne ? "sha1" : "sha256", value: bytesOf(first) }];
  }
  const [oid] = itemsOf(first);
  const algorithm = oid instanceof ObjectIdentifier ? hashNames[oid.valueBlock.toString()] : undefined;
  // What cannot be read names nobody.
  const isReadable = type === versionTwo && algorithm !== undefined && second instanceof OctetString;
  return [isReadable ? { algorithm, value: bytesOf(second) } : { algorithm: "sha256", value: Buffer.alloc(0) }];
}

const itemsOf = (block: unknown): BaseBlock[] => (block instanceof Sequence ? block.valueBlock.value : []);

const bytesOf = (text: OctetString): Buffer => Buffer.from(text.valueBlock.valueHexView);
