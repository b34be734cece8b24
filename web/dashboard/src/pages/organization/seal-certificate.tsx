import { useQuery } from "@tanstack/react-query";
import { type Der, oid, parseCertificates, readDer, sequence, tags } from "../../../../verify/src/certificate.ts";
import { errorOf, unreachable } from "../../api/errors.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Facts, Section } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import { Loaded } from "../access/parts.tsx";

const address = "/.well-known/seal-certificates.pem";

/** With what documents are sealed, to be compared with what a reader of PDF files shows. */
export function SealCertificate() {
  const texts = useTexts("organization");
  const certificates = useQuery({ queryKey: ["seal-certificates"], queryFn: readCertificates, retry: false });
  const [seal] = certificates.data ?? [];
  return (
    <Section
      title={texts.seal}
      intro={texts.sealHelp}
      actions={
        seal && (
          <a className="button" href={address} download="seal-certificates.pem">
            {texts.sealDownload}
          </a>
        )
      }
    >
      <Loaded query={certificates}>
        {([first, ...others]) => (first === undefined ? <p>{texts.noSeal}</p> : <Certificate {...{ first, others }} />)}
      </Loaded>
    </Section>
  );
}

interface CertificateProps {
  readonly first: CertificateFacts;
  readonly others: readonly CertificateFacts[];
}

function Certificate({ first: { subject, issuer, notBefore, notAfter, fingerprint }, others }: CertificateProps) {
  const texts = useTexts("organization");
  return (
    <Facts
      facts={[
        [texts.sealSubject, subject],
        [texts.sealIssuer, issuer === subject ? texts.selfIssued : issuer],
        [texts.sealFrom, <Time key="from" value={notBefore} />],
        [
          texts.sealUntil,
          <span key="until">
            <Time value={notAfter} /> <Validity notAfter={notAfter} />
          </span>,
        ],
        ...(fingerprint === undefined
          ? []
          : [[texts.sealFingerprint, <code key="fingerprint">{fingerprint}</code>] as const]),
        ...(others.length === 0 ? [] : [[texts.sealOthers, others.map((one) => one.subject).join("; ")] as const]),
      ]}
    />
  );
}

/** So that a new one can be got in time. */
const noticeMs = 60 * 86_400_000;

function Validity({ notAfter }: { readonly notAfter: string }) {
  const texts = useTexts("organization");
  const left = Date.parse(notAfter) - Date.now();
  if (left > noticeMs) return null;
  return <Badge tone={left > 0 ? "warning" : "danger"}>{left > 0 ? texts.sealEndsSoon : texts.sealEnded}</Badge>;
}

/** Empty when the installation has none. */
async function readCertificates(): Promise<CertificateFacts[]> {
  let response: Response;
  try {
    response = await fetch(address, { cache: "no-store" });
  } catch {
    throw unreachable();
  }
  if (response.ok) return factsIn(await response.text());
  const error = await errorOf(response);
  if (error.code === "SERVICE_UNAVAILABLE") return [];
  throw error;
}

type Bytes = Der["content"];

/** What people compare about a certificate. */
interface CertificateFacts {
  readonly subject: string;
  readonly issuer: string;
  readonly notBefore: string;
  readonly notAfter: string;
  /** SHA-256, in pairs of hexadecimal digits; undefined where the browser computes none, as on pages over plain http. */
  readonly fingerprint: string | undefined;
}

/** Of each certificate in a PEM text. Throws when there is none, or one that cannot be read. */
const factsIn = (pem: string): Promise<CertificateFacts[]> =>
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
