import { useState } from "react";
import { Link } from "../../app/router.tsx";
import type { PageParams } from "../../app/routes.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Page } from "../../ui/page.tsx";
import { AgreedTextSection } from "./agreed-text.tsx";
import { ChecksSection, VerdictNotice } from "./checks.tsx";
import { ConsentReceiptPage } from "./consent-receipt-page.tsx";
import { DecisionSection } from "./decision-section.tsx";
import { Downloads } from "./downloads.tsx";
import { detailsOf, type Evidence } from "./evidence.ts";
import { HiddenNotice } from "./hidden-notice.tsx";
import { useEvidence, useReceipt, useVerification } from "./queries.ts";
import { RulesSection, ShownSection, StatementSection, TimelineSection } from "./record-sections.tsx";
import { isConsentReceipt, type Receipt } from "./types.ts";
import "./acceptances.css";

/** An acceptance with all that proves it; receipts of changes of consent have their own form. */
export function AcceptancePage({ params }: PageParams) {
  const texts = useTexts("acceptances");
  const { data: receipt, error, refetch } = useReceipt(params.get("receiptId") ?? "");
  if (receipt === undefined) {
    return (
      <Page title={texts.receipt} intro={<Link to="/acceptances">{texts.back}</Link>}>
        {error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />}
      </Page>
    );
  }
  if (isConsentReceipt(receipt)) return <ConsentReceiptPage receipt={receipt} />;
  return (
    <Page
      title={texts.receiptTitle(receipt.templateName || receipt.templateSlug)}
      intro={<Link to="/acceptances">{texts.back}</Link>}
    >
      <EvidenceOf receipt={receipt} />
    </Page>
  );
}

function EvidenceOf({ receipt }: { readonly receipt: Receipt }) {
  const published = useEvidence(receipt.sessionId);
  // What was opened with a reason is on this page alone, and gone when it is left.
  const [opened, setOpened] = useState<Evidence>();
  const evidence = opened ?? published.data;
  if (evidence === undefined) {
    const retry = () => void published.refetch();
    return published.error ? <ErrorState error={published.error} retry={retry} /> : <Loading />;
  }
  return <EvidenceView evidence={evidence} receipt={receipt} isOpened={opened !== undefined} onOpened={setOpened} />;
}

interface EvidenceViewProps {
  readonly evidence: Evidence;
  readonly receipt: Receipt;
  readonly isOpened: boolean;
  readonly onOpened: (evidence: Evidence) => void;
}

function EvidenceView({ evidence, receipt, isOpened, onOpened }: EvidenceViewProps) {
  const verification = useVerification(evidence);
  // The bundle's own receipt names the person once it was opened.
  const shown = evidence.receipts.find(({ receiptId }) => receiptId === receipt.receiptId) ?? receipt;
  const details = detailsOf(evidence, shown.receiptId);
  return (
    <>
      <VerdictNotice verification={verification} isPending={evidence.integrity.log?.status === "PENDING"} />
      <HiddenNotice receipt={shown} isOpened={isOpened} onOpened={onOpened} />
      <DecisionSection receipt={shown} details={details} after={evidence.after} />
      <AgreedTextSection evidence={evidence} isHidden={shown.erased || (shown.restricted && !isOpened)} />
      <ShownSection details={details} />
      <RulesSection checks={details.checks} />
      <TimelineSection entries={evidence.timeline} />
      <Downloads evidence={evidence} isOpened={isOpened} />
      <ChecksSection evidence={evidence} verdict={verification.data} />
      <StatementSection statement={evidence.statement} />
    </>
  );
}
