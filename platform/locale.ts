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
