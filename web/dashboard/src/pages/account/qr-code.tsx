import { useMemo } from "react";
import { qrMatrix } from "./qr/matrix.ts";
import "./account.css";

/** What readers need around a symbol. */
const quietZone = 4;

/** A QR code, drawn here: the text goes nowhere. Nothing for a text that is too long for one. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const matrix = useMemo(() => qrMatrix(text), [text]);
  if (matrix === undefined) return null;
  const size = matrix.length + 2 * quietZone;
  return (
    <svg className="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#ffffff" />
      <path d={pathOf(matrix)} fill="#000000" />
    </svg>
  );
}

const pathOf = (matrix: readonly (readonly boolean[])[]): string =>
  matrix
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + quietZone} ${y + quietZone}h1v1h-1z` : "")))
    .join("");
