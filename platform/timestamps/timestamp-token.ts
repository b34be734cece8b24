import { X509Certificate } from "node:crypto";
import type { ObjectIdentifier } from "asn1js";
import {
  type Attribute,
  Certificate,
  ContentInfo,
  ExtKeyUsage,
  id_ContentType_SignedData,
  id_ExtKeyUsage,
  id_eContentType_TSTInfo,
  SignedData,
  TSTInfo,
} from "pkijs";
import { certificateDer, checkChain } from "./certificate-chain.ts";
import { namesCertificate } from "./signing-certificate.ts";
import { TimestampError } from "./timestamp-error.ts";
import { sha256Oid, type TimestampRequest } from "./timestamp-request.ts";

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
