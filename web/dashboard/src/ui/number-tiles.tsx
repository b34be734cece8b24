import type { ReactNode } from "react";
import "./chart.css";

export interface NumberTile {
  readonly name: string;
  readonly value: ReactNode;
  /** What the number means, or how it comes about. */
  readonly hint?: ReactNode;
}

/** Numbers that are to be seen at a glance. */
export function NumberTiles({ tiles }: { readonly tiles: readonly NumberTile[] }) {
  return (
    <dl className="tiles">
      {tiles.map(({ name, value, hint }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <strong>{value}</strong>
            {hint && <small>{hint}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
