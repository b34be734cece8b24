import { useQuery } from "@tanstack/react-query";
import { errorOf, unreachable } from "../../api/errors.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Facts, Section } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import { Loaded } from "../access/loaded.tsx";
import { type CertificateFacts, factsIn } from "./certificate-facts.ts";

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
