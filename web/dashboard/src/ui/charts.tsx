import "./chart.css";
import { type ReactNode, useMemo } from "react";
import { useLanguage, useTexts } from "../texts/texts.tsx";
import { Table } from "./table.tsx";

interface ChartBar {
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

interface ChartPoint {
  readonly id: string;
  /** In full, such as a day with its year. */
  readonly title: string;
  /** Below the column; short. */
  readonly axis: string;
  /** In the order of the series. */
  readonly values: readonly number[];
}

interface ChartColumnsProps {
  /** What is shown, for those who do not see it. */
  readonly label: string;
  /** What the points are, as the head of a column: "Hour". */
  readonly pointName: string;
  /** The first stands below, the second on it. */
  readonly series: readonly string[];
  readonly points: readonly ChartPoint[];
}

const height = 100;
const slot = 10;
/** Few columns are not made as broad as the page. */
const broad = 12;
const tones = ["chart-first", "chart-second"] as const;

/** Columns that are stacked, in equal steps; the same numbers can be read as a table. */
export function ChartColumns({ label, pointName, series, points }: ChartColumnsProps) {
  const { asTable } = useTexts("common");
  const numbers = useNumbers();
  const top = Math.max(1, ...points.map(({ values }) => values.reduce((sum, value) => sum + value, 0)));
  return (
    <figure className="chart">
      <figcaption className="chart-legend">
        {series.map((name, index) => (
          <span key={name} className={tones[index]}>
            {name}
          </span>
        ))}
        <span className="chart-top" aria-hidden="true">
          {numbers.count(top)}
        </span>
      </figcaption>
      <svg
        className="chart-columns"
        role="img"
        aria-label={label}
        viewBox={`0 0 ${points.length * slot} ${height}`}
        preserveAspectRatio="none"
      >
        {points.map((point, index) => (
          <Column key={point.id} point={point} index={index} count={points.length} top={top} />
        ))}
      </svg>
      <Axis points={points} />
      <details className="chart-table">
        <summary>{asTable}</summary>
        <Table
          label={label}
          columns={[
            { id: "point", title: pointName, cell: ({ title }) => title },
            ...series.map((name, index) => ({
              id: name,
              title: name,
              align: "end" as const,
              cell: ({ values }: ChartPoint) => numbers.count(values[index] ?? 0),
            })),
          ]}
          rows={points}
          rowKey={({ id }) => id}
          empty={null}
        />
      </details>
    </figure>
  );
}

interface ColumnProps {
  readonly point: ChartPoint;
  readonly index: number;
  readonly count: number;
  readonly top: number;
}

function Column({ point: { title, values }, index, count, top }: ColumnProps) {
  const { count: written } = useNumbers();
  const width = slot * Math.min(0.8, count / broad);
  // Whatever there is can be seen, be it ever so little.
  const heights = values.map((value) => (value === 0 ? 0 : Math.max(1.5, (value / top) * height)));
  return (
    <g>
      <title>{`${title}: ${values.map(written).join(" / ")}`}</title>
      <rect className="chart-back" x={index * slot} y={0} width={slot} height={height} />
      {heights.map((own, series) => {
        const below = heights.slice(0, series).reduce((sum, one) => sum + one, 0);
        const x = index * slot + (slot - width) / 2;
        return (
          <rect
            key={tones[series]}
            className={tones[series]}
            x={x}
            y={Math.max(0, height - below - own)}
            width={width}
            height={own}
          />
        );
      })}
    </g>
  );
}

/** As many words as there is room for on a phone. */
function Axis({ points }: { readonly points: readonly ChartPoint[] }) {
  const places = [...new Set([0, Math.floor((points.length - 1) / 2), points.length - 1])];
  return (
    <div className={places.length === 1 ? "chart-axis chart-axis-one" : "chart-axis"} aria-hidden="true">
      {places.map((place) => (
        <span key={place}>{points[place]?.axis}</span>
      ))}
    </div>
  );
}

/** Numbers as the person writes them. */
export function useNumbers() {
  const { locale } = useLanguage();
  return useMemo(() => {
    const counts = new Intl.NumberFormat(locale);
    const shares = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
    return {
      count: (value: number): string => counts.format(value),
      /** Of a number between 0 and 1. */
      share: (value: number): string => shares.format(value),
    };
  }, [locale]);
}
