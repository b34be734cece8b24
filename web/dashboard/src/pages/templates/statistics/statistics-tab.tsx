import { useTexts } from "../../../texts/texts.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Loaded } from "../../access/loaded.tsx";
import type { TemplateTabProps } from "../template-tab.ts";
import { DecisionsByDay } from "./decisions-by-day.tsx";
import { type Stats, type StatsFilter, useStats } from "./stats.ts";
import { StatsBreakdown } from "./stats-breakdown.tsx";
import { StatsFilters, useFilter } from "./stats-filters.tsx";
import { StatsNumbers } from "./stats-numbers.tsx";
import "../../access/access.css";
import "./statistics.css";

/** What became of a template: how many have seen, accepted and declined it, in which versions and languages. */
export function StatisticsTab({ templateId }: TemplateTabProps) {
  const filter = useFilter();
  const stats = useStats(templateId, filter);
  return (
    <div className="stats" aria-busy={stats.isFetching}>
      <StatsFilters templateId={templateId} filter={filter} />
      <Loaded query={stats}>{(found) => <Found stats={found} filter={filter} />}</Loaded>
    </div>
  );
}

function Found({ stats, filter }: { readonly stats: Stats; readonly filter: StatsFilter }) {
  const texts = useTexts("statistics");
  const { sessions, acceptances, declines, renders } = stats;
  if (sessions.created + acceptances.total + declines + renders === 0) {
    const isNarrowed = Object.values(filter).some(Boolean);
    return (
      <EmptyState
        title={isNarrowed ? texts.nothingFound : texts.nothing}
        text={isNarrowed ? texts.nothingFoundText : texts.nothingText}
      />
    );
  }
  return (
    <>
      <StatsNumbers stats={stats} />
      <DecisionsByDay days={stats.byDay} filter={filter} />
      <StatsBreakdown stats={stats} />
    </>
  );
}
