import { parseCertificates } from "../../../../verify/src/certificate.ts";
import { type Der, oid, readDer, sequence, tags } from "../../../../verify/src/der.ts";

type Bytes = Der["content"];

/** What people compare about a certificate. */
export interface CertificateFacts {
  readonly subject: string;
  readonly issuer: string;
  readonly notBefore: string;
  readonly notAfter: string;
  /** SHA-256, in pairs of hexadecimal digits; undefined where the browser computes none, as on pages over plain http. */
  readonly fingerprint: string | undefined;
}

/** Of each certificate in a PEM text. Throws when there is none, or one that cannot be read. */
export const factsIn = (pem: string): Promise<CertificateFacts[]> =>
  Promise.all(
    parseCertificates(pem, "the file of the certificates").map(async (certificate) => ({
      subject: nameIn(certificate.subject),
      issuer: nameIn(certificate.issuer),
      notBefore: new Date(certificate.notBefore).toISOString(),
      notAfter: new Date(certificate.notAfter).toISOString(),
      fingerprint: await fingerprintOf(certificate.whole),
    })),
  );

async function fingerprintOf(bytes: Bytes): Promise<string | undefined> {
  if (!window.isSecureContext) return undefined;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join(":");
}

/** As certificates are mostly written: CN=Example, O=Example AG, C=DE. */
function nameIn(encoded: Bytes): string {
  const what = "a name in a certificate";
  const parts: string[] = [];
  for (const set of sequence(readDer(encoded, what), what)) {
    // A set may hold several attributes; it is read like a sequence, from which only its tag differs.
    for (const attribute of sequence({ ...set, tag: tags.sequence }, what)) {
      const [type, value] = sequence(attribute, what);
      if (type !== undefined && value !== undefined) parts.push(`${typeName(oid(type, what))}=${textOf(value)}`);
    }
  }
  return parts.join(", ");
}

const typeNames: ReadonlyMap<string, string> = new Map([
  ["2.5.4.3", "CN"],
  ["2.5.4.5", "serialNumber"],
  ["2.5.4.6", "C"],
  ["2.5.4.7", "L"],
  ["2.5.4.8", "ST"],
  ["2.5.4.10", "O"],
  ["2.5.4.11", "OU"],
  ["2.5.4.97", "organizationIdentifier"],
  ["1.2.840.113549.1.9.1", "emailAddress"],
]);

const typeName = (id: string): string => typeNames.get(id) ?? id;

const bmpString = 0x1e;

/** The other kinds of texts are ASCII, or written as if they were UTF-8. */
const textOf = ({ tag, content }: Der): string =>
  new TextDecoder(tag === bmpString ? "utf-16be" : "utf-8").decode(content);
