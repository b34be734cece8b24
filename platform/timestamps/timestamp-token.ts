import { hash, randomBytes, X509Certificate } from "node:crypto";
import { type BaseBlock, Integer, Null, ObjectIdentifier, OctetString, Sequence } from "asn1js";
import {
  AlgorithmIdentifier,
  type Attribute,
  Certificate,
  CertificateChainValidationEngine,
  ContentInfo,
  checkCA,
  ExtKeyUsage,
  id_ContentType_SignedData,
  id_ExtKeyUsage,
  id_eContentType_TSTInfo,
  MessageImprint,
  SignedData,
  TimeStampReq,
  TSTInfo,
} from "pkijs";

/** A request for a time stamp (RFC 3161 §2.4.1), and what its answer is compared with. */
export interface TimestampRequest {
  readonly der: Buffer;
  readonly data: Uint8Array;
  /** SHA-256 of the data. */
  readonly imprint: Buffer;
  /** The value bytes of an INTEGER. */
  readonly nonce: Buffer;
}

const sha256Oid = "2.16.840.1.101.3.4.2.1";

export function timestampRequest(data: Uint8Array): TimestampRequest {
  const imprint = hash("sha256", data, "buffer");
  const nonce = positiveInteger();
  const request = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithmId: sha256Oid, algorithmParams: new Null() }),
      hashedMessage: new OctetString({ valueHex: imprint }),
    }),
    nonce: new Integer({ valueHex: nonce }),
    // Whoever checks the token in years needs the certificate.
    certReq: true,
  });
  return { der: Buffer.from(request.toSchema().toBER()), data, imprint, nonce };
}

/** 64 random bits but for the first two, so that DER writes it with neither sign nor leading zeros. */
function positiveInteger(): Buffer {
  const bytes = randomBytes(8);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return bytes;
}

/** A time-stamp token and what it says. */
export interface Timestamp {
  /** DER of the TimeStampToken (RFC 3161 §2.4.2). */
  readonly token: Buffer;
  /** The subject of the certificate that signed. */
  readonly tsaName: string;
  readonly stampedAt: Date;
}

/**
 * Checks a token against the request that it answers: imprint, nonce, signature, the purpose of the signing certificate,
 * its validity at that time, and its chain when certificates are given that it must end in. Rejects with a TimestampError.
 */
export async function checkTimestampToken(
  token: Buffer,
  request: Pick<TimestampRequest, "data" | "imprint" | "nonce">,
  trusted: readonly string[],
): Promise<Timestamp> {
  try {
    const signed = parseToken(token);
    const info = TSTInfo.fromBER(signed.encapContentInfo.eContent?.getValue() ?? new ArrayBuffer(0));
    checkInfo(info, request);
    const signer = await checkSignature(signed, request.data);
    checkPurpose(signer, info.genTime);
    const certificates = (signed.certificates ?? []).filter((one) => one instanceof Certificate);
    if (trusted.length > 0) await checkChain({ signer, certificates, trusted, at: info.genTime });
    return { token, tsaName: nameOf(signer), stampedAt: info.genTime };
  } catch (error) {
    if (error instanceof TimestampError) throw error;
    throw new TimestampError("the token cannot be checked", { cause: error });
  }
}

/** When a token says that it was made; undefined for what is none. Checks nothing: tokens are checked when they come. */
export function readStampedTime(token: Buffer): Date | undefined {
  try {
    return TSTInfo.fromBER(parseToken(token).encapContentInfo.eContent?.getValue() ?? new ArrayBuffer(0)).genTime;
  } catch {
    return undefined;
  }
}

function parseToken(token: Buffer): SignedData {
  const content = ContentInfo.fromBER(token);
  demand(content.contentType === id_ContentType_SignedData, "the token is not signed data");
  const signed = new SignedData({ schema: content.content });
  demand(signed.encapContentInfo.eContentType === id_eContentType_TSTInfo, "what is signed is no time stamp");
  // RFC 3161 §2.4.2: only the authority signs.
  demand(signed.signerInfos.length === 1, "the token has not one signature");
  return signed;
}

function checkInfo(info: TSTInfo, { imprint, nonce }: Pick<TimestampRequest, "imprint" | "nonce">): void {
  const { hashAlgorithm, hashedMessage } = info.messageImprint;
  demand(info.version === 1, "the time stamp has another version");
  demand(
    hashAlgorithm.algorithmId === sha256Oid && imprint.equals(hashedMessage.valueBlock.valueHexView),
    "the time stamp is for other data",
  );
  demand(info.nonce !== undefined && nonce.equals(info.nonce.valueBlock.valueHexView), "the nonce is another one");
}

const contentTypeAttribute = "1.2.840.113549.1.9.3";
/** SHA-256, SHA-384, SHA-512. */
const digests = [sha256Oid, "2.16.840.1.101.3.4.2.2", "2.16.840.1.101.3.4.2.3"];

/** The certificate whose key made the signature. */
async function checkSignature(signed: SignedData, data: Uint8Array): Promise<Certificate> {
  const [info] = signed.signerInfos;
  const attributes: Attribute[] = info?.signedAttrs?.attributes ?? [];
  const contentType = attributes.find((attribute) => attribute.type === contentTypeAttribute)?.values[0];
  demand(
    (contentType as ObjectIdentifier | undefined)?.valueBlock.toString() === id_eContentType_TSTInfo,
    "the signature is not over a time stamp",
  );
  demand(digests.includes(info?.digestAlgorithm.algorithmId ?? ""), "the signature is over a digest that is not safe");
  const result = await signed.verify({ signer: 0, data: new Uint8Array(data).buffer, extendedMode: true });
  const signer = result.signerCertificate;
  if (result.signatureVerified !== true || !signer) throw new TimestampError("the signature does not hold");
  demand(namesCertificate(attributes, certificateDer(signer)), "the signature names another certificate");
  return signer;
}

const timeStamping = "1.3.6.1.5.5.7.3.8";

/** RFC 3161 §2.3: the key is for time stamps and nothing else. */
function checkPurpose(signer: Certificate, at: Date): void {
  const usage = signer.extensions?.find((extension) => extension.extnID === id_ExtKeyUsage);
  const purposes = usage?.parsedValue instanceof ExtKeyUsage ? usage.parsedValue.keyPurposes : [];
  demand(
    usage?.critical === true && purposes.length === 1 && purposes[0] === timeStamping,
    "the certificate that signed is not for time stamps alone",
  );
  demand(
    signer.notBefore.value <= at && at <= signer.notAfter.value,
    "the certificate that signed was not valid at that time",
  );
}

const nameOf = (certificate: Certificate): string =>
  new X509Certificate(certificateDer(certificate)).subject.replaceAll("\n", ", ");

function demand(holds: boolean, problem: string): void {
  if (!holds) throw new TimestampError(problem);
}

interface ChainCheck {
  readonly signer: Certificate;
  /** What came with the signature; whatever else is among them is passed over. */
  readonly certificates: readonly Certificate[];
  /** PEM of the certificates that the chain may end in. */
  readonly trusted: readonly string[];
  readonly at: Date;
}

/** Rejects with a TimestampError when the signer's chain does not end in a trusted certificate at that time. */
async function checkChain({ signer, certificates, trusted, at }: ChainCheck): Promise<void> {
  const anchors = trusted.map((pem) => Certificate.fromBER(new Uint8Array(new X509Certificate(pem).raw)));
  if (anchors.some((anchor) => certificateDer(anchor).equals(certificateDer(signer)))) return;
  const engine = new CertificateChainValidationEngine({
    trustedCerts: anchors,
    // The engine takes the last one as the signer.
    certs: [...certificates.filter((one) => checkCA(one, signer) !== null), signer],
    checkDate: at,
  });
  const { result, resultMessage } = await engine.verify();
  if (!result) throw new TimestampError(`the authority's certificate is not trusted: ${resultMessage}`);
}

const certificateDer = (certificate: Certificate): Buffer => Buffer.from(certificate.toSchema().toBER());

/**
 * True when the signed attributes name this certificate (DER) as the one that signs: SigningCertificateV2 (RFC 5035), or
 * SigningCertificate (RFC 2634), which older authorities use. Without it, a certificate with the same key but another
 * name could be put in its place.
 */
function namesCertificate(attributes: readonly Attribute[], certificate: Buffer): boolean {
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

/** There is no time stamp, or none that can be relied on. */
export class TimestampError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TimestampError";
  }
}
