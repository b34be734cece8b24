import type { FieldProblem } from "#platform/errors.ts";
import { defined } from "#platform/json-object.ts";
import { lineProblems, problem, refuse } from "./problems.ts";

const pageSizes = ["a4", "a5", "letter", "legal"] as const;
type PageSize = (typeof pageSizes)[number];

const orientations = ["portrait", "landscape"] as const;
export type Orientation = (typeof orientations)[number];

const fontFamilies = ["sans", "serif"] as const;
export type FontFamily = (typeof fontFamilies)[number];

/** The page of a document; complete, with the defaults filled in. */
export interface Page {
  readonly size: PageSize;
  readonly orientation: Orientation;
  /** Millimetres. */
  readonly margins: Margins;
  /** One line at the top of each page; `{page}` and `{pages}` are the numbers. Empty for none. */
  readonly header: string;
  readonly footer: string;
  readonly font: FontFamily;
}

export interface Margins {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

export const defaultPage: Page = {
  size: "a4",
  orientation: "portrait",
  margins: { top: 25, right: 25, bottom: 25, left: 25 },
  header: "",
  footer: "{page} / {pages}",
  font: "sans",
};

/** A page as an author writes it: any string in any of its members, all of them optional. */
export interface PageChanges {
  readonly size?: string | undefined;
  readonly orientation?: string | undefined;
  readonly margins?: { readonly [side in keyof Margins]?: number | undefined } | undefined;
  readonly header?: string | undefined;
  readonly footer?: string | undefined;
  readonly font?: string | undefined;
}

/** Width and height in millimetres in portrait orientation. */
export const paperMillimetres: Readonly<Record<PageSize, readonly [width: number, height: number]>> = {
  a4: [210, 297],
  a5: [148, 210],
  letter: [215.9, 279.4],
  legal: [215.9, 355.6],
};

const maxMargin = 100;
const minText = 40;
const maxLineLength = 500;

/** The page with these changes; throws GEN_INVALID_REQUEST when the result is not a valid page. */
export function changePage(base: Page, changes: PageChanges): Page {
  const stated = defined(changes);
  const page = { ...base, ...stated, margins: { ...base.margins, ...defined(changes.margins ?? {}) } };
  const problems = [
    ...choiceProblems("page.size", page.size, pageSizes),
    ...choiceProblems("page.orientation", page.orientation, orientations),
    ...choiceProblems("page.font", page.font, fontFamilies),
    ...edgeProblems("page.header", page.header),
    ...edgeProblems("page.footer", page.footer),
    ...marginProblems(page.margins),
  ];
  refuse(problems);
  const checked = page as Page;
  refuse(roomProblems(checked));
  return checked;
}

const choiceProblems = (field: string, value: string, choices: readonly string[]): FieldProblem[] =>
  choices.includes(value) ? [] : [problem(field, "NOT_ALLOWED", `must be one of ${choices.join(", ")}`)];

const edgeProblems = (field: string, text: string): FieldProblem[] =>
  Array.from(text).length > maxLineLength
    ? [problem(field, "TOO_LONG", `must have at most ${maxLineLength} characters`)]
    : lineProblems(field, text);

const marginProblems = (margins: Margins): FieldProblem[] =>
  Object.entries(margins).flatMap(([side, value]: [string, number]) =>
    // Comparisons with NaN are always false.
    value >= 0 && value <= maxMargin
      ? []
      : [problem(`page.margins.${side}`, "OUT_OF_RANGE", `must be 0 to ${maxMargin} millimetres`)],
  );

function roomProblems({ size, orientation, margins }: Page): FieldProblem[] {
  const [short, long] = paperMillimetres[size];
  const [width, height] = orientation === "portrait" ? [short, long] : [long, short];
  const hasRoom = width - margins.left - margins.right >= minText && height - margins.top - margins.bottom >= minText;
  return hasRoom
    ? []
    : [problem("page.margins", "OUT_OF_RANGE", `must leave at least ${minText} millimetres of text in each direction`)];
}

/** The kinds of PDF that customers may ask for. */
export const profiles = ["pdf", "pdf/a-2a", "pdf/ua-1"] as const;
export type Profile = (typeof profiles)[number];

/** PDF/A-3 is for other services of the product, which attach files. */
export type RenderProfile = Profile | "pdf/a-3a";
