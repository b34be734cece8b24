import type { NewId } from "#platform/ids.ts";
import type { Agreement } from "./agreement.ts";
import type { Assessment } from "./assessment.ts";
import { daysAfter } from "./days.ts";
import { jurisdictionOf } from "./terms.ts";

/** What an acceptance of a CONSENT template decides for one purpose. */
export interface AcceptedConsent {
  readonly eventId: string;
  readonly purpose: string;
  readonly type: "GRANTED" | "DENIED";
  readonly legalBasis: string;
  readonly jurisdiction: string | null;
  readonly locale: string;
  readonly contentHash: string;
  readonly method: string;
  readonly expiresAt: Date | null;
}

/** One change of consent for each purpose that was decided; none for other types of templates. */
export function consentsOf(agreement: Agreement, assessment: Assessment, now: Date, newId: NewId): AcceptedConsent[] {
  const { terms, purposes } = agreement.terms;
  if (terms.type !== "CONSENT") return [];
  return assessment.purposes.map(({ purpose: key, granted }) => {
    const purpose = purposes.get(key);
    if (purpose === undefined) throw new Error("a purpose that the template does not have passed the checks");
    return {
      eventId: newId(),
      purpose: key,
      type: granted ? "GRANTED" : "DENIED",
      legalBasis: purpose.legalBasis,
      jurisdiction: jurisdictionOf(terms),
      locale: agreement.locale,
      contentHash: agreement.contentHash,
      method: assessment.action,
      expiresAt: granted ? daysAfter(now, purpose.expiresAfterDays) : null,
    };
  });
}
