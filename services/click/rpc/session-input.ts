import type { CreateSessionRequest } from "#gen/assent/click/v1/click_pb.ts";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import { memberPath } from "#platform/field-path.ts";
import { canonicalLocale } from "../domain/locale.ts";

/** Checks what the rules of the proto cannot say; throws CLICK_VALIDATION_FAILED. */
export function checkNewSession({ userRef, locale, returnUrl, metadata }: CreateSessionRequest): void {
  const details: FieldProblem[] = [];
  if (userRef !== undefined && /[\p{Cc}\p{Cs}]/u.test(userRef)) {
    details.push({ field: "userRef", code: "PATTERN", message: "must have no control characters" });
  }
  if (locale !== undefined && canonicalLocale(locale) === undefined) {
    details.push({ field: "locale", code: "FORMAT", message: "must be a BCP 47 language tag such as en-US" });
  }
  if (returnUrl !== undefined && !isPlainHttpsUrl(returnUrl)) {
    const message = "must be an absolute https URL without credentials and control characters";
    details.push({ field: "returnUrl", code: "FORMAT", message });
  }
  for (const [key, value] of Object.entries(metadata)) {
    const field = memberPath("metadata", key);
    if (key.length > 255) details.push({ field, code: "MAX_LENGTH", message: "the name has more than 255 characters" });
    if (value.length > 500) details.push({ field, code: "MAX_LENGTH", message: "must have at most 500 characters" });
  }
  if (details.length > 0) throw new DomainError("CLICK_VALIDATION_FAILED", { details });
}

function isPlainHttpsUrl(text: string): boolean {
  if (/[\p{Cc}\s]/u.test(text)) return false;
  const url = URL.parse(text);
  return url !== null && url.protocol === "https:" && url.username === "" && url.password === "";
}
