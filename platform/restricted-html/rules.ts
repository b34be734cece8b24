/** What the value of an attribute may be. */
export type AttributeRule =
  /** Any text of at most this many characters. */
  | { readonly kind: "text"; readonly maxLength: number }
  /** Letters, digits and `_.:-`, for something that others refer to. */
  | { readonly kind: "name" }
  | { readonly kind: "integer"; readonly min: number; readonly max: number }
  /** One of these, in any case. */
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  /** Some of these, separated by blanks, in any case. */
  | { readonly kind: "choices"; readonly choices: readonly string[] }
  /** An address that somebody may go to. Places in the text itself (`#`) are allowed unless told otherwise. */
  | { readonly kind: "link"; readonly fragments?: boolean }
  /** An address from which something is loaded. */
  | { readonly kind: "resource" }
  /** What a function finds nothing wrong with; it answers the end of a sentence that begins with the attribute. */
  | { readonly kind: "custom"; problem(value: string): string | undefined };

export type AttributeRules = Readonly<Record<string, AttributeRule>>;

/** What a restricted HTML may have. Everything that is not named is refused. */
export interface HtmlRules {
  /** The elements with the attributes that only they have. */
  readonly elements: Readonly<Record<string, AttributeRules>>;
  /** The attributes that every element may have. */
  readonly attributes: AttributeRules;
  /** Of links, lower case. */
  readonly linkSchemes: readonly string[];
  /** Of resources, lower case. */
  readonly resourceSchemes: readonly string[];
  /** Deeper nesting is refused. Browsers flatten what is deeper than 512. */
  readonly maxDepth: number;
  /** True when comments are allowed; they are not in the tree. */
  readonly comments?: boolean;
  /** True when every element that has content has to have its end tag, also those that browsers end by themselves. */
  readonly endTags?: boolean;
}

const text = (maxLength: number): AttributeRule => ({ kind: "text", maxLength });
const integer = (min: number, max: number): AttributeRule => ({ kind: "integer", min, max });
const choice = (...choices: string[]): AttributeRule => ({ kind: "choice", choices });
const choices = (...of: string[]): AttributeRule => ({ kind: "choices", choices: of });
const link: AttributeRule = { kind: "link" };

const cell: AttributeRules = {
  colspan: integer(1, 1000),
  rowspan: integer(0, 1000),
  headers: text(500),
  align: choice("left", "center", "right", "justify"),
};

const withoutOwnAttributes =
  `abbr address article aside b bdi br caption cite code dd dfn div dl dt em figcaption figure
  footer h1 h2 h3 h4 h5 h6 header hr i kbd main mark p pre rp rt ruby s samp section small span strong sub sup table
  tbody tfoot thead tr u ul var wbr`.split(/\s+/);

/**
 * The HTML of a document to be read: headings, paragraphs, lists, tables, links, emphasis. Nothing that runs, loads,
 * asks, moves, hides (style, details, hidden, bdo), or says something else to a screen reader (aria-label) than it shows.
 */
export const documentRules: HtmlRules = {
  elements: {
    ...Object.fromEntries(withoutOwnAttributes.map((name) => [name, {}])),
    a: {
      href: link,
      hreflang: text(100),
      rel: choices("noopener", "noreferrer", "nofollow", "external", "license", "author", "help"),
      target: choice("_blank"),
    },
    blockquote: { cite: link },
    col: { span: integer(1, 1000) },
    colgroup: { span: integer(1, 1000) },
    del: { cite: link, datetime: text(100) },
    img: { src: { kind: "resource" }, alt: text(1000), width: integer(0, 10_000), height: integer(0, 10_000) },
    ins: { cite: link, datetime: text(100) },
    li: { value: integer(-999_999_999, 999_999_999) },
    ol: {
      start: integer(-999_999_999, 999_999_999),
      type: choice("1", "a", "i"),
      reversed: choice("", "reversed"),
    },
    q: { cite: link },
    td: cell,
    th: { ...cell, scope: choice("row", "col", "rowgroup", "colgroup"), abbr: text(255) },
    time: { datetime: text(100) },
  },
  attributes: {
    id: { kind: "name" },
    class: text(500),
    lang: text(100),
    dir: choice("ltr", "rtl", "auto"),
    title: text(1000),
  },
  linkSchemes: ["https", "mailto", "tel"],
  // An image from elsewhere can change after the text was agreed to.
  resourceSchemes: [],
  maxDepth: 100,
};
