/** Something drawn onto a page. Points from the upper left corner of the page as displayed. */
export type Mark = Box &
  (
    | { readonly kind: "text"; readonly text: string; readonly style: MarkStyle }
    | { readonly kind: "signature"; readonly text: string; readonly font: string; readonly caption: string }
    /** Base64 PNG, and the text to draw if the PNG cannot be read. */
    | {
        readonly kind: "image";
        readonly png: string;
        readonly text: string;
        readonly font: string;
        readonly caption: string;
      }
    | { readonly kind: "check"; readonly isRound: boolean }
  );

export interface Box {
  /** Starts at 1. */
  readonly page: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface MarkStyle {
  readonly family: "sans" | "serif" | "mono";
  /** Points; 0 to fit the box. */
  readonly size: number;
  /** Red, green and blue from 0 to 1. */
  readonly color: readonly [number, number, number];
  readonly bold: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
}
