import { Link } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Facts, Section } from "../../ui/page.tsx";
import { useLatestDocuments } from "./queries.ts";
import type { GenDocument } from "./types.ts";
import "./charts.css";

const latest = 100;

/** How the newest documents came out, and how long each of them took. */
export function LatestChart() {
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
