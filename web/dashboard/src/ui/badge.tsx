import type { ReactNode } from "react";
import type { Tone } from "./states.tsx";
import "./notice.css";

export function Badge({ tone = "info", children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return <span className={`badge badge-${tone}`}>{children}</span>;
}
