import { createPrivateKey, KeyObject, randomBytes, webcrypto } from "node:crypto";
import { BitString, Integer, Utf8String } from "asn1js";
import {
  AttributeTypeAndValue,
  BasicConstraints,
  Certificate,
  CryptoEngine,
  Extension,
  id_BasicConstraints,
  id_KeyUsage,
} from "pkijs";

/** A key and its certificate, both PEM. */
export interface CertificateFiles {
  readonly key: string;
  readonly certificates: string;
}

/**
 * A new P-256 key with a self-signed certificate, for evaluation: it proves that files are unchanged, but not
 * who sealed them.
 */
export async function makeTestCertificate(options: {
  readonly name: string;
  readonly now: Date;
  readonly years: number;
}): Promise<CertificateFiles> {
  const engine = new CryptoEngine({ name: "node", crypto: webcrypto as never });
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = new Certificate({ version: 2, serialNumber: new Integer({ valueHex: serialNumber() }) });
  for (const name of [certificate.issuer, certificate.subject]) {
    name.typesAndValues.push(
      new AttributeTypeAndValue({ type: "2.5.4.3", value: new Utf8String({ value: options.name }) }),
    );
  }
  certificate.notBefore.value = options.now;
  certificate.notAfter.value = new Date(options.now.getTime() + options.years * 365 * 86_400_000);
  certificate.extensions = [
    extension(id_BasicConstraints, new BasicConstraints({ cA: false }).toSchema().toBER()),
    // digitalSignature and nonRepudiation (RFC 5280 §4.2.1.3).
    extension(id_KeyUsage, new BitString({ valueHex: new Uint8Array([0xc0]).buffer, unusedBits: 6 }).toBER()),
  ];
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey as never, engine);
  await certificate.sign(keys.privateKey as never, "SHA-256", engine);
  const key = createPrivateKey({ key: KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }) });
  return {
    key: key.export({ type: "pkcs8", format: "pem" }).toString(),
    certificates: pem(Buffer.from(certificate.toSchema().toBER())),
  };
}

const extension = (extnID: string, extnValue: ArrayBuffer): Extension =>
  new Extension({ extnID, critical: true, extnValue });

/** Positive and without a leading zero byte. */
function serialNumber(): ArrayBuffer {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return new Uint8Array(bytes).buffer;
}

const pem = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${(der.toString("base64").match(/.{1,64}/g) ?? []).join("\n")}\n-----END CERTIFICATE-----\n`;
