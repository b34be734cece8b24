/** What cannot end anywhere within itself: letters that may be hyphenated, any characters, or a part of what is longer. */
export type LongWord = "word" | "string" | "part";
/** What a document consists of, as document.typ reads it: plain JSON in which every text is a value. */

export type Align = "left" | "center" | "right" | "justify" | "start" | "end";

/** How text looks, whatever block or run it stands in. */
export interface Marks {
  readonly strong?: true;
  readonly em?: true;
  readonly underline?: true;
  readonly strike?: true;
  readonly code?: true;
  readonly small?: true;
  readonly muted?: true;
  readonly number?: true;
  readonly shift?: "sub" | "super";
  /** A word that is not divided. */
  readonly whole?: true;
}

export type Run =
  | { readonly kind: "text"; readonly text: string; readonly marks: Marks; readonly long?: LongWord }
  /** A symbol that none of the fonts has and that is drawn instead. */
  | { readonly kind: "symbol"; readonly symbol: string; readonly marks: Marks }
  | { readonly kind: "break" }
  | { readonly kind: "image"; readonly image: Picture }
  | { readonly kind: "link"; readonly url: string; readonly runs: readonly Run[] };

/** A length in millimetres or a part of the width that there is. */
export type Width = { readonly mm: number } | { readonly percent: number };

export interface Picture {
  /** Where the compiler finds its bytes. */
  readonly path: string;
  /** Absent for a decoration, which screen readers pass over. */
  readonly alt?: string;
  readonly isDecoration: boolean;
  readonly width: Width;
}

export interface Look {
  readonly align?: Align;
  readonly small?: true;
  readonly muted?: true;
  readonly lead?: true;
  readonly number?: true;
  /** Stays on one page when it fits on one. */
  readonly keep?: true;
  /** It surely fits on one, so that nobody has to measure. */
  readonly fitting?: true;
  /** Does not end a page: the next block belongs to it. */
  readonly stick?: true;
}

export type Block =
  | { readonly kind: "paragraph"; readonly look: Look; readonly runs: readonly Run[]; readonly hasLongWords?: true }
  | {
      readonly kind: "heading";
      readonly look: Look;
      /** As it is written; decides how it looks. */
      readonly level: number;
      /** Its place in the outline, which begins with 1 and skips nothing. */
      readonly rank: number;
      readonly runs: readonly Run[];
      readonly hasLongWords?: true;
    }
  | { readonly kind: "list"; readonly look: Look; readonly list: List }
  | { readonly kind: "table"; readonly look: Look; readonly table: Table }
  | { readonly kind: "quote"; readonly look: Look; readonly blocks: readonly Block[] }
  | { readonly kind: "preformatted"; readonly look: Look; readonly runs: readonly Run[]; readonly hasLongWords?: true }
  | { readonly kind: "picture"; readonly look: Look; readonly image: Picture }
  | { readonly kind: "rule"; readonly look: Look }
  | { readonly kind: "page-break"; readonly look: Look }
  /** Lines that were left empty on purpose. */
  | { readonly kind: "space"; readonly look: Look; readonly lines: number }
  | { readonly kind: "group"; readonly look: Look; readonly blocks: readonly Block[] }
  | { readonly kind: "frame"; readonly look: Look; readonly blocks: readonly Block[] }
  | { readonly kind: "signature"; readonly look: Look; readonly blocks: readonly Block[] }
  | { readonly kind: "columns"; readonly look: Look; readonly columns: readonly (readonly Block[])[] };

export interface List {
  /** The number or letter of each item; absent for bullets. */
  readonly labels?: readonly string[];
  readonly isPlain: boolean;
  /** Items of one line each stand closer to each other. */
  readonly isTight: boolean;
  readonly items: readonly (readonly Block[])[];
}

export interface Table {
  readonly columns: readonly Column[];
  readonly width?: Width;
  readonly rules: "rows" | "all" | "none";
  readonly isStriped: boolean;
  readonly isCompact: boolean;
  /** Repeated on each page. */
  readonly header: readonly Row[];
  readonly rows: readonly Row[];
}

export type Column = Width | { readonly weight: number } | { readonly fit: true };

/** Has no cell where one of a row above reaches into it. */
export type Row = readonly Cell[];

export interface Cell {
  readonly look: Look;
  readonly colspan: number;
  readonly rowspan: number;
  readonly isHeader: boolean;
  /** A cell without much in it is not divided between pages. */
  readonly isDivisible: boolean;
  readonly blocks: readonly Block[];
}
