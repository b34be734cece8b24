import { type ReactNode, useState } from "react";
import type { AgreementState, ConsentEvent, PurposeState } from "#api/consents.ts";
import { Link } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Pager } from "../../ui/pager.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { ConsentStatus, wordsFor } from "./parts.tsx";
import { useTemplateNames } from "./queries.ts";

/** Leads to the receipt where there is one. */
function ToReceipt({ id, children }: { readonly id: string | null; readonly children: ReactNode }) {
  return id === null ? children : <Link to={`/acceptances/receipts/${id}`}>{children}</Link>;
}

/** The current state of the consent to each purpose. */
export function ConsentTable({ consents }: { readonly consents: readonly PurposeState[] }) {
  const texts = useTexts("acceptances");
  const columns: Column<PurposeState>[] = [
    {
      id: "purpose",
      title: texts.purpose,
      cell: ({ purpose, receiptId }) => <ToReceipt id={receiptId}>{purpose}</ToReceipt>,
    },
    { id: "status", title: texts.status, cell: ({ status }) => <ConsentStatus status={status} /> },
    { id: "since", title: texts.since, cell: ({ updatedAt }) => <Time value={updatedAt} /> },
    {
      id: "until",
      title: texts.until,
      cell: ({ expiresAt }) => (expiresAt === null ? texts.withoutEnd : <Time value={expiresAt} />),
    },
    {
      id: "basis",
      title: texts.legalBasis,
      cell: ({ legalBasis }) => (legalBasis === null ? "–" : wordsFor(texts.legalBases, legalBasis)),
    },
    { id: "source", title: texts.source, cell: ({ source }) => wordsFor(texts.consentSources, source) },
  ];
  return (
    <Table
      label={texts.consentsTitle}
      columns={columns}
      rows={consents}
      rowKey={({ purpose }) => purpose}
      empty={<p>{texts.noConsents}</p>}
    />
  );
}

/** The person's last decision on each text. */
export function AgreementTable({ agreements }: { readonly agreements: readonly AgreementState[] }) {
  const texts = useTexts("acceptances");
  const { data: templates = [] } = useTemplateNames();
  const nameOf = ({ templateId, templateSlug }: AgreementState): string =>
    templates.find(({ id }) => id === templateId)?.name ?? templateSlug;
  const columns: Column<AgreementState>[] = [
    {
      id: "text",
      title: texts.template,
      cell: (agreement) => <Link to={`/templates/${agreement.templateId}`}>{nameOf(agreement)}</Link>,
    },
    {
      id: "status",
      title: texts.status,
      cell: ({ status }) => (
        <Badge tone={status === "ACCEPTED" ? "success" : "warning"}>{wordsFor(texts.agreementStatuses, status)}</Badge>
      ),
    },
    {
      id: "since",
      title: texts.since,
      cell: ({ acceptedAt, receiptId, versionLabel }) => (
        <div>
          <ToReceipt id={receiptId}>
            <Time value={acceptedAt} />
          </ToReceipt>
          <div className="acceptance-aside">{texts.versionOf(versionLabel)}</div>
        </div>
      ),
    },
    { id: "latest", title: texts.upToDate, cell: (agreement) => <UpToDate agreement={agreement} /> },
  ];
  return (
    <Table
      label={texts.agreementsTitle}
      columns={columns}
      rows={agreements}
      rowKey={({ receiptId }) => receiptId}
      empty={<p>{texts.noAgreements}</p>}
    />
  );
}

function UpToDate({ agreement }: { readonly agreement: AgreementState }) {
  const texts = useTexts("acceptances");
  const { isLatest, reacceptanceRequired, reacceptBy } = agreement;
  return (
    <div>
      {reacceptanceRequired ? (
        <Badge tone="warning">{texts.mustReaccept}</Badge>
      ) : isLatest ? (
        texts.isLatest
      ) : (
        texts.isOlder
      )}
      {reacceptBy !== null && (
        <div className="acceptance-aside">
          {texts.reacceptBy} <Time value={reacceptBy} />
        </div>
      )}
    </div>
  );
}

const pageSize = 25;

/** Every change of consent, the newest first. The answer contains all of them; the page shows them in portions. */
export function HistoryTable({ history }: { readonly history: readonly ConsentEvent[] }) {
  const texts = useTexts("acceptances");
  const [count, setCount] = useState(pageSize);
  const columns: Column<ConsentEvent>[] = [
    {
      id: "when",
      title: texts.when,
      cell: ({ at, receiptId }) => (
        <ToReceipt id={receiptId}>
          <Time value={at} seconds />
        </ToReceipt>
      ),
    },
    { id: "purpose", title: texts.purpose, cell: ({ purpose }) => purpose },
    { id: "change", title: texts.change, cell: ({ type }) => <ConsentStatus status={type} /> },
    { id: "source", title: texts.source, cell: ({ source }) => wordsFor(texts.consentSources, source) },
    { id: "actor", title: texts.actor, cell: ({ actor }) => wordsFor(texts.actors, actor) },
    { id: "reason", title: texts.reason, cell: ({ reason }) => reason ?? "–" },
  ];
  return (
    <>
      <Table
        label={texts.historyTitle}
        columns={columns}
        rows={history.slice(0, count)}
        rowKey={({ eventId }) => eventId}
        empty={<p>{texts.noHistory}</p>}
      />
      <Pager next={count < history.length ? "more" : undefined} onMore={() => setCount(count + pageSize)} />
    </>
  );
}
