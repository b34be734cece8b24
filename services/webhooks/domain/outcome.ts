import type { OutboundResult } from "#platform/net/outbound-post.ts";
import { connectDelayAfter, type DeliveryStatus, delayAfter } from "./delivery.ts";

/** Who was asked. */
export type Asked =
  /** An endpoint of our own format. */
  | {
      readonly kind: "standard";
      readonly failingSince: Date | undefined;
      readonly isEnabled: boolean;
      /** The endpoint has another address by now: what this one answers says nothing of it. */
      readonly isMoved?: boolean;
    }
  /** A receiver of the compatible interface. */
  | { readonly kind: "connect"; readonly requiresAcknowledgement: boolean; readonly isEnabled: boolean };

export interface AttemptFacts {
  /** Attempts since the delivery was queued, without this one. */
  readonly step: number;
  readonly asked: Asked;
  readonly result: OutboundResult;
  /** At least 0 and less than 1. */
  readonly random: number;
  readonly now: Date;
}

/** What becomes of a delivery, and of its endpoint. */
export interface Outcome {
  readonly status: Exclude<DeliveryStatus, "pending">;
  /** When the next attempt is made; undefined for never. */
  readonly dueAt: Date | undefined;
  /** Of the endpoint, from now on; always undefined for the compatible interface. */
  readonly failingSince: Date | undefined;
  /** Why nothing is sent to the endpoint any more. */
  readonly disable: "gone" | "failing" | undefined;
}

/** An endpoint whose every attempt has failed for so long is disabled. */
const failingLimitMs = 5 * 24 * 60 * 60_000;

/** What becomes of a delivery by an attempt. */
export function outcomeOf(facts: AttemptFacts): Outcome {
  if (isSuccess(facts.result)) {
    return { status: "delivered", dueAt: undefined, failingSince: undefined, disable: undefined };
  }
  return facts.asked.kind === "standard" ? standardFailure(facts, facts.asked) : connectFailure(facts, facts.asked);
}

export const isSuccess = (result: OutboundResult): boolean =>
  result.kind === "answered" && result.status >= 200 && result.status <= 299;

function standardFailure(facts: AttemptFacts, asked: Asked & { readonly kind: "standard" }): Outcome {
  const { result, now } = facts;
  const { isMoved = false } = asked;
  const failingSince = isMoved ? undefined : (asked.failingSince ?? now);
  const dead = { status: "dead", dueAt: undefined, failingSince } as const;
  // Somebody has switched it off while it was asked.
  if (!asked.isEnabled) return { ...dead, disable: undefined };
  if (result.kind === "answered" && result.status === 410 && !isMoved) return { ...dead, disable: "gone" };
  if (failingSince !== undefined && now.getTime() - failingSince.getTime() > failingLimitMs)
    return { ...dead, disable: "failing" };
  const planned = delayAfter(facts.step, facts.random);
  if (planned === undefined) return { ...dead, disable: undefined };
  const delay = result.kind === "answered" ? honourRetryAfter(planned, result, now) : planned;
  return { status: "failed", dueAt: after(now, delay), failingSince, disable: undefined };
}

function connectFailure({ step, now }: AttemptFacts, asked: Asked & { readonly kind: "connect" }): Outcome {
  const delay = asked.requiresAcknowledgement && asked.isEnabled ? connectDelayAfter(step) : undefined;
  const end = { failingSince: undefined, disable: undefined };
  if (delay === undefined) return { status: "dead", dueAt: undefined, ...end };
  return { status: "failed", dueAt: after(now, delay), ...end };
}

/** What went wrong, in words for the customer; empty after a success. */
export function errorText(result: OutboundResult, timeoutMs: number): string {
  if (isSuccess(result)) return "";
  if (result.kind === "answered") return `The receiver answered ${result.status}.`;
  if (result.reason === "timeout") return `The attempt timed out after ${timeoutMs / 1_000} s.`;
  return result.message;
}

const after = (time: Date, ms: number): Date => new Date(time.getTime() + ms);

/** The milliseconds of a Retry-After header, given in seconds or as an HTTP date. Undefined for anything else. */
export function parseRetryAfter(text: string, now: Date): number | undefined {
  if (text.length === 0 || text.length > 64) return undefined;
  if (/^[0-9]+$/.test(text)) return Number(text) * 1_000;
  if (!datePattern.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}

/** IMF-fixdate; the older forms are not sent any more. */
const datePattern = /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$/;

const askingStatuses: ReadonlySet<number> = new Set([429, 503]);

/** The delay that a receiver asked for, but never less than planned, and at most twice that. */
function honourRetryAfter(
  plannedMs: number,
  answer: { readonly status: number; readonly retryAfter?: string | undefined },
  now: Date,
): number {
  if (answer.retryAfter === undefined || !askingStatuses.has(answer.status)) return plannedMs;
  const asked = parseRetryAfter(answer.retryAfter, now) ?? plannedMs;
  return Math.min(2 * plannedMs, Math.max(plannedMs, asked));
}
