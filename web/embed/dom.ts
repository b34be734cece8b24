type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Makes an element. `true` stands for an attribute without a value; attributes that are undefined or false are left out. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly (Node | string | undefined)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

export function setAttribute(element: Element, name: string, value: string | number | boolean | undefined): void {
  if (value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : String(value));
}

/** A shadow root with styles that no Content-Security-Policy of the page can refuse. */
export function shadowWithStyles(host: HTMLElement, css: string): ShadowRoot {
  const shadow = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  shadow.adoptedStyleSheets = [sheet];
  return shadow;
}

/** `sha256:<hex>`; undefined on pages without https, where browsers do not hash. */
export async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  if (globalThis.crypto?.subtle === undefined) return undefined;
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return `sha256:${[...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Runs once, as soon as any part of the element can be seen. */
export function whenSeen(element: Element, run: () => void): () => void {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    run();
  });
  observer.observe(element);
  return () => observer.disconnect();
}

/** A document of its own in which nothing runs or loads. */
export const parseInert = (html: string): Document => new DOMParser().parseFromString(trusted(html), "text/html");

/**
 * Parses the text of a rendering. Undefined when it has anything that may run, load or imitate our own controls: the
 * server never sends that, and a text that was cleaned up here would not be the one that is recorded.
 */
export function parseSafeHtml(html: string): DocumentFragment | undefined {
  const parsed = parseInert(html);
  if (parsed.head.childNodes.length > 0) return undefined;
  for (const element of parsed.body.querySelectorAll("*")) if (!isSafe(element)) return undefined;
  const fragment = document.createDocumentFragment();
  fragment.append(...parsed.body.childNodes);
  return fragment;
}

const elements = new Set(
  `a abbr address article aside b bdi bdo blockquote br caption cite code col colgroup dd del dfn div dl dt em
  figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark ol p pre q rp rt ruby s samp section
  small span strong sub sup table tbody td tfoot th thead time tr u ul var wbr`.split(/\s+/),
);

const attributes = new Set(
  `href hreflang rel target cite span datetime src alt width height value start type reversed colspan rowspan headers
  align scope abbr id class lang dir title`.split(/\s+/),
);

function isSafe(element: Element): boolean {
  if (element.namespaceURI !== "http://www.w3.org/1999/xhtml" || !elements.has(element.localName)) return false;
  return [...element.attributes].every(({ name, value }) => attributes.has(name) && isSafeValue(name, value));
}

function isSafeValue(name: string, value: string): boolean {
  if (name === "href") return /^(#|https:\/\/|mailto:|tel:)/i.test(value);
  if (name === "src") return /^data:image\/(png|jpeg|gif|webp);/i.test(value);
  return name !== "target" || value === "_blank";
}

type Policy = { createHTML(html: string): unknown };
type PolicyFactory = { createPolicy(name: string, rules: { createHTML(html: string): string }): Policy };

let policy: Policy | undefined;

/** Pages that demand Trusted Types name the policy `assent` in their Content-Security-Policy. */
function trusted(html: string): string {
  const factory = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes;
  if (factory === undefined) return html;
  // Parsed nodes stay in a document without scripts until they have been checked.
  policy ??= factory.createPolicy("assent", { createHTML: (text) => text });
  return policy.createHTML(html) as string;
}
