import { DeliveryError } from "./handover.ts";
import { mount } from "./mount.ts";
import type { Mounted, MountOptions } from "./options.ts";
import { displayModeOf } from "./rendering.ts";

/** What the script offers to the page. */
export interface AssentApi {
  mount(element: Element, options: MountOptions): Mounted;
  /** Mounts every script tag with data-url that has not been mounted yet; returns what it mounted. */
  mountScripts(): readonly Mounted[];
  readonly DeliveryError: typeof DeliveryError;
}

const scope = globalThis as { Assent?: AssentApi };
const mounted = new WeakSet<Element>();

function mountScripts(): readonly Mounted[] {
  const scripts = [...document.querySelectorAll<HTMLScriptElement>("script[data-url]")];
  return scripts.filter(isOurs).map((script) => {
    mounted.add(script);
    return mount(placeOf(script), optionsOf(script.dataset));
  });
}

const isOurs = (script: HTMLScriptElement): boolean =>
  !mounted.has(script) && /\/embed(\.[\w-]+)?\.js([?#]|$)/.test(script.src);

/** The element that data-target names, or a new one where the script stands. */
function placeOf(script: HTMLScriptElement): Element {
  const { target } = script.dataset;
  const named = target === undefined ? null : document.querySelector(target);
  if (named !== null) return named;
  const place = document.createElement("div");
  if (document.head.contains(script)) document.body.prepend(place);
  else script.after(place);
  return place;
}

function optionsOf({ url, acceptUrl, display, open, colorScheme, language, userRef }: DOMStringMap): MountOptions {
  return {
    url,
    acceptUrl,
    userRef,
    language,
    display: displayModeOf(display),
    open: open === "manual" ? "manual" : "auto",
    colorScheme: colorScheme === "light" || colorScheme === "dark" || colorScheme === "auto" ? colorScheme : undefined,
  };
}

// A page may load the script twice; the first copy knows the elements that it has mounted.
scope.Assent ??= { mount, mountScripts, DeliveryError };
scope.Assent.mountScripts();
