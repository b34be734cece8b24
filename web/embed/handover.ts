import type { Acceptance } from "./acceptance.ts";
import { objectOf } from "./rendering.ts";

/** A decision on its way to the customer's backend. */
export interface HandedOver {
  readonly acceptance: Acceptance;
  /** The same for every attempt to record the same decision. */
  readonly idempotencyKey: string;
}

export type DecisionHandler = (acceptance: Acceptance, delivery: { readonly idempotencyKey: string }) => unknown;

/** What went wrong, with what support needs to find it. */
export class DeliveryError extends Error {
  readonly requestId: string | undefined;
  readonly errorCode: string | undefined;
  /** The answer says for sure that nothing was recorded. */
  readonly isFinal: boolean;

  constructor(facts: { requestId?: string | undefined; errorCode?: string | undefined; isFinal?: boolean }) {
    super(facts.errorCode ?? "DELIVERY_FAILED");
    this.requestId = facts.requestId;
    this.errorCode = facts.errorCode;
    this.isFinal = facts.isFinal ?? false;
  }
}

export interface HandOverOptions {
  /** Where the events are fired. */
  readonly element: Element;
  readonly eventName: "assent:accept" | "assent:decline";
  readonly handler: DecisionHandler | undefined;
  readonly url: string | undefined;
}

export interface HandOverResult {
  /** Of the backend or the callback; undefined when they answered nothing. */
  readonly answer: unknown;
  /** Whether a listener, a callback or a backend took the decision. */
  readonly isConfirmed: boolean;
}

/**
 * Gives a decision to the page: by an event whose listeners may wait for something, a callback that may return a
 * promise, and a POST to the customer's backend. Resolves when all of them are done.
 */
export async function handOver(handed: HandedOver, options: HandOverOptions): Promise<HandOverResult> {
  const { acceptance, idempotencyKey } = handed;
  const waits: unknown[] = [];
  const waitUntil = (promise: unknown): void => {
    waits.push(promise);
  };
  const detail = { acceptance, idempotencyKey, waitUntil };
  options.element.dispatchEvent(new CustomEvent(options.eventName, { bubbles: true, composed: true, detail }));
  if (options.handler !== undefined) waits.push(options.handler(acceptance, { idempotencyKey }));
  if (options.url !== undefined) waits.push(post(options.url, handed));
  const results = await Promise.all(waits);
  const answer = results.filter((result) => result !== undefined).at(-1);
  return { answer, isConfirmed: waits.some((wait) => wait !== undefined) };
}

const timeoutMs = 30_000;

async function post(url: string, { acceptance, idempotencyKey }: HandedOver): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", "x-idempotency-key": idempotencyKey },
    body: JSON.stringify(acceptance),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw errorOf(response, answer);
  return answer;
}

/** The error in an answer that is not a success. */
export function errorOf(response: Response, answer: unknown): DeliveryError {
  const { requestId, errorCode } = objectOf(answer);
  const id = typeof requestId === "string" ? requestId : response.headers.get("x-request-id");
  const isFinal = response.status >= 400 && response.status < 500 && response.status !== 408;
  return new DeliveryError({ requestId: id ?? undefined, errorCode: String(errorCode ?? response.status), isFinal });
}

/** Callbacks may throw anything; only these two texts are taken over. */
export function toDeliveryError(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error;
  const { requestId, errorCode } = objectOf(error);
  const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  return new DeliveryError({ requestId: text(requestId), errorCode: text(errorCode) });
}
