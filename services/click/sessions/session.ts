import type { JsonObject } from "@bufbuild/protobuf";
import type { ErrorCode } from "#platform/errors.ts";
import { disclosureTarget } from "#platform/esign-disclosure.ts";

/** The stored status; a session that has expired keeps its old status until the sweeper runs. */
export type StoredStatus = "PENDING" | "PRESENTED" | "ACCEPTED" | "DECLINED" | "COMPLETED" | "CANCELLED" | "EXPIRED";
export type SessionStatus = StoredStatus;
export type SessionOutcome = "ACCEPTED" | "DECLINED" | "NONE";

interface Transition {
  readonly from: readonly StoredStatus[];
  readonly to: StoredStatus;
}

/** Everything that may happen to a session. */
export const transitions = {
  present: { from: ["PENDING"], to: "PRESENTED" },
  accept: { from: ["PENDING", "PRESENTED"], to: "ACCEPTED" },
  decline: { from: ["PENDING", "PRESENTED"], to: "DECLINED" },
  complete: { from: ["PENDING", "PRESENTED", "ACCEPTED"], to: "COMPLETED" },
  cancel: { from: ["PENDING", "PRESENTED"], to: "CANCELLED" },
  expire: { from: ["PENDING", "PRESENTED"], to: "EXPIRED" },
} as const satisfies Record<string, Transition>;

/** Only sessions that wait for the user expire. */
const expiring: readonly SessionStatus[] = ["PENDING", "PRESENTED"];

export interface SessionState {
  readonly status: StoredStatus;
  readonly outcome: SessionOutcome | null;
  readonly expiresAt: Date;
}

/**
 * Whether a session has expired is computed whenever it is read, so it does not depend on a job. The sweeper only
 * publishes it.
 */
export const statusAt = (session: SessionState, now: Date): SessionStatus =>
  expiring.includes(session.status) && session.expiresAt <= now ? "EXPIRED" : session.status;

export const outcomeAt = (session: SessionState, now: Date): SessionOutcome | null =>
  statusAt(session, now) === "EXPIRED" ? "NONE" : session.outcome;

/** Whether a session takes an acceptance; one that may be used many times stays open after the first. */
export const takesAcceptance = (status: SessionStatus, singleUse: boolean): boolean =>
  expiring.includes(status) || (!singleUse && status === "ACCEPTED");

/** Why a session in this status takes no acceptance. */
export const closedError = (status: SessionStatus): ErrorCode =>
  status === "EXPIRED" ? "CLICK_SESSION_EXPIRED" : "CLICK_SESSION_CLOSED";

/** The outcome that the caller of completeSession requests. */
export interface CompletionRequest {
  readonly outcome: "ACCEPTED" | "DECLINED" | null;
  readonly hasAcceptance: boolean;
  /** The policy requires declines to be recorded, and it is known who declines. */
  readonly recordsDecline: boolean;
}

export type CompletionStep =
  /** There is nothing to do. */
  | { readonly kind: "answer" }
  /** The acceptance path decides and closes the session in the same statement. */
  | { readonly kind: "record" }
  | { readonly kind: "close"; readonly outcome: SessionOutcome }
  | { readonly kind: "refuse"; readonly code: ErrorCode };

/** What completing a session in this state does. Closing never changes or invents a decision. */
export function planCompletion(status: SessionStatus, request: CompletionRequest): CompletionStep {
  if (request.hasAcceptance) return { kind: "record" };
  switch (status) {
    case "COMPLETED":
      return { kind: "answer" };
    case "ACCEPTED":
      return { kind: "close", outcome: "ACCEPTED" };
    case "DECLINED":
      return request.outcome === "DECLINED" ? { kind: "answer" } : { kind: "refuse", code: "CLICK_SESSION_CLOSED" };
    case "CANCELLED":
    case "EXPIRED":
      return { kind: "refuse", code: closedError(status) };
    case "PENDING":
    case "PRESENTED":
      return request.outcome === "ACCEPTED" || (request.outcome === "DECLINED" && request.recordsDecline)
        ? { kind: "record" }
        : { kind: "close", outcome: request.outcome ?? "NONE" };
  }
}

/** The personal data of a session. */
export interface SessionPerson {
  /** Null when the session was created without a user; then its acceptance names the user. */
  readonly userRef: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly returnUrl: string | null;
  readonly context: object | null;
  /** Merge values of a GENERATED template. */
  readonly data: JsonObject | null;
}

/** What a reader of a session may know about its user. */
export interface KnownPerson {
  readonly person: SessionPerson;
  /** Opens everything that belongs to the session; null when it may not be read. */
  readonly seed: Buffer | null;
  readonly erased: boolean;
  readonly restricted: boolean;
}

export const nobody: SessionPerson = { userRef: null, metadata: {}, returnUrl: null, context: null, data: null };

/** The types of events on a page that shows a session. */
export type PageEventType =
  | "DISPLAYED"
  | "SCROLLED_TO_END"
  | "LINK_OPENED"
  | "CHECKED"
  | "UNCHECKED"
  | "BUTTON_PRESSED"
  | "DECLINED";

/** An event that the page of a session reported. */
export interface PageEvent {
  readonly type: PageEventType;
  /** By the clock of the page. */
  readonly at: Date | null;
  readonly target: string | null;
  /** By the service's clock. */
  readonly serverAt: Date;
}

/** The facts derived from the events of a page, as far as policies need them. */
export interface PageFacts {
  readonly scrolledToEnd: boolean;
  /** How many links were opened. */
  readonly linksOpened: number;
  /** The final state of the box; null when it was not touched. */
  readonly ticked: boolean | null;
  /** The disclosure on electronic records was on the screen; absent in what was stored before there was one. */
  readonly disclosed?: boolean;
}

/** The facts after further events, in the order of arrival. */
export function addEvents(known: PageFacts | null, events: readonly Pick<PageEvent, "type" | "target">[]): PageFacts {
  const unknown: PageFacts = { scrolledToEnd: false, linksOpened: 0, ticked: null };
  let { scrolledToEnd, linksOpened, ticked, disclosed = false } = known ?? unknown;
  for (const { type, target } of events) {
    if (type === "DISPLAYED" && target === disclosureTarget) disclosed = true;
    if (type === "SCROLLED_TO_END") scrolledToEnd = true;
    if (type === "LINK_OPENED") linksOpened += 1;
    if (type === "CHECKED" || type === "UNCHECKED") ticked = type === "CHECKED";
  }
  return { scrolledToEnd, linksOpened, ticked, ...(disclosed ? { disclosed } : {}) };
}
