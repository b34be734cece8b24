import { invalid, problem } from "./problems.ts";

export const defaultLocale = "en";

/** The canonical form of a BCP 47 tag (`EN-us` is `en-US`); throws GEN_INVALID_REQUEST when it is not one. */
export function parseLocale(field: string, tag: string): string {
  try {
    const [locale] = Intl.getCanonicalLocales(tag);
    if (locale !== undefined) return locale;
  } catch {
    // Answered below.
  }
  throw invalid(problem(field, "INVALID_LOCALE", "must be a BCP 47 language tag such as en or pt-BR"));
}
