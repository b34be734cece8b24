export const pageSizes = ["a4", "a5", "letter", "legal"] as const;
export type PageSize = (typeof pageSizes)[number];

export const orientations = ["portrait", "landscape"] as const;
export type Orientation = (typeof orientations)[number];

export const fontFamilies = ["sans", "serif"] as const;
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
