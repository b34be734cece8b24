import { hasUnsafeCharacter } from "./text.ts";

/** Where an address leads, as browsers read it. */
export type Address =
  | { readonly kind: "fragment" }
  /** Lower case. */
  | { readonly kind: "scheme"; readonly scheme: string }
  /** Relative to whatever page it is shown on, or to the page's protocol. */
  | { readonly kind: "relative" }
  /** Nobody can say: browsers drop or replace some of its characters. */
  | { readonly kind: "unclear" };

/**
 * Reads the value of an attribute such as href. What browsers would clean up before they use it (blanks, tabs, line
 * ends, backslashes, control characters), what they cannot use, and what shows another host than the one that it leads
 * to is unclear.
 */
export function readAddress(value: string): Address {
  if (value.length > maxLength || hasUnsafeCharacter(value) || /[\s\\]/u.test(value)) return { kind: "unclear" };
  if (value.startsWith("#")) return { kind: "fragment" };
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(value)?.[0].toLowerCase();
  if (scheme === undefined) return { kind: "relative" };
  return isClear(value, scheme) ? { kind: "scheme", scheme } : { kind: "unclear" };
}

/** The scheme that browsers might see once they have dropped what they drop; undefined when there is none. */
export const schemeAfterCleaning = (value: string): string | undefined =>
  /^[a-z][a-z0-9+.-]*(?=:)/i.exec(value.slice(0, maxLength).replaceAll(/[\s\p{Cc}]/gu, ""))?.[0].toLowerCase();

const maxLength = 8192;

/** Web addresses are read leniently (`https:host`, `https:///host`): only the plain form with a host is clear. */
function isClear(value: string, scheme: string): boolean {
  const url = URL.parse(value);
  if (url === null) return false;
  if (scheme !== "https" && scheme !== "http") return true;
  return /^https?:\/\/[^/?#@]+(?:[/?#]|$)/i.test(value) && url.username === "" && url.password === "";
}
