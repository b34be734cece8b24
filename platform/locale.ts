import type { ErrorCode } from "./errors.ts";
import { refusedField } from "./problems.ts";

/** Most requests name one of a few languages, and a look-up takes longer than checking the rest of a body. */
const known = new Map<string, string>();
const knownAtMost = 1_000;
const knownLength = 100;

/** The canonical form of a BCP 47 tag (`EN-us` is `en-US`, `iw` is `he`); undefined when it is not one. */
export function canonicalLocale(tag: string): string | undefined {
  const kept = known.get(tag);
  if (kept !== undefined) return kept;
  const found = lookUp(tag);
  if (found === undefined || tag.length > knownLength) return found;
  if (known.size >= knownAtMost) known.clear();
  known.set(tag, found);
  return found;
}

function lookUp(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** The canonical form; throws an error of this code for anything that is not a BCP 47 tag. */
export function parseLocale(field: string, tag: string, code: ErrorCode): string {
  const locale = canonicalLocale(tag);
  if (locale !== undefined) return locale;
  throw refusedField(field, "INVALID_LOCALE", "must be a BCP 47 language tag such as en or pt-BR", code);
}

/** True when two tags name the same locale, whatever their case and form. */
export const isSameLocale = (a: string, b: string): boolean => comparable(a) === comparable(b);

const comparable = (tag: string): string => (canonicalLocale(tag) ?? tag).toLowerCase();

/**
 * What of the published locales (canonical tags) is shown to somebody who asked for `wanted`: that or something more
 * general, else the same for each of the fallbacks, else the template's default, else the only one there is.
 */
export function chooseByLocale<T extends { readonly locale: string }>(
  published: readonly T[],
  wanted: string | undefined,
  defaultLocale: string,
  fallbacks: readonly string[] = [],
): T | undefined {
  for (const locale of [wanted, ...fallbacks]) {
    const found = matchLocale(published, locale);
    if (found !== undefined) return found;
  }
  const usual = published.find((version) => version.locale === defaultLocale);
  return usual ?? (published.length === 1 ? published[0] : undefined);
}

/** Exactly the locale, or with subtags dropped from the end (RFC 4647 §3.4). */
export function matchLocale<T extends { readonly locale: string }>(
  published: readonly T[],
  wanted: string | undefined,
): T | undefined {
  for (let tag = wanted && canonicalLocale(wanted); tag !== undefined; tag = shorter(tag)) {
    const found = published.find((version) => version.locale === tag);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Without its last subtag, and without a singleton that would then be last. */
function shorter(tag: string): string | undefined {
  const subtags = tag.split("-").slice(0, -1);
  if (subtags.at(-1)?.length === 1) subtags.pop();
  return subtags.length > 0 ? subtags.join("-") : undefined;
}
