/** A piece of trusted HTML. Only `markupWith` makes one of texts, so that a text can never become markup by accident. */
export class Markup {
  readonly html: string;

  constructor(html: string) {
    this.html = html;
  }
}

export type Piece = string | number | Markup | readonly Piece[];

export const nothing = new Markup("");

/** A template tag for HTML: inserts texts and numbers as `textHtml` writes them, and other markup as it is. */
export function markupWith(textHtml: (text: string) => string) {
  const htmlOf = (piece: Piece): string => {
    if (piece instanceof Markup) return piece.html;
    return typeof piece === "string" || typeof piece === "number"
      ? textHtml(String(piece))
      : piece.map(htmlOf).join("");
  };
  return (parts: TemplateStringsArray, ...values: readonly Piece[]): Markup =>
    new Markup(parts.reduce((html, part, index) => html + htmlOf(values[index - 1] ?? "") + part, ""));
}
