import { el } from "./dom.ts";
import type { Recorder } from "./recorder.ts";
import type { DisplayMode, DocumentToOpen, Rendering } from "./rendering.ts";
import type { TextView } from "./text.ts";
import type { Words } from "./words.ts";

/** Documents that belong to the text and are shown beside it. */
export interface Documents {
  readonly element: HTMLElement;
  readonly toOpen: readonly DocumentToOpen[];
}

export function createDocuments({ documents }: Rendering, recorder: Recorder, words: Words): Documents | undefined {
  const usable = documents.filter(({ url }) => /^https:\/\//i.test(url));
  if (usable.length === 0) return undefined;
  const links = usable.map(({ name, url, mustRead }) => {
    const target = el("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, name);
    target.append(el("span", { class: "unseen" }, ` (${words.newTab})`));
    for (const type of ["click", "auxclick"]) target.addEventListener(type, () => recorder.opened(name));
    return { name, mustRead, target };
  });
  const mustRead = links.filter((link) => link.mustRead);
  const list = el("ul", {}, ...links.map(({ target }) => el("li", {}, target)));
  return {
    element: el("div", { class: "documents" }, el("p", {}, words.documents), list),
    toOpen: (mustRead.length > 0 ? mustRead : links).map(({ name, target }) => ({ name, anyOf: [name], target })),
  };
}

/** What has to be opened: the documents beside the text; for a LINK the text itself; otherwise what the text links to. */
export function documentsToOpen(facts: {
  readonly rendering: Rendering;
  readonly displayMode: DisplayMode;
  readonly text: TextView;
  readonly readButton: HTMLElement;
  readonly documents: readonly DocumentToOpen[];
}): readonly DocumentToOpen[] {
  const { rendering, displayMode, text, readButton, documents } = facts;
  if (documents.length > 0) return documents;
  const { title } = rendering;
  if (displayMode === "LINK") return [{ name: title, anyOf: [title], target: readButton }];
  const name = text.links.length === 1 ? (text.links[0] ?? title) : title;
  return text.links.length > 0 ? [{ name, anyOf: text.links, target: text.element }] : [];
}
