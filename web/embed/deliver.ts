import { type Answers, buildAcceptance, type Decision } from "./acceptance.ts";
import { type HandedOver, type HandOverResult, handOver, toDeliveryError } from "./handover.ts";
import type { MountOptions } from "./options.ts";
import type { Recorder } from "./recorder.ts";
import type { DisplayMode, Rendering } from "./rendering.ts";

export interface DeliveryFacts {
  readonly element: Element;
  readonly options: MountOptions;
  readonly rendering: Rendering;
  readonly displayMode: DisplayMode;
  readonly recorder: Recorder;
}

export type Deliver = (decision: Decision, answers: Answers) => Promise<HandOverResult>;

/**
 * Hands decisions over. When an attempt ends without a clear answer, the next one sends the same bytes under the same
 * key, so that the decision is recorded once. Rejects with a DeliveryError.
 */
export function createDeliver({ element, options, ...facts }: DeliveryFacts): Deliver {
  let pending: { readonly fingerprint: string; readonly handed: HandedOver } | undefined;
  const { userRef, metadata, onAccept, onDecline, acceptUrl } = options;
  return async (decision, answers) => {
    const fingerprint = JSON.stringify([decision, [...answers.purposes], answers.typedName, answers.statedAge]);
    if (pending?.fingerprint !== fingerprint) {
      const acceptance = buildAcceptance({ ...facts, decision, answers, userRef, metadata });
      pending = { fingerprint, handed: { acceptance, idempotencyKey: newKey() } };
    }
    const { handed } = pending;
    try {
      return await handOver(handed, {
        element,
        eventName: decision === "ACCEPT" ? "assent:accept" : "assent:decline",
        handler: decision === "ACCEPT" ? onAccept : onDecline,
        url: acceptUrl,
      });
    } catch (cause) {
      const error = toDeliveryError(cause);
      if (error.isFinal) pending = undefined;
      throw error;
    }
  };
}

/** crypto.randomUUID exists on pages with https only. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
