import type { RetentionPreview as Preview } from "#api/privacy.ts";
import { Link, useNavigate, useSearch } from "../../app/router.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { localOf, momentOf } from "../../ui/local-time.ts";
import { NumberTiles, Section } from "../../ui/page.tsx";
import { MoreRows } from "../../ui/pager.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { DayField } from "../../ui/text-field.tsx";
import { Time, useNow } from "../../ui/time.tsx";
import { Loaded } from "../access/parts.tsx";
import { useRetentionPreview } from "./queries.ts";

const usualDays = 30;
const dayMs = 86_400_000;

/** What will be deleted by the end of a day, which stands in the address of the page. */
export function RetentionPreview() {
  const texts = useTexts("privacy");
  const navigate = useNavigate();
  const { timeZone, locale } = useLanguage();
  const now = useNow();
  const usual = localOf(new Date(now + usualDays * dayMs), timeZone).slice(0, "2026-11-20".length);
  const wanted = useSearch().get("until") ?? "";
  const day = momentOf(`${wanted}T23:59`, timeZone) === undefined ? usual : wanted;
  const until = momentOf(`${day}T23:59`, timeZone)?.toISOString() ?? "";
  const preview = useRetentionPreview(until);
  const numbers = new Intl.NumberFormat(locale);
  return (
    <Section title={texts.previewTitle} intro={texts.previewIntro}>
      <div className="privacy-line">
        <DayField
          label={texts.previewUntil}
          value={day}
          onChange={(chosen) =>
            navigate(chosen ? `/privacy/retention?until=${chosen}` : "/privacy/retention", { replace: true })
          }
        />
      </div>
      <Loaded query={preview}>
        {({ pages }) => (
          <>
            <NumberTiles
              tiles={[
                ...(pages[0]?.body.counts ?? []).map(({ status, agreements }) => [status, agreements] as const),
                ...(pages[0]?.body.records ?? []).map(({ kind, records }) => [kind, records] as const),
              ].map(([name, count]) => ({ name: texts.statuses[name], value: numbers.format(count) }))}
            />
            <Doomed agreements={pages.flatMap(({ body }) => body.agreements)} />
            <Purges purges={pages[0]?.body.purges ?? []} />
          </>
        )}
      </Loaded>
      <MoreRows list={preview} />
    </Section>
  );
}

function Doomed({ agreements }: Pick<Preview, "agreements">) {
  const texts = useTexts("privacy");
  const columns: readonly Column<Preview["agreements"][number]>[] = [
    {
      id: "agreement",
      title: texts.agreement,
      cell: ({ agreementId }) => <Link to={`/agreements/${agreementId}`}>{agreementId}</Link>,
    },
    {
      id: "status",
      title: texts.status,
      width: "short",
      cell: ({ status }) => (status === "created" ? texts.draft : texts.statuses[status]),
    },
    { id: "created", title: texts.created, cell: ({ createdAt }) => <Time value={createdAt} /> },
    { id: "due", title: texts.due, cell: ({ dueAt }) => <Time value={dueAt} /> },
    {
      id: "held",
      title: texts.kept,
      cell: ({ held }) => (held ? <Badge tone="warning">{texts.held}</Badge> : "–"),
    },
  ];
  return (
    <Table
      label={texts.previewTitle}
      columns={columns}
      rows={agreements}
      rowKey={({ agreementId }) => agreementId}
      empty={<EmptyState title={texts.previewEmptyTitle} text={texts.previewEmptyText} />}
    />
  );
}

/** What somebody has asked for; nothing when nobody has. */
function Purges({ purges }: Pick<Preview, "purges">) {
  const texts = useTexts("privacy");
  const columns: readonly Column<Preview["purges"][number]>[] = [
    {
      id: "agreement",
      title: texts.agreement,
      cell: ({ agreementId }) => <Link to={`/agreements/${agreementId}`}>{agreementId}</Link>,
    },
    { id: "what", title: texts.whatGoes, cell: ({ state }) => texts.purgeStates[state] },
    { id: "due", title: texts.due, cell: ({ dueAt }) => <Time value={dueAt} /> },
    {
      id: "held",
      title: texts.kept,
      cell: ({ held }) => (held ? <Badge tone="warning">{texts.held}</Badge> : "–"),
    },
  ];
  if (purges.length === 0) return null;
  return (
    <>
      <h3>{texts.purgesTitle}</h3>
      <Table
        label={texts.purgesTitle}
        columns={columns}
        rows={purges}
        rowKey={({ agreementId }) => agreementId}
        empty={null}
      />
    </>
  );
}
