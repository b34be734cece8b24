export type DeliveryStatus = "pending" | "delivered" | "failed" | "dead";

/** One event on its way to one receiver. */
export interface Delivery {
  /** UUID. */
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  /** The endpoint's id, or one that is made of the agreement and the place of the receiver in it. */
  readonly receiverId: string;
  readonly endpointId: string | undefined;
  readonly connectId: number | undefined;
  /** Of the agreement that the event is about, on the way to receivers of the compatible interface. */
  readonly agreementId: string | undefined;
  /** Which of the receivers that the agreement names, from 0. */
  readonly receiverIndex: number | undefined;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** Attempts since it was queued: the place in the schedule. */
  readonly step: number;
  /** When the next attempt is made; undefined when none is. */
  readonly dueAt: Date | undefined;
  readonly occurredAt: Date;
  readonly createdAt: Date;
  readonly deliveredAt: Date | undefined;
}

/** A delivery that is noted, to be made at once. */
export type NewDelivery = Omit<Delivery, "status" | "attempts" | "step" | "dueAt" | "createdAt" | "deliveredAt">;

/** Receivers of the compatible interface get one event after the other, and what fails holds the rest. */
export const isOrdered = ({ connectId, receiverIndex }: Pick<Delivery, "connectId" | "receiverIndex">): boolean =>
  connectId !== undefined || receiverIndex !== undefined;

/** One request to a receiver. */
export interface Attempt {
  readonly at: Date;
  /** 0 when there was no answer. */
  readonly statusCode: number;
  readonly durationMs: number;
  /** Empty after a success. */
  readonly error: string;
  /** What the answer began with. */
  readonly response: string;
  readonly url: string;
}

/** An event as it came on the bus. */
export interface StoredEvent {
  readonly id: string;
  /** The public type, such as agreement.completed. */
  readonly type: string;
  /** JSON text of assent.events.v1.Event. */
  readonly data: string;
  readonly occurredAt: Date;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** What is waited after the first attempt, the second and so on; after the last one nothing follows. */
const delaysMs = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];

const maxAttempts = delaysMs.length + 1;

/**
 * As a share of the delay, in both directions, so that receivers that failed together are not retried together.
 */
const jitter = 0.2;

/**
 * How long to wait for the next attempt when so many were made before the one that has just failed; undefined when it
 * was the last. `random` is at least 0 and less than 1.
 */
export function delayAfter(step: number, random: number): number | undefined {
  const delay = delaysMs[step];
  return delay === undefined ? undefined : Math.round(delay * (1 - jitter + 2 * jitter * random));
}

/** A receiver that acknowledges is asked again once a day. */
const connectDelayMs = 24 * hour;

export const connectDelayAfter = (step: number): number | undefined =>
  step + 1 < maxAttempts ? connectDelayMs : undefined;

/** While the services that know the contents are away, an attempt is put off by so much, and does not count. */
export const putOffMs = 5 * second;
