import { canonicalLocale } from "#platform/locale.ts";

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
