import "./acceptances.css";
import { useState } from "react";
import type { Receipt } from "#api/receipts.ts";
import { useApi } from "../../api/client.ts";
import { useFile } from "../../api/use-file.ts";
import { Link } from "../../app/router.tsx";
import type { PageParams } from "../../app/routes.tsx";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { saveFile } from "../../ui/download-button.tsx";
import { Form, type FormValues, Switch } from "../../ui/form.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { ErrorNotice, ErrorState, Loading, Notice } from "../../ui/states.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-action.ts";
import { AgreedTextSection } from "./agreed-text.tsx";
import { ConsentReceiptPage } from "./consent-receipt-page.tsx";
import { DecisionSection } from "./decision-section.tsx";
import { detailsOf, type Evidence } from "./evidence.ts";
import { evidencePath, isConsentReceipt, useEvidence, useReceipt, useVerification } from "./queries.ts";
import {
  ChecksSection,
  RulesSection,
  ShownSection,
  StatementSection,
  TimelineSection,
  VerdictNotice,
} from "./record-sections.tsx";

/** An acceptance with everything that proves it; receipts of changes of consent have their own page. */
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
  // Restricted data that was opened with a reason exists only on this page, until it is left.
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
      <DecisionSection receipt={shown} details={details} after={evidence.after} delivery={evidence.delivery} />
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

interface DownloadsProps {
  readonly evidence: Evidence;
  readonly isOpened: boolean;
}

/** The evidence as files. The JSON is the very bundle that was checked on the page. */
function Downloads({ evidence, isOpened }: DownloadsProps) {
  const texts = useTexts("acceptances");
  const api = useApi();
  const file = useFile();
  const [isBare, setIsBare] = useState(false);
  const path = evidencePath(evidence.sessionId);
  const name = (ending: string) => `evidence-${evidence.sessionId}.${ending}`;
  const json = useAction(async () => {
    const bundle = isBare ? await api.get<Evidence>(path, { disclose: "none" }) : evidence;
    saveFile(new Blob([JSON.stringify(bundle)], { type: "application/json" }), name("json"));
  });
  const disclose = isBare ? "&disclose=none" : "";
  const pdf = useAction(async () => saveFile(await file(`${path}?format=pdf${disclose}`), name("pdf")));
  const zip = useAction(async () => saveFile(await file(`${path}?format=zip${disclose}`), name("zip")));
  const failed = [json, pdf, zip].find(({ error }) => error !== undefined);
  return (
    <Section title={texts.downloadTitle} intro={texts.downloadIntro}>
      <Switch isSelected={isBare} onChange={setIsBare}>
        {texts.withoutPersonal}
      </Switch>
      <div className="acceptance-buttons">
        <Button isBusy={pdf.isBusy} onPress={() => void pdf.run()}>
          {texts.asPdf}
        </Button>
        <Button isBusy={zip.isBusy} onPress={() => void zip.run()}>
          {texts.asZip}
        </Button>
        <Button isBusy={json.isBusy} onPress={() => void json.run()}>
          {texts.asJson}
        </Button>
        <a href="/verify/verify-bundle.mjs" download>
          {texts.verifier}
        </a>
      </div>
      {isOpened && <p className="acceptance-aside">{texts.openedDownload}</p>}
      {failed !== undefined && <ErrorNotice error={failed.error} />}
    </Section>
  );
}

interface HiddenNoticeProps {
  readonly receipt: Receipt;
  readonly isOpened: boolean;
  readonly onOpened: (evidence: Evidence) => void;
}

/** Says why nobody is named; what is restricted can be opened with a reason. */
function HiddenNotice({ receipt, isOpened, onOpened }: HiddenNoticeProps) {
  const texts = useTexts("acceptances");
  const mayOpen = useSession().can("click:admin");
  if (isOpened) return <Notice tone="warning">{texts.opened}</Notice>;
  if (receipt.erased) {
    return (
      <Notice title={texts.erasedTitle}>
        <p>{texts.erasedText}</p>
      </Notice>
    );
  }
  if (!receipt.restricted) return null;
  return (
    <Notice tone="warning" title={texts.restrictedTitle}>
      <p>{mayOpen ? texts.restrictedText : texts.restrictedReadOnly}</p>
      {mayOpen && <OpenRestricted sessionId={receipt.sessionId} onOpened={onOpened} />}
    </Notice>
  );
}

interface OpenRestrictedProps {
  readonly sessionId: string;
  readonly onOpened: (evidence: Evidence) => void;
}

function OpenRestricted({ sessionId, onOpened }: OpenRestrictedProps) {
  const texts = useTexts("acceptances");
  const api = useApi();
  const [isAsking, setIsAsking] = useState(false);
  const close = () => setIsAsking(false);
  const open = async (values: FormValues) => {
    const path = `${evidencePath(sessionId)}/restricted`;
    onOpened(await api.send<Evidence>("POST", path, { reason: values.text("reason").trim() }));
  };
  return (
    <>
      <Button onPress={() => setIsAsking(true)}>{texts.open}</Button>
      <Dialog title={texts.openTitle} isOpen={isAsking} onClose={close}>
        <p>{texts.openText}</p>
        <Form submit={texts.open} onSubmit={open} onCancel={close}>
          <TextField
            name="reason"
            rows={3}
            label={texts.openReason}
            hint={texts.openReasonHelp}
            maxLength={2_000}
            isRequired
          />
        </Form>
      </Dialog>
    </>
  );
}
