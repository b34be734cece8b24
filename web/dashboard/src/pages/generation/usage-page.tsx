import type { GenDocument } from "#api/generation-documents.ts";
import type { Usage } from "#api/generation-templates.ts";
import "./charts.css";
import { Link } from "../../app/router.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Facts, Page, Section } from "../../ui/page.tsx";
import { EmptyState, ErrorState, Loading } from "../../ui/states.tsx";
import { GenerationTabs } from "./parts.tsx";
import { useLatestDocuments, useUsage } from "./queries.ts";

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

function Meter({
  label,
  window: { limit, used, resetAt },
}: {
  readonly label: string;
  readonly window: Usage["hour"];
}) {
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

const latest = 100;

/** How the newest documents came out, and how long each of them took. */
function LatestChart() {
  const texts = useTexts("generation");
  const { data: documents, error, refetch } = useLatestDocuments(latest);
  return (
    <Section
      title={texts.latestTitle(latest)}
      intro={texts.latestHelp}
      actions={<Link to="/generation/documents">{texts.allDocuments}</Link>}
    >
      {documents === undefined && (error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />)}
      {documents?.length === 0 && <EmptyState title={texts.noDocuments} text={texts.noDocumentsText} />}
      {documents !== undefined && documents.length > 0 && <Chart documents={documents} />}
    </Section>
  );
}

const height = 96;
const barWidth = 6;

function Chart({ documents }: { readonly documents: readonly GenDocument[] }) {
  const texts = useTexts("generation");
  const times = timesOf(documents);
  const longest = Math.max(1, times.at(-1) ?? 1);
  const failed = documents.filter(({ status }) => status === "failed").length;
  const facts = [
    [texts.rendered, String(times.length)],
    [texts.documentStates.failed, String(failed)],
    [texts.pages, String(documents.reduce((sum, { pages }) => sum + pages, 0))],
    [texts.median, texts.milliseconds(times[Math.floor((times.length - 1) / 2)] ?? 0)],
    [texts.longest, texts.milliseconds(times.at(-1) ?? 0)],
  ] as const;
  return (
    <>
      <svg
        className="gen-chart"
        role="img"
        aria-label={texts.chartWords(facts[3][1], facts[4][1])}
        viewBox={`0 0 ${latest * barWidth} ${height}`}
        preserveAspectRatio="none"
      >
        {[...documents].reverse().map((document, index) => {
          const bar = document.status === "failed" ? height : Math.max(2, (height * document.renderMs) / longest);
          return (
            <rect
              key={document.id}
              data-part={document.status === "failed" ? "failed" : "used"}
              x={index * barWidth + 1}
              y={height - bar}
              width={barWidth - 2}
              height={bar}
            />
          );
        })}
      </svg>
      <p className="gen-legend">
        <span data-part="used" /> {texts.legendTime} <span data-part="failed" /> {texts.documentStates.failed}
      </p>
      <Facts facts={facts} />
    </>
  );
}

/** In milliseconds, the shortest first. */
const timesOf = (documents: readonly GenDocument[]): number[] =>
  documents
    .filter(({ pages }) => pages > 0)
    .map(({ renderMs }) => renderMs)
    .sort((one, other) => one - other);
