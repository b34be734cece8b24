import { createHash, webcrypto } from "node:crypto";
import * as asn1js from "asn1js";
import { PDFDocument, PDFName, PDFString } from "pdf-lib";
import * as pkijs from "pkijs";
import { encode, encodeIdentifier, oid, tags } from "../../seal/cms.ts";
import { onePage } from "./pdfs.ts";

/** Has the form of a signature, and is signed by nobody. */
export const emptySignature = encode(
  tags.sequence,
  encodeIdentifier(oid.signedData),
  encode(tags.context0, encode(tags.sequence)),
);

/** Entries of a signature dictionary whose range is not filled in. */
export const emptySignatureEntries = `/Contents<${emptySignature.toString("hex")}>/ByteRange[0 ${"0000000000 ".repeat(3)}]`;

/** Fills in the range of one that has these entries. */
export function withTrueRange(pdf: Buffer): Buffer {
  const digits = `<${emptySignature.toString("hex")}>`;
  const before = pdf.lastIndexOf(digits);
  const after = before + digits.length;
  const numbers = [before, after, pdf.length - after].map((number) => String(number).padStart(10, "0"));
  const filled = Buffer.from(pdf);
  filled.write(numbers.join(" "), pdf.lastIndexOf("0000000000 0000000000 0000000000"), "latin1");
  return filled;
}

/** A PDF with one page that carries a signature by a certificate of its own. */
export async function signedPdf(unsigned = onePage({})): Promise<Buffer> {
  const document = await PDFDocument.load(unsigned, { updateMetadata: false });
  const { context, catalog } = document;
  const value = context.register(
    context.obj({
      Type: "Sig",
      Filter: "Adobe.PPKLite",
      SubFilter: "adbe.pkcs7.detached",
      M: PDFString.of("D:20260102030405Z"),
      ByteRange: [0, 1_000_000_000, 1_000_000_000, 1_000_000_000],
      Contents: PDFString.of(placeholder),
    }),
  );
  const page = document.getPage(0);
  const widget = {
    Type: "Annot",
    Subtype: "Widget",
    FT: "Sig",
    T: PDFString.of("Sig1"),
    V: value,
    Rect: [0, 0, 0, 0],
    F: 132,
    P: page.ref,
  };
  const field = context.register(context.obj(widget));
  page.node.addAnnot(field);
  catalog.set(PDFName.of("AcroForm"), context.obj({ Fields: [field], SigFlags: 3 }));
  const bytes = Buffer.from(await document.save({ useObjectStreams: false, updateFieldAppearances: false }));
  return fill(bytes);
}

/** As long as the signature in hexadecimal with its brackets; in parentheses, which become the brackets. */
const placeholder = "0".repeat(8_192);

async function fill(bytes: Buffer): Promise<Buffer> {
  const start = bytes.indexOf(`(${placeholder})`);
  const stop = start + placeholder.length + 2;
  const range = `[ 0 ${start} ${stop} ${bytes.length - stop} ]`;
  const template = "[ 0 1000000000 1000000000 1000000000 ]";
  bytes.write(range.padEnd(template.length), bytes.indexOf(template), "latin1");
  const signature = await sign(Buffer.concat([bytes.subarray(0, start), bytes.subarray(stop)]));
  bytes.write(`<${signature.toString("hex").padEnd(placeholder.length, "0")}>`, start, "latin1");
  return bytes;
}

async function sign(data: Buffer): Promise<Buffer> {
  const engine = new pkijs.CryptoEngine({ name: "node", crypto: webcrypto });
  const keys = await webcrypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  const certificate = new pkijs.Certificate();
  certificate.serialNumber = new asn1js.Integer({ value: 1 });
  const name = new pkijs.AttributeTypeAndValue({ type: "2.5.4.3", value: new asn1js.Utf8String({ value: "Test" }) });
  certificate.issuer.typesAndValues.push(name);
  certificate.subject.typesAndValues.push(name);
  certificate.notBefore.value = new Date("2026-01-01");
  certificate.notAfter.value = new Date("2046-01-01");
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey, engine);
  await certificate.sign(keys.privateKey, "SHA-256", engine);
  const digest = createHash("sha256").update(data).digest();
  const attribute = (type: string, value: asn1js.BaseBlock) => new pkijs.Attribute({ type, values: [value] });
  const signer = new pkijs.SignerInfo({
    version: 1,
    sid: new pkijs.IssuerAndSerialNumber({ issuer: certificate.issuer, serialNumber: certificate.serialNumber }),
    signedAttrs: new pkijs.SignedAndUnsignedAttributes({
      type: 0,
      attributes: [
        attribute("1.2.840.113549.1.9.3", new asn1js.ObjectIdentifier({ value: "1.2.840.113549.1.7.1" })),
        attribute("1.2.840.113549.1.9.4", new asn1js.OctetString({ valueHex: new Uint8Array(digest).buffer })),
      ],
    }),
  });
  const signed = new pkijs.SignedData({
    version: 1,
    encapContentInfo: new pkijs.EncapsulatedContentInfo({ eContentType: "1.2.840.113549.1.7.1" }),
    signerInfos: [signer],
    certificates: [certificate],
  });
  await signed.sign(keys.privateKey, 0, "SHA-256", undefined, engine);
  const content = new pkijs.ContentInfo({ contentType: "1.2.840.113549.1.7.2", content: signed.toSchema(true) });
  return Buffer.from(content.toSchema().toBER());
}
