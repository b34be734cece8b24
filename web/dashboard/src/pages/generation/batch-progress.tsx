import { useTexts } from "../../texts/texts.tsx";
import type { Batch } from "./types.ts";
import "./charts.css";

const parts = ["completed", "failed", "cancelled"] as const;

/** How far it is; what has failed and what was cancelled stand out in the bar. */
export function BatchProgress({ counts }: Pick<Batch, "counts">) {
  const texts = useTexts("generation");
  const ended = counts.total - counts.queued;
  return (
    <div className="gen-progress">
      <div
        role="progressbar"
        aria-label={texts.progress}
        aria-valuemin={0}
        aria-valuemax={counts.total}
        aria-valuenow={ended}
        aria-valuetext={texts.outcomeOf(counts)}
        className="gen-bar"
      >
        {parts.map((part) => (
          <span key={part} data-part={part} style={{ width: `${(100 * counts[part]) / counts.total}%` }} />
        ))}
      </div>
      <p>{texts.outcomeOf(counts)}</p>
    </div>
  );
}
