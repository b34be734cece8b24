import { useTexts } from "../texts/texts.tsx";
import { Table } from "./table.tsx";
import { useNumbers } from "./use-numbers.ts";
import "./chart.css";

export interface ChartPoint {
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
