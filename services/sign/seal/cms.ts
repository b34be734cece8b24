import { hash } from "node:crypto";
import { Null, ObjectIdentifier, OctetString, Sequence } from "asn1js";
import {
  AlgorithmIdentifier,
  Attribute,
  Certificate,
  ContentInfo,
  EncapsulatedContentInfo,
  IssuerAndSerialNumber,
  id_ContentType_Data,
  id_ContentType_SignedData,
  SignedAndUnsignedAttributes,
  SignedData,
  SignerInfo,
} from "pkijs";
import type { SealAlgorithm, SealSigner } from "./seal-signer.ts";

/** Object identifiers of RFC 5652, RFC 5035, RFC 5754, RFC 5758 and RFC 3161. */
export const oid = {
  contentType: "1.2.840.113549.1.9.3",
  messageDigest: "1.2.840.113549.1.9.4",
  signingTime: "1.2.840.113549.1.9.5",
  signingCertificateV2: "1.2.840.113549.1.9.16.2.47",
  timestampToken: "1.2.840.113549.1.9.16.2.14",
  sha256: "2.16.840.1.101.3.4.2.1",
} as const;

/** Gets a time-stamp token (DER) over these bytes. */
export type Stamp = (bytes: Uint8Array) => Promise<Uint8Array>;

/**
 * A detached CMS signature over a SHA-256 as PAdES B-B wants it (ETSI EN 319 142-1 §5.3, EN 319 122-1): content type,
 * message digest and the signing certificate are signed, a signing time is not. With a stamp the signature carries a
 * time-stamp token too, which makes it B-T.
 */
export async function signDetached(digest: Uint8Array, signer: SealSigner, stamp?: Stamp): Promise<Uint8Array> {
  const attributes = new SignedAndUnsignedAttributes({
    type: 0,
    attributes: inOrder(signedAttributes(digest, signer)),
  });
  const signature = await signer.sign(asSet(attributes));
  const token = await stamp?.(signature);
  const certificate = Certificate.fromBER(signer.certificate);
  const info = new SignerInfo({
    version: 1,
    sid: new IssuerAndSerialNumber({ issuer: certificate.issuer, serialNumber: certificate.serialNumber }),
    digestAlgorithm: sha256Identifier(),
    signedAttrs: attributes,
    signatureAlgorithm: new AlgorithmIdentifier(signatureIdentifiers[signer.algorithm]()),
    signature: new OctetString({ valueHex: copyOf(signature) }),
    ...(token === undefined ? {} : { unsignedAttrs: stampAttributes(token) }),
  });
  const signed = new SignedData({
    version: 1,
    digestAlgorithms: [sha256Identifier()],
    encapContentInfo: new EncapsulatedContentInfo({ eContentType: id_ContentType_Data }),
    certificates: [certificate, ...signer.chain.map((der) => Certificate.fromBER(der))],
    signerInfos: [info],
  });
  const content = new ContentInfo({ contentType: id_ContentType_SignedData, content: signed.toSchema(true) });
  return new Uint8Array(content.toSchema().toBER());
}

const signedAttributes = (digest: Uint8Array, { certificate }: SealSigner): Attribute[] => [
  new Attribute({ type: oid.contentType, values: [new ObjectIdentifier({ value: id_ContentType_Data })] }),
  new Attribute({ type: oid.messageDigest, values: [new OctetString({ valueHex: copyOf(digest) })] }),
  new Attribute({ type: oid.signingCertificateV2, values: [signingCertificate(certificate)] }),
];

/** SigningCertificateV2 (RFC 5035 §3): with the default algorithm, which is SHA-256, only the hash is written. */
const signingCertificate = (certificate: Uint8Array): Sequence => {
  const certificateHash = new OctetString({ valueHex: copyOf(hash("sha256", certificate, "buffer")) });
  return new Sequence({ value: [new Sequence({ value: [new Sequence({ value: [certificateHash] })] })] });
};

const stampAttributes = (token: Uint8Array): SignedAndUnsignedAttributes =>
  new SignedAndUnsignedAttributes({
    type: 1,
    attributes: [new Attribute({ type: oid.timestampToken, values: [ContentInfo.fromBER(copyOf(token)).toSchema()] })],
  });

/** In DER a set stands in the order of the encodings of its members (X.690 §11.6). */
const inOrder = (attributes: readonly Attribute[]): Attribute[] =>
  attributes
    .map((attribute) => ({ attribute, der: Buffer.from(attribute.toSchema().toBER()) }))
    .sort((a, b) => Buffer.compare(a.der, b.der))
    .map(({ attribute }) => attribute);

/** What is signed is the set itself, not the tag that it has inside the signer info (RFC 5652 §5.4). */
function asSet(attributes: SignedAndUnsignedAttributes): Buffer {
  const der = Buffer.from(attributes.toSchema().toBER());
  der.writeUInt8(0x31, 0);
  return der;
}

const sha256Identifier = (): AlgorithmIdentifier =>
  new AlgorithmIdentifier({ algorithmId: oid.sha256, algorithmParams: new Null() });

/** RFC 5758 §3.2 wants no parameters for ECDSA, RFC 5754 §3.2 wants NULL for RSA. */
const signatureIdentifiers: Readonly<Record<SealAlgorithm, () => { algorithmId: string; algorithmParams?: Null }>> = {
  "ecdsa-sha256": () => ({ algorithmId: "1.2.840.10045.4.3.2" }),
  "rsa-sha256": () => ({ algorithmId: "1.2.840.113549.1.1.11", algorithmParams: new Null() }),
};

/** asn1js wants an ArrayBuffer of its own. */
const copyOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;
