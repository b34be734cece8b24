import type { Decision } from "./acceptance.ts";
import type { DecisionHandler } from "./handover.ts";
import { mount } from "./mount.ts";

/**
 * Adds the controls to a page that the API has rendered for a frame. What the person decides is told to the page around
 * it, as a message of { type: "assent:accept" | "assent:decline", acceptance, idempotencyKey }.
 */
export function mountPage(): void {
  const data = document.querySelector("script[data-assent-rendering]");
  const place = document.querySelector("[data-assent-controls]");
  if (data === null || place === null || mounted.has(place) || window.parent === window) return;
  mounted.add(place);
  document.querySelector("[data-assent-text]")?.remove();
  place.replaceChildren();
  mount(place, {
    rendering: JSON.parse(data.textContent ?? "") as unknown,
    display: "FULL_PAGE",
    colorScheme: "auto",
    showTitle: false,
    onAccept: tell("ACCEPT"),
    onDecline: tell("DECLINE"),
  });
}

const mounted = new WeakSet<Element>();

/** The page's own policy decides who can frame it, so whoever does may know. */
const tell =
  (decision: Decision): DecisionHandler =>
  (acceptance, { idempotencyKey }) =>
    window.parent.postMessage({ type: `assent:${decision.toLowerCase()}`, acceptance, idempotencyKey }, "*");
