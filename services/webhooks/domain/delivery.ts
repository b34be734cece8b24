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
