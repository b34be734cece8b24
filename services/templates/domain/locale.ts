import { invalid, problem } from "./problems.ts";

/** The canonical form of a BCP 47 tag (`EN-us` is `en-US`, `iw` is `he`); undefined when it is not one. */
export function canonicalLocale(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** True when two tags name the same locale, whatever their case and form. */
export const isSameLocale = (a: string, b: string): boolean => comparable(a) === comparable(b);

/** The canonical form; throws CLICK_VALIDATION_FAILED for anything that is not a BCP 47 tag. */
export function parseLocale(field: string, tag: string): string {
  const locale = canonicalLocale(tag);
  if (locale === undefined) {
    throw invalid(problem(field, "INVALID_LOCALE", "must be a BCP 47 language tag such as en or pt-BR"));
  }
  return locale;
}

const comparable = (tag: string): string => (canonicalLocale(tag) ?? tag).toLowerCase();
