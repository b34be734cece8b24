import type { FieldProblem } from "#platform/errors.ts";
import { disclosureTarget } from "#platform/esign-disclosure.ts";
import type { PageFacts } from "../sessions/session.ts";
import type { Policy, TemplateType } from "../terms/policy.ts";
import type { AcceptBody } from "./accept-body.ts";

/** What a flag required and what was observed; part of the evidence. */
export interface PolicyCheck {
  readonly flag: string;
  readonly required: unknown;
  readonly observed: unknown;
  /**
   * SERVER: observed by the service. CLIENT: reported by the caller or the page; of page events the service
   * only observed the time of arrival.
   */
  readonly source: "SERVER" | "CLIENT";
  readonly ok: boolean;
}

export interface PolicyFacts {
  readonly type: TemplateType;
  readonly policy: Policy;
  readonly body: AcceptBody;
  readonly action: string;
  /** Without a session. */
  readonly isDirect: boolean;
  /** The earliest time the text may have been on display; undefined when the service has no evidence of it. */
  readonly displayedSince: Date | undefined;
  /** What the session's page reported while it was open. */
  readonly page: PageFacts | null;
  /** The words that were handed out to be shown have the disclosure on electronic records. */
  readonly hasDisclosure: boolean;
  readonly now: Date;
}

/** Checks each flag in force for an acceptance. A flag that requires a fact fails when the fact is missing. */
export function checkPolicy(facts: PolicyFacts): PolicyCheck[] {
  return [
    checkDirect(facts),
    checkRendering(facts),
    checkDisclosure(facts),
    checkCheckbox(facts),
    checkInitialState(facts),
    checkScroll(facts),
    checkView(facts),
    checkDisplayTime(facts),
    checkTypedName(facts),
  ].filter((check) => check !== undefined);
}

/** Checks the flags in force for a decline, which needs no proof that the text was shown. */
export function checkDeclinePolicy(facts: PolicyFacts): PolicyCheck[] {
  const { allowDecline, recordDecline } = facts.policy;
  const checks: PolicyCheck[] = [
    { flag: "allowDecline", required: true, observed: allowDecline, source: "SERVER", ok: allowDecline },
    { flag: "recordDecline", required: true, observed: recordDecline, source: "SERVER", ok: recordDecline },
  ];
  const direct = checkDirect(facts);
  return direct === undefined ? checks : [direct, ...checks];
}

export const failedChecks = (checks: readonly PolicyCheck[]): FieldProblem[] =>
  checks
    .filter((check) => !check.ok)
    .map(({ flag }) => ({ field: flag, code: "NOT_SATISFIED", message: failures[flag] ?? "is not satisfied" }));

const failures: Record<string, string> = {
  allowDirectAccept: "the template asks for a session; create one and accept with its sessionId",
  requireCheckbox:
    "the action must be CHECKBOX or CHECKBOX_AND_BUTTON, or presentation.events must tell that the box was ticked",
  checkboxInitiallyChecked: "the box must not be ticked before the user ticks it",
  esignDisclosure: `the disclosure of the rendering must be shown before the text: presentation.events must tell of DISPLAYED with the target ${disclosureTarget}, and the rendering must be this session's or that of the renderToken`,
  requireScroll: "presentation.scrolledToEnd must be true",
  requireView: "presentation.documentsOpened must name what was opened",
  minDisplaySeconds: "the text was not on display long enough, or nothing tells since when",
  requireTypedName: "typedName must be given, and must be the expected name if there is one",
  minAge: "verification must contain AGE_STATEMENT: the user's statement to be of this age",
  allowDecline: "the template does not offer to decline",
  recordDecline: "the template does not record declines; complete the session with the outcome DECLINED",
};

function checkDirect({ policy, isDirect }: PolicyFacts): PolicyCheck | undefined {
  if (!isDirect) return undefined;
  const ok = policy.allowDirectAccept;
  return { flag: "allowDirectAccept", required: true, observed: ok, source: "SERVER", ok };
}

/** The token was verified earlier; an invalid one never gets here. */
function checkRendering({ policy }: PolicyFacts): PolicyCheck | undefined {
  if (!policy.requireRenderToken) return undefined;
  return { flag: "requireRenderToken", required: true, observed: true, source: "SERVER", ok: true };
}

/** What was never handed out cannot have been on the screen, whatever the page says. */
function checkDisclosure({ policy, body, page, hasDisclosure }: PolicyFacts): PolicyCheck | undefined {
  if (!policy.esignDisclosure) return undefined;
  const isTold = (body.presentation?.events ?? []).some(
    ({ type, target }) => type === "DISPLAYED" && target === disclosureTarget,
  );
  const observed = hasDisclosure && (page?.disclosed === true || isTold);
  return { flag: "esignDisclosure", required: true, observed, source: "CLIENT", ok: observed };
}

/**
 * The boxes of a CONSENT template are its purposes, so the decisions show which were ticked. For any other box
 * the page's events count more than what the request says afterwards.
 */
function checkCheckbox({ policy, type, body, action, page }: PolicyFacts): PolicyCheck | undefined {
  if (!policy.requireCheckbox) return undefined;
  const ticked = type === "CONSENT" ? undefined : page?.ticked;
  if (typeof ticked === "boolean") {
    return { flag: "requireCheckbox", required: true, observed: ticked, source: "CLIENT", ok: ticked };
  }
  const ticks = (body.presentation?.events ?? []).filter(({ type }) => type === "CHECKED" || type === "UNCHECKED");
  const observed =
    type === "CONSENT"
      ? (body.purposes ?? []).length > 0
      : action === "CHECKBOX" || action === "CHECKBOX_AND_BUTTON" || ticks.at(-1)?.type === "CHECKED";
  return { flag: "requireCheckbox", required: true, observed, source: "CLIENT", ok: observed };
}

function checkInitialState({ policy, type, body }: PolicyFacts): PolicyCheck | undefined {
  if (type !== "CONSENT" && !policy.requireCheckbox) return undefined;
  const observed = body.presentation?.checkboxInitiallyChecked ?? null;
  return { flag: "checkboxInitiallyChecked", required: false, observed, source: "CLIENT", ok: observed !== true };
}

function checkScroll({ policy, body, page }: PolicyFacts): PolicyCheck | undefined {
  if (!policy.requireScroll) return undefined;
  if (page?.scrolledToEnd === true) {
    return { flag: "requireScroll", required: true, observed: true, source: "CLIENT", ok: true };
  }
  const observed = body.presentation?.scrolledToEnd ?? null;
  return { flag: "requireScroll", required: true, observed, source: "CLIENT", ok: observed === true };
}

function checkView({ policy, body, page }: PolicyFacts): PolicyCheck | undefined {
  if (!policy.requireView) return undefined;
  if (page !== null && page.linksOpened > 0) {
    return { flag: "requireView", required: true, observed: page.linksOpened, source: "CLIENT", ok: true };
  }
  const opened = body.presentation?.documentsOpened ?? [];
  return { flag: "requireView", required: true, observed: opened.length, source: "CLIENT", ok: opened.length > 0 };
}

/** Measured by the server's clock; the client's measurement does not count. */
function checkDisplayTime({ policy, displayedSince, now }: PolicyFacts): PolicyCheck | undefined {
  const required = policy.minDisplaySeconds;
  if (required === 0) return undefined;
  const observed = displayedSince === undefined ? null : Math.floor((now.getTime() - displayedSince.getTime()) / 1000);
  return {
    flag: "minDisplaySeconds",
    required,
    observed,
    source: "SERVER",
    ok: observed !== null && observed >= required,
  };
}

function checkTypedName({ policy, body }: PolicyFacts): PolicyCheck | undefined {
  if (!policy.requireTypedName) return undefined;
  const typed = comparable(body.typedName ?? "");
  const ok = typed !== "" && (policy.expectedName === undefined || typed === comparable(policy.expectedName));
  return { flag: "requireTypedName", required: true, observed: typed !== "", source: "CLIENT", ok };
}

const comparable = (name: string): string => name.normalize("NFKC").trim().replaceAll(/\s+/g, " ").toLowerCase();
