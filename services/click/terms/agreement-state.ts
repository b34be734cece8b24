import { daysAfter } from "#platform/clock.ts";
import type { Decision, PurposeDecision } from "../accept/accept-body.ts";
import type { PurposeState } from "../consent/consent.ts";
import type { Policy } from "./policy.ts";

/** The last acceptance that a user made of a template. */
export interface LastAcceptance {
  readonly templateId: string;
  readonly templateSlug: string;
  readonly versionId: string;
  readonly revision: number;
  readonly label: string;
  readonly locale: string;
  readonly decision: Decision;
  readonly acceptedAt: Date;
  readonly receiptId: string;
  readonly purposes: readonly PurposeDecision[];
  /** What a session had pinned was accepted when another text was published already. */
  readonly superseded: boolean;
}

/** A text that is published. */
export interface PublishedText {
  readonly versionId: string;
  readonly revision: number;
  readonly label: string;
  readonly locale: string;
}

/** What a template offers at some moment. */
export interface TemplateOffer {
  /** None when the template is archived or gone. */
  readonly published: readonly PublishedText[];
  readonly policy: Pick<Policy, "requireReacceptance" | "reacceptIntervalDays">;
}

export type AgreementStatus = "ACCEPTED" | "DECLINED" | "WITHDRAWN" | "EXPIRED";

/** Where a user stands with a template. */
export interface AgreementState {
  readonly acceptance: LastAcceptance;
  readonly status: AgreementStatus;
  /** The accepted revision is the one that is published. */
  readonly isLatest: boolean;
  readonly reacceptanceRequired: boolean;
  readonly reacceptBy: Date | null;
}

/** Judges an acceptance by what the template offers and by the state of the purposes that it granted. */
export function agreementAt(
  acceptance: LastAcceptance,
  offer: TemplateOffer,
  purposes: ReadonlyMap<string, PurposeState>,
  now: Date,
): AgreementState {
  const status = statusOf(acceptance, purposes);
  const { published, policy } = offer;
  const current = currentText(acceptance, published);
  const isLatest = current?.versionId === acceptance.versionId && current.revision === acceptance.revision;
  const stands = status === "ACCEPTED" || status === "EXPIRED";
  const reacceptBy = stands ? daysAfter(acceptance.acceptedAt, policy.reacceptIntervalDays) : null;
  const isOutdated = current !== undefined && !isLatest && outdates(current, acceptance, policy.requireReacceptance);
  const isDue = reacceptBy !== null && reacceptBy <= now;
  // Nothing can be asked for while nothing is published.
  const mayAsk = stands && published.length > 0;
  const reacceptanceRequired = mayAsk && (status === "EXPIRED" || isOutdated || isDue);
  return { acceptance, status, isLatest, reacceptanceRequired, reacceptBy };
}

/** Consent is withdrawn or runs out purpose by purpose; the acceptance holds as long as one of them does. */
export function statusOf(
  { decision, purposes }: LastAcceptance,
  states: ReadonlyMap<string, PurposeState>,
): AgreementStatus {
  if (decision === "DECLINE") return "DECLINED";
  const granted = purposes.filter((purpose) => purpose.granted).flatMap(({ purpose }) => states.get(purpose) ?? []);
  if (granted.length === 0 || granted.some((state) => state.valid)) return "ACCEPTED";
  return granted.some((state) => state.status === "EXPIRED") ? "EXPIRED" : "WITHDRAWN";
}

/** What is shown today in place of the accepted text: its version, or the one that took over its locale. */
const currentText = (accepted: LastAcceptance, published: readonly PublishedText[]): PublishedText | undefined =>
  published.find((text) => text.versionId === accepted.versionId) ??
  published.find((text) => text.locale === accepted.locale);

function outdates(current: PublishedText, accepted: LastAcceptance, rule: Policy["requireReacceptance"]): boolean {
  if (rule === "NEVER") return false;
  // Labels of two versions cannot be compared: the second one is a text of its own.
  if (rule === "ALWAYS" || current.versionId !== accepted.versionId) return true;
  return majorOf(current.label) > majorOf(accepted.label);
}

/** A publication that asks for re-acceptance begins a new major number. */
const majorOf = (label: string): number => Number.parseInt(label, 10);
