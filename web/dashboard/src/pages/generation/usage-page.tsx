import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Facts, Page, Section } from "../../ui/page.tsx";
import { GenerationTabs } from "./generation-tabs.tsx";
import { LatestChart } from "./latest-chart.tsx";
import { useUsage } from "./queries.ts";
import type { Usage, UsageWindow } from "./types.ts";
import "./charts.css";

export function UsagePage() {
  const texts = useTexts("generation");
  const { data: usage, error, refetch } = useUsage();
  return (
    <Page title={texts.usage} intro={texts.usageIntro}>
      <GenerationTabs current="usage" />
      {usage === undefined && (error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />)}
      {usage !== undefined && <Windows usage={usage} />}
      <LatestChart />
    </Page>
  );
}

function Windows({ usage }: { readonly usage: Usage }) {
  const texts = useTexts("generation");
  return (
    <Section title={texts.planTitle} intro={texts.planHelp}>
      <Facts facts={[[texts.plan, texts.plans[usage.plan] ?? usage.plan]]} />
      <div className="gen-windows">
        <Meter label={texts.thisHour} window={usage.hour} />
        <Meter label={texts.thisMinute} window={usage.minute} />
      </div>
    </Section>
  );
}

/** From here on it is worth a warning. */
const nearlyAll = 0.8;

function Meter({ label, window: { limit, used, resetAt } }: { readonly label: string; readonly window: UsageWindow }) {
  const texts = useTexts("generation");
  const { locale, timeZone } = useLanguage();
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  const words = texts.usedOf(used, limit);
  const reset = new Intl.DateTimeFormat(locale, { timeStyle: "short", timeZone }).format(new Date(resetAt));
  return (
    <div className="gen-meter">
      <strong>{label}</strong>
      <div className="gen-bar" aria-hidden="true">
        <span
          data-part={share >= 1 ? "failed" : share >= nearlyAll ? "cancelled" : "used"}
          style={{ width: `${100 * share}%` }}
        />
      </div>
      <p>{words}</p>
      <p className="gen-aside">{texts.resetAt(reset)}</p>
    </div>
  );
}
