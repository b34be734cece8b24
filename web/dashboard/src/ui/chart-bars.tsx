import type { ReactNode } from "react";
import { useNumbers } from "./use-numbers.ts";
import "./chart.css";

export interface ChartBar {
  readonly id: string;
  readonly label: ReactNode;
  readonly value: number;
}

/** Numbers that are compared by lying bars. */
export function ChartBars({ label, bars }: { readonly label: string; readonly bars: readonly ChartBar[] }) {
  const { count } = useNumbers();
  const top = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <ul className="chart-bars" aria-label={label}>
      {bars.map(({ id, label: name, value }) => (
        <li key={id}>
          <span>{name}</span> <strong>{count(value)}</strong>
          <Bar share={value / top} />
        </li>
      ))}
    </ul>
  );
}

interface ChartMeterProps {
  readonly label: string;
  readonly value: number;
  readonly limit: number;
  /** The same in words, such as "17 of 600". */
  readonly words: string;
}

/** How much of something that has an end is used. */
export function ChartMeter({ label, value, limit, words }: ChartMeterProps) {
  const share = limit === 0 ? 1 : Math.min(1, value / limit);
  return (
    <div className="chart-meter">
      <span>{label}</span> <span>{words}</span>
      <Bar share={share} isFull={share >= nearlyFull} />
    </div>
  );
}

const nearlyFull = 0.9;

function Bar({ share, isFull = false }: { readonly share: number; readonly isFull?: boolean }) {
  return (
    <svg className="chart-bar" aria-hidden="true" viewBox="0 0 100 1" preserveAspectRatio="none">
      <rect className="chart-track" width={100} height={1} />
      {share > 0 && (
        <rect className={isFull ? "chart-second" : "chart-first"} width={Math.max(1, share * 100)} height={1} />
      )}
    </svg>
  );
}
