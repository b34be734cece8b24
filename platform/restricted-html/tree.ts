/** Where something stands in its source, in UTF-16 code units. */
export interface SourceRange {
  /** 0-based. */
  readonly offset: number;
  readonly length: number;
}

export interface HtmlAttribute {
  readonly name: string;
  /** Decoded. */
  readonly value: string;
}

export interface HtmlText {
  readonly kind: "text";
  /** Decoded. Never empty, and never beside another text. */
  readonly text: string;
  readonly source: SourceRange;
}

export interface HtmlElement {
  readonly kind: "element";
  /** In lower case. */
  readonly name: string;
  readonly attributes: readonly HtmlAttribute[];
  readonly children: readonly HtmlNode[];
  /** Of its start tag; empty for an element that the source implies, such as tbody. */
  readonly source: SourceRange;
}

export type HtmlNode = HtmlText | HtmlElement;
