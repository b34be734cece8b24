import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import type { KeptTerms, Terms } from "./terms.ts";

/** A purpose as the person is asked for it. */
export interface AskedPurpose {
  readonly purpose: string;
  readonly name: string;
  readonly description: string;
  /** What stands beside the box. */
  readonly text: string;
  readonly required: boolean;
}

/** The purposes of a CONSENT template in its order; none for other types. */
export function askedPurposes({ type, typeConfig }: Terms, texts: Readonly<Record<string, string>>): AskedPurpose[] {
  const purposes = type === "CONSENT" && Array.isArray(typeConfig.purposes) ? typeConfig.purposes : [];
  return purposes.filter(isObject).map((purpose) => {
    const key = textOf(purpose.key);
    const name = textOf(purpose.name) || key;
    const description = textOf(purpose.description);
    const text = Object.hasOwn(texts, key) ? textOf(texts[key]) : "";
    return { purpose: key, name, description, text: text || description || name, required: purpose.required === true };
  });
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textOf = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

/** Throws CLICK_VALIDATION_FAILED for purposes that the template does not have. */
export function requireKnownPurposes(wanted: readonly string[], { purposes }: KeptTerms): void {
  const details: FieldProblem[] = wanted.flatMap((purpose, index) =>
    purposes.has(purpose)
      ? []
      : [{ field: `purposes[${index}]`, code: "UNKNOWN", message: "is not a purpose of the template" }],
  );
  if (details.length > 0) throw new DomainError("CLICK_VALIDATION_FAILED", { details });
}
