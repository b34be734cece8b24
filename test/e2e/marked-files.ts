import { defaultPage, type RenderProfile } from "../../services/docgen/domain/page.ts";
import type { TypesetInput } from "../../services/docgen/typesetting/typesetter.ts";
import type { Mark } from "../../services/sign/completion/mark.ts";

const style = {
  ...{ family: "sans" as const, size: 0, bold: false, italic: false, underline: false },
  color: [0.5, 0, 0] as const,
};
const box = { page: 1, x: 60, y: 300, width: 150, height: 40 };

/** A red cross with nothing around it. */
const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==";

const signature = { font: "caveat", caption: "Ann Example, 2026-11-22 10:00 UTC" };

/** Of each kind one. */
export const allMarks: readonly Mark[] = [
  { ...box, kind: "text", text: "filled in", style },
  { ...box, y: 340, kind: "text", text: "serif", style: { ...style, family: "serif", italic: true } },
  { ...box, y: 380, kind: "text", text: "mono Ελ", style: { ...style, family: "mono", bold: true, underline: true } },
  { ...box, y: 420, kind: "text", text: "王小明", style },
  { ...box, y: 460, kind: "text", text: "משה כהן", style },
  { ...box, y: 500, kind: "signature", text: "Ann Example", ...signature },
  { ...box, y: 550, kind: "image", png, text: "Ann", ...signature },
  { ...box, y: 600, width: 12, height: 12, kind: "check", isRound: false },
  { ...box, y: 620, width: 12, height: 12, kind: "check", isRound: true },
];

const html = `<h1>Contract</h1><p>I pay 100 EUR.</p>
<table><thead><tr><th scope="col">Part</th></tr></thead><tbody><tr><td>One</td></tr></tbody></table>`;

export const typesetInput = (profile: RenderProfile): TypesetInput => ({
  ...{ html, title: "Contract", page: defaultPage, locale: "en", profile },
  ...{ createdAt: new Date(0), images: new Map(), attachments: [] },
});
