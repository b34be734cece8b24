import type { ConsentReceipt, VerificationResult } from "#api/receipts.ts";
import { Link } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Facts, Page, Section } from "../../ui/page.tsx";
import { ErrorState, Loading, Notice } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { ConsentStatus, PersonName, wordsFor } from "./parts.tsx";
import { useServerChecks } from "./queries.ts";

/** Of a change of consent that was no acceptance; there is no bundle of evidence for it. */
export function ConsentReceiptPage({ receipt }: { readonly receipt: ConsentReceipt }) {
  const texts = useTexts("acceptances");
  return (
    <Page title={texts.consentReceipt(receipt.purpose)} intro={<Link to="/acceptances">{texts.back}</Link>}>
      <Section title={texts.receipt}>
        <Facts
          facts={[
            [texts.change, <ConsentStatus key="status" status={receipt.consentStatus} />],
            [texts.purpose, receipt.purpose],
            [texts.person, <PersonName key="person" receipt={receipt} />],
            [texts.when, <Time key="when" value={receipt.recordedAt} seconds />],
            ...(receipt.occurredAt === null
              ? []
              : [[texts.happenedAt, <Time key="happened" value={receipt.occurredAt} seconds />] as const]),
            [
              texts.until,
              receipt.expiresAt === null ? texts.withoutEnd : <Time key="until" value={receipt.expiresAt} />,
            ],
            [texts.legalBasis, receipt.legalBasis === null ? "–" : wordsFor(texts.legalBases, receipt.legalBasis)],
            [texts.source, wordsFor(texts.consentSources, receipt.source)],
            [texts.method, receipt.method ?? "–"],
            [texts.actor, [wordsFor(texts.actors, receipt.actor.type), receipt.actor.id].filter(Boolean).join(", ")],
            [texts.reason, receipt.reason ?? "–"],
            [texts.receiptId, <code key="receipt">{receipt.receiptId}</code>],
          ]}
        />
      </Section>
      <ServerChecksSection receipt={receipt} />
    </Page>
  );
}

type Check = VerificationResult["checks"][number];

function ServerChecksSection({ receipt }: { readonly receipt: ConsentReceipt }) {
  const texts = useTexts("acceptances");
  const { data, error, refetch } = useServerChecks(receipt);
  const columns: Column<Check>[] = [
    { id: "check", title: texts.check, cell: ({ check }) => wordsFor(texts.serverChecks, check) },
    {
      id: "result",
      title: texts.result,
      cell: ({ ok }) => (
        <Badge tone={ok ? "success" : "danger"}>{wordsFor(texts.statuses, ok ? "PASS" : "FAIL")}</Badge>
      ),
    },
    { id: "found", title: texts.found, cell: ({ message }) => <span lang="en">{message}</span> },
  ];
  return (
    <Section title={texts.serverChecksTitle} intro={texts.serverCheckedText}>
      {data === undefined && (error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />)}
      {data !== undefined && (
        <>
          <Notice tone={data.valid ? "success" : "danger"} title={data.valid ? texts.serverChecked : texts.failed} />
          <Table
            label={texts.serverChecksTitle}
            columns={columns}
            rows={data.checks}
            rowKey={({ check }) => check}
            empty={null}
          />
        </>
      )}
    </Section>
  );
}
