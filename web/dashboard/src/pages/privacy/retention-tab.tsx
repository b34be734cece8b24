import { useState } from "react";
import type { Retention } from "#api/privacy.ts";
import { useApi } from "../../api/client.ts";
import { wrongInput } from "../../api/errors.ts";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Form } from "../../ui/form.tsx";
import { Section } from "../../ui/page.tsx";
import { ErrorNotice, Notice } from "../../ui/states.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-action.ts";
import { useLeaveGuard } from "../../ui/use-leave-guard.tsx";
import { Loaded } from "../access/parts.tsx";
import { type Period, useRefresh, useRetention } from "./queries.ts";
import { RetentionPreview } from "./retention-preview.tsx";

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
