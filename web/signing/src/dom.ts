import { visibleText } from "#platform/visible-text.ts";

type Child = Node | string | null;

type Properties = Readonly<Record<string, string | boolean | number | ((event: never) => void)>>;

/** An element with properties, attributes and listeners (`onclick`), and what is in it. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value === "function") made.addEventListener(key.slice(2), value as EventListener);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false) made.setAttribute(key, String(value));
  }
  // Texts of the sender and of others: what they hide is named.
  const shown = children.filter((child) => child !== null);
  made.append(...shown.map((child) => (typeof child === "string" ? visibleText(child) : child)));
  return made;
}

/** Shows these instead of what was there. */
export function show(...children: readonly Node[]): void {
  document.getElementById("app")?.replaceChildren(...children);
  window.scrollTo(0, 0);
}

export const button = (
  text: string,
  onclick: (event: Event) => void,
  kind: "primary" | "plain" | "danger" = "plain",
): HTMLButtonElement => element("button", { type: "button", class: `button ${kind}`, onclick }, text);

/** Keeps a button from being pressed again while its work runs. */
export async function whileBusy(pressed: HTMLButtonElement, work: () => Promise<void>): Promise<void> {
  if (pressed.getAttribute("aria-busy") === "true") return;
  pressed.setAttribute("aria-busy", "true");
  try {
    await work();
  } finally {
    pressed.removeAttribute("aria-busy");
  }
}
