import { X509Certificate } from "node:crypto";
import { Certificate, CertificateChainValidationEngine, checkCA } from "pkijs";
import { TimestampError } from "./timestamp-error.ts";

export interface ChainCheck {
  readonly signer: Certificate;
  /** What came with the signature; whatever else is among them is passed over. */
  readonly certificates: readonly Certificate[];
  /** PEM of the certificates that the chain may end in. */
  readonly trusted: readonly string[];
  readonly at: Date;
}

/** Rejects with a TimestampError when the signer's chain does not end in a trusted certificate at that time. */
export async function checkChain({ signer, certificates, trusted, at }: ChainCheck): Promise<void> {
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

export const certificateDer = (certificate: Certificate): Buffer => Buffer.from(certificate.toSchema().toBER());
