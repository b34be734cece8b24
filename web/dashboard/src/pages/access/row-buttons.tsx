import type { ReactNode } from "react";
import "./access.css";

/** The buttons at the end of a row. */
export function RowButtons({ children }: { readonly children: ReactNode }) {
  return <div className="row-buttons">{children}</div>;
}
