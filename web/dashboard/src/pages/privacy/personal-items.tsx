import type { ReactNode } from "react";
import type { PersonalItem } from "#api/person-erasures.ts";
import { Link } from "../../app/router.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { NumberTiles } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { isConsentReceipt, useReceipt } from "../acceptances/queries.ts";

const lower = { ERASED: "erased", RESTRICTED: "restricted", KEPT: "kept" } as const;
const tones = { ERASED: "success", RESTRICTED: "warning", KEPT: "danger" } as const;
const outcomes = ["erased", "restricted", "kept"] as const;

interface ItemsProps {
  readonly items: readonly PersonalItem[];
  /** Nothing has happened yet: it says what would. */
  readonly isAhead: boolean;
}

/** How much of it goes, is restricted, and stays. */
export function OutcomeTiles({ counts, isAhead }: { readonly counts: Counts; readonly isAhead: boolean }) {
  const texts = useTexts("privacy");
  const numbers = new Intl.NumberFormat(useLanguage().locale);
  const names = isAhead ? texts.outcomesAhead : texts.outcomes;
  return <NumberTiles tiles={outcomes.map((one) => ({ name: names[one], value: numbers.format(counts[one]) }))} />;
}

type Counts = Readonly<Record<(typeof outcomes)[number], number>>;

export const countOf = (items: readonly PersonalItem[]): Counts => {
  const count = (wanted: PersonalItem["outcome"]) => items.filter(({ outcome }) => outcome === wanted).length;
  return { erased: count("ERASED"), restricted: count("RESTRICTED"), kept: count("KEPT") };
};

/** What is known of a person, and what becomes of it. */
export function ItemsTable({ items, isAhead }: ItemsProps) {
  const texts = useTexts("privacy");
  const acceptances = items.filter(({ kind }) => kind === "click.receipt").slice(0, mostNamed);
  const columns: readonly Column<PersonalItem>[] = [
    {
      id: "what",
      title: texts.what,
      width: "broad",
      cell: (item) => (
        <What item={item}>{acceptances.includes(item) && <AcceptedText receiptId={item.targetId} />}</What>
      ),
    },
    { id: "where", title: texts.whereItem, width: "short", cell: (item) => <Where item={item} /> },
    {
      id: "outcome",
      title: isAhead ? texts.outcomeAhead : texts.outcome,
      width: "broad",
      cell: (item) => <Outcome item={item} isAhead={isAhead} />,
    },
  ];
  return (
    <Table
      label={texts.whatWeHave}
      columns={columns}
      rows={items}
      rowKey={({ kind, targetId, name }) => `${kind} ${targetId} ${name}`}
      empty={null}
    />
  );
}

/** Each is a request of its own. */
const mostNamed = 20;

/** Which text an acceptance is of; nothing until that is known. */
function AcceptedText({ receiptId }: { readonly receiptId: string }) {
  const texts = useTexts("acceptances");
  const { data: receipt } = useReceipt(receiptId);
  if (receipt === undefined || isConsentReceipt(receipt)) return null;
  const { templateName, templateSlug, versionLabel, locale } = receipt;
  return <small>{`${templateName || templateSlug} · ${texts.version(versionLabel, locale)}`}</small>;
}

interface WhatProps {
  readonly item: PersonalItem;
  readonly children: ReactNode;
}

function What({ item: { kind, name, count }, children }: WhatProps) {
  const texts = useTexts("privacy");
  return (
    <span className="stacked">
      <span>{texts.kinds[kind]}</span>
      {(name || count > 1) && (
        <small>
          {[name && (texts.textNames.get(name) ?? name), count > 1 && texts.times(count)].filter(Boolean).join(" · ")}
        </small>
      )}
      {children}
    </span>
  );
}

/** Of what a person can look at in the dashboard, a link to it. */
function Where({ item: { kind, targetId } }: { readonly item: PersonalItem }) {
  const page = pages.find(([start]) => kind.startsWith(start))?.[1];
  return page === undefined ? <code>{targetId}</code> : <Link to={`${page}/${targetId}`}>{targetId}</Link>;
}

const pages = [
  ["agreement.", "/agreements"],
  ["click.receipt", "/acceptances/receipts"],
] as const;

function Outcome({
  item: { outcome, keptBecause, keptUntil },
  isAhead,
}: {
  readonly item: PersonalItem;
  readonly isAhead: boolean;
}) {
  const texts = useTexts("privacy");
  const names = isAhead ? texts.outcomesAhead : texts.outcomes;
  const name = names[lower[outcome]];
  return (
    <span className="stacked">
      <span>
        <Badge tone={isAhead ? "info" : tones[outcome]}>{name}</Badge>
      </span>
      {keptBecause !== null && <small>{texts.reasons[keptBecause]}</small>}
      {keptUntil !== null && (
        <small>
          {texts.until} <Time value={keptUntil} />
        </small>
      )}
    </span>
  );
}
