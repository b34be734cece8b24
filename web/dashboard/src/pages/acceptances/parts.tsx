import type { Receipt } from "#api/receipts.ts";
import "./acceptances.css";
import { type ReactNode, useMemo } from "react";
import { Link } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { MoreRows } from "../../ui/pager.tsx";
import { ErrorState, Loading } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { type AnyReceipt, personPath, type ReceiptFilter, useReceipts } from "./queries.ts";

/** The text for a code of the API, or the code itself when a later version introduced it. */
export const wordsFor = (words: ReadonlyMap<string, string>, code: string): string => words.get(code) ?? code;

/** Where consent to a purpose stands, or what was changed about it. */
export function ConsentStatus({ status }: { readonly status: string }) {
  const { consentStatuses } = useTexts("acceptances");
  const isGiven = status === "GRANTED" || status === "RENEWED";
  return <Badge tone={isGiven ? "success" : "warning"}>{wordsFor(consentStatuses, status)}</Badge>;
}

/** Leads to what is known of the person of a receipt; says why when nobody is named. */
export function PersonName({ receipt }: { readonly receipt: Pick<AnyReceipt, "userRef" | "erased" | "restricted"> }) {
  const texts = useTexts("acceptances");
  const { userRef, erased, restricted } = receipt;
  if (erased) return <Badge>{texts.erased}</Badge>;
  if (restricted && userRef === null) return <Badge tone="warning">{texts.restricted}</Badge>;
  if (userRef === null) return texts.notKnown;
  // Restricted people cannot be found, just like erased ones.
  if (restricted) return userRef;
  return <Link to={personPath(userRef)}>{userRef}</Link>;
}

interface ReceiptListProps {
  readonly filter: ReceiptFilter;
  readonly pageSize: number;
  readonly withPerson?: boolean;
  readonly empty: ReactNode;
}

export function ReceiptList({ filter, pageSize, withPerson = true, empty }: ReceiptListProps) {
  const texts = useTexts("acceptances");
  const list = useReceipts(filter, pageSize);
  const columns = useColumns(withPerson);
  if (list.data === undefined) {
    return list.error ? <ErrorState error={list.error} retry={() => void list.refetch()} /> : <Loading />;
  }
  const rows = list.data.pages.flatMap(({ items }) => items);
  return (
    <>
      <Table label={texts.list} columns={columns} rows={rows} rowKey={({ receiptId }) => receiptId} empty={empty} />
      <MoreRows list={list} />
    </>
  );
}

function useColumns(withPerson: boolean): Column<Receipt>[] {
  const texts = useTexts("acceptances");
  return useMemo(() => {
    const person: Column<Receipt> = {
      id: "person",
      title: texts.person,
      cell: (receipt) => <PersonName receipt={receipt} />,
    };
    return [
      { id: "text", title: texts.template, cell: (receipt) => <AcceptedText receipt={receipt} /> },
      ...(withPerson ? [person] : []),
      { id: "decision", title: texts.decision, cell: ({ decision }) => <Decision decision={decision} /> },
      { id: "when", title: texts.when, cell: ({ acceptedAt }) => <Time value={acceptedAt} seconds /> },
    ];
  }, [texts, withPerson]);
}

function AcceptedText({ receipt }: { readonly receipt: Receipt }) {
  const texts = useTexts("acceptances");
  return (
    <>
      <Link to={`/acceptances/receipts/${receipt.receiptId}`}>{receipt.templateName || receipt.templateSlug}</Link>
      <div className="acceptance-aside">{texts.version(receipt.versionLabel, receipt.locale)}</div>
    </>
  );
}

export function Decision({ decision }: { readonly decision: string }) {
  const { decisions } = useTexts("acceptances");
  return <Badge tone={decision === "ACCEPT" ? "success" : "warning"}>{wordsFor(decisions, decision)}</Badge>;
}
