export interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  /** Empty for all types. */
  readonly eventTypes: readonly string[];
  readonly enabled: boolean;
  readonly status: "ACTIVE" | "FAILING" | "DISABLED";
  readonly disabledReason: "BY_REQUEST" | "GONE" | "FAILING" | null;
  readonly disabledAt: string | null;
  readonly failingSince: string | null;
  readonly previousSecretUntil: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface EndpointWithSecret extends Endpoint {
  readonly secret: string;
}

export interface Attempt {
  readonly at: string;
  readonly statusCode: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  readonly response: string | null;
  readonly url: string;
}

export interface Delivery {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly endpointId: string | null;
  readonly status: DeliveryStatus;
  readonly attempts: readonly Attempt[];
  readonly attemptCount: number;
  readonly nextAttemptAt: string | null;
  readonly occurredAt: string;
  readonly createdAt: string;
  readonly deliveredAt: string | null;
  readonly connectId: number | null;
}

export const deliveryStatuses = ["PENDING", "DELIVERED", "FAILED", "DEAD"] as const;
type DeliveryStatus = (typeof deliveryStatuses)[number];

export interface EventType {
  readonly type: string;
  readonly description: string;
}
