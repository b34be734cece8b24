/** A template as its author wrote it: Liquid in restricted HTML, in Markdown or in a Word file. */
export interface TemplateSource {
  readonly format: "html" | "markdown" | "docx";
  /** Of a Word file its address, which begins with `asset:`. */
  readonly content: string;
  /** The bytes of a Word file, for those who read what is in it. */
  readonly file?: Uint8Array | undefined;
}

/** JSON Schema 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** What is wrong with a template or with data. */
export interface Finding {
  /** In lower_snake, such as unknown_tag. */
  readonly code: string;
  readonly message: string;
  /** 1-based; 0 when the finding has no place in the content. */
  readonly line: number;
  readonly column: number;
  /** JSON pointer into the data (RFC 6901), for findings about data. */
  readonly path?: string;
  readonly expected?: string;
}
