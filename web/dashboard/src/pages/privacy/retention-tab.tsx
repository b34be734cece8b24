import { useState } from "react";
import type { RetentionPreview as Preview, Retention } from "#api/privacy.ts";
import { useApi } from "../../api/client.ts";
import { wrongInput } from "../../api/errors.ts";
import { Link, useNavigate, useSearch } from "../../app/router.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Form } from "../../ui/form.tsx";
import { localOf, momentOf } from "../../ui/local-time.ts";
import { NumberTiles, Section } from "../../ui/page.tsx";
import { MoreRows } from "../../ui/pager.tsx";
import { EmptyState, ErrorNotice, Notice } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { DayField, TextField } from "../../ui/text-field.tsx";
import { Time, useNow } from "../../ui/time.tsx";
import { useAction } from "../../ui/use-action.ts";
import { useLeaveGuard } from "../../ui/use-leave-guard.tsx";
import { Loaded } from "../access/parts.tsx";
import { type Period, useRefresh, useRetention, useRetentionPreview } from "./queries.ts";

/** How long agreements are kept, and what will be deleted when. */
export function RetentionTab() {
  const texts = useTexts("privacy");
  const retention = useRetention();
  return (
    <>
      <Section title={texts.periodsTitle} intro={texts.periodsIntro}>
        <Loaded query={retention}>{({ periods }) => <Periods periods={periods} />}</Loaded>
      </Section>
      <RetentionPreview />
    </>
  );
}

/** What was asked for last, also when it is still to come. */
const wantedDays = ({ days, nextDays, nextAt }: Period): string => String((nextAt === null ? days : nextDays) ?? "");

const mostDays = 36_500;

/** Throws what is to be shown at the field. */
function daysIn(status: string, value: string, message: string): number | null {
  const typed = value.trim();
  if (typed === "") return null;
  const days = Number(typed);
  if (!Number.isInteger(days) || days < 1 || days > mostDays) throw wrongInput(message, status);
  return days;
}

function useSavePeriods() {
  const api = useApi();
  const refresh = useRefresh();
  return async (periods: readonly Pick<Period, "status" | "days">[]): Promise<void> => {
    await api.send<Retention>("PUT", "/v1/privacy/retention", { periods });
    await refresh();
  };
}

function Periods({ periods }: { readonly periods: readonly Period[] }) {
  const texts = useTexts("privacy");
  const { saved } = useTexts("common");
  const spell = useSpelledDays();
  const save = useSavePeriods();
  // What differs from what is stored.
  const [typed, setTyped] = useState<Partial<Record<Period["status"], string>>>({});
  const [isSaved, setIsSaved] = useState(false);
  const shown = (period: Period): string => typed[period.status] ?? wantedDays(period);
  const isDirty = periods.some((period) => shown(period) !== wantedDays(period));
  useLeaveGuard(isDirty, () => setTyped({}));
  const send = async () => {
    const wanted = periods.map((period) => {
      const { status } = period;
      return { status, days: daysIn(status, shown(period), texts.daysWrong) };
    });
    await save(wanted);
    setTyped({});
    setIsSaved(true);
  };
  const type = (status: Period["status"], value: string) => {
    setTyped({ ...typed, [status]: value });
    setIsSaved(false);
  };
  return (
    <>
      <Coming periods={periods} />
      <Form
        asksBeforeLeaving={false}
        submit={texts.savePeriods}
        onSubmit={send}
        aside={
          isDirty ? (
            <Button onPress={() => setTyped({})}>{texts.undo}</Button>
          ) : (
            isSaved && <Notice tone="success">{saved}</Notice>
          )
        }
      >
        {groups.map((group) => (
          <fieldset key={group} className="privacy-group">
            <legend>{texts.periodGroups[group]}</legend>
            <div className="privacy-periods">
              {periods
                .filter(({ status }) => groupOf(status) === group)
                .map((period) => (
                  <TextField
                    key={period.status}
                    name={period.status}
                    label={texts.statuses[period.status]}
                    hint={<NowKept period={period} />}
                    inputMode="numeric"
                    placeholder={spell(null, period.status)}
                    value={shown(period)}
                    onChange={(value) => type(period.status, value)}
                    autoComplete="off"
                  />
                ))}
            </div>
          </fieldset>
        ))}
        <p className="quiet">{texts.periodsHelp}</p>
      </Form>
    </>
  );
}

const groups = ["agreements", "others"] as const;
const recordKinds: ReadonlySet<string> = new Set(["acceptances", "documents", "webhooks", "audit"]);
const groupOf = (status: Period["status"]): (typeof groups)[number] =>
  recordKinds.has(status) ? "others" : "agreements";

/** Deliveries of webhooks stay no longer, also without a period. */
const mostDeliveryDays = 30;

function NowKept({ period: { status, days } }: { readonly period: Period }) {
  const texts = useTexts("privacy");
  const spell = useSpelledDays();
  const kept = status === "webhooks" ? Math.min(days ?? mostDeliveryDays, mostDeliveryDays) : days;
  return texts.keptNow(texts.since[status], spell(kept, status));
}

/** `3,650 days (10 years)`; null where there is no period. */
export function useSpelledDays(): (days: number | null, status: Period["status"]) => string {
  const { forEver } = useTexts("privacy");
  const { locale } = useLanguage();
  const write = (value: number, unit: "day" | "year") =>
    new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long", maximumFractionDigits: 1 }).format(value);
  return (wanted, status) => {
    const days = wanted ?? (status === "webhooks" ? mostDeliveryDays : null);
    if (days === null) return forEver;
    return days < 365 ? write(days, "day") : `${write(days, "day")} (${write(days / 365, "year")})`;
  };
}

/** Shorter periods that do not hold yet, which can be taken back until they do. */
function Coming({ periods }: { readonly periods: readonly Period[] }) {
  const texts = useTexts("privacy");
  const { times } = useLanguage();
  const spell = useSpelledDays();
  const save = useSavePeriods();
  const takeBack = useAction(() => save(periods.map(({ status, days }) => ({ status, days }))));
  const coming = periods.filter(({ nextAt }) => nextAt !== null);
  if (coming.length === 0) return null;
  return (
    <Notice tone="warning" title={texts.comingTitle}>
      <ul className="privacy-list">
        {coming.map(({ status, days, nextDays, nextAt }) => (
          <li key={status}>
            {texts.comingPeriod(
              texts.statuses[status],
              spell(nextDays, status),
              spell(days, status),
              times.moment(nextAt ?? "", false),
            )}
          </li>
        ))}
      </ul>
      <p>{texts.comingHelp}</p>
      <p className="privacy-take-back">
        <Button isBusy={takeBack.isBusy} onPress={() => void takeBack.run()}>
          {texts.takeBack}
        </Button>
      </p>
      {takeBack.error !== undefined && <ErrorNotice error={takeBack.error} />}
    </Notice>
  );
}

const usualDays = 30;
const dayMs = 86_400_000;

/** What will be deleted by the end of a day, which stands in the address of the page. */
function RetentionPreview() {
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
