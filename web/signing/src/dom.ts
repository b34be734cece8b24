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

/** Small drawings, 16 by 16, in the colour of the text beside them; what they mean is said in words. */
const drawings = {
  pen: "M2 14l1-4 8-8 3 3-8 8zM9.5 3.5l3 3",
  clip: "M13 7l-5.5 5.5a3 3 0 0 1-4.3-4.3L9 2.5a2 2 0 0 1 3 3L6.5 11a1 1 0 0 1-1.5-1.5L10 4.5",
  tick: "M3 8.5l3.5 3.5L13 4.5",
  cross: "M4 4l8 8M12 4l-8 8",
} as const;

export function icon(name: keyof typeof drawings): SVGElement {
  const namespace = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(namespace, "svg");
  drawing.setAttribute("viewBox", "0 0 16 16");
  drawing.setAttribute("class", "icon");
  drawing.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(namespace, "path");
  path.setAttribute("d", drawings[name]);
  drawing.append(path);
  return drawing;
}
