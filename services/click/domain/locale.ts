/** The canonical form of a BCP 47 tag (`EN-us` is `en-US`); undefined when it is not one. */
export function canonicalLocale(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/**
 * What of the published locales (canonical tags) is shown to somebody who asked for `wanted`: exactly that, or with
 * subtags dropped from the end (RFC 4647 §3.4), else the template's default, else the only one there is.
 */
export function chooseByLocale<T extends { readonly locale: string }>(
  published: readonly T[],
  wanted: string | undefined,
  defaultLocale: string,
): T | undefined {
  const find = (tag: string): T | undefined => published.find((version) => version.locale === tag);
  for (let tag = wanted && canonicalLocale(wanted); tag !== undefined; tag = shorter(tag)) {
    const found = find(tag);
    if (found !== undefined) return found;
  }
  return find(defaultLocale) ?? (published.length === 1 ? published[0] : undefined);
}

/** Without its last subtag, and without a singleton that would then be last. */
function shorter(tag: string): string | undefined {
  const subtags = tag.split("-").slice(0, -1);
  if (subtags.at(-1)?.length === 1) subtags.pop();
  return subtags.length > 0 ? subtags.join("-") : undefined;
}
