type Child = Node | string | undefined;

/** Makes an element. Texts of a bundle come in as texts only, so that nothing in it can become part of the page. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | undefined>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** An element of the page itself. Throws when there is none. */
export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found as E;
}

/** Shows a text in a place that is hidden while there is none. */
export function say(place: HTMLElement, text: string): void {
  place.textContent = text;
  place.hidden = text === "";
}
