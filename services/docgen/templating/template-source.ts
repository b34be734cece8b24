/** A template as its author wrote it: Liquid in restricted HTML or in Markdown. */
export interface TemplateSource {
  readonly format: "html" | "markdown";
  readonly content: string;
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
