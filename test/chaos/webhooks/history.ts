/** How a receiver deals with a request. */
export type Action =
  | "answers 200"
  | "answers 200 after a while"
  | "answers 410"
  | "answers 429"
  | "answers 500"
  | "redirects"
  | "redirects to metadata"
  | "hangs"
  | "drips"
  | "resets"
  | "talks nonsense";

/** How a receiver behaves: `steady` and `slow` well, `faulty` well in the end, the others never, or not for long. */
export type Behaviour = "steady" | "slow" | "faulty" | "gone" | "broken" | "silent" | "redirecting";

/** The promise is for those that accept every event in the end. */
export const isReliable = ({ behaviour }: Pick<Endpoint, "behaviour">): boolean =>
  behaviour === "steady" || behaviour === "slow" || behaviour === "faulty";

export interface Endpoint {
  readonly id: string;
  readonly orgId: string;
  readonly behaviour: Behaviour;
  /** Empty for all. */
  readonly eventTypes: readonly string[];
  /** whsec_… */
  readonly secret: string;
}

/** What happened; the bus has it. */
export interface PublishedEvent {
  readonly id: string;
  readonly orgId: string;
  readonly type: string;
  /** In which round it was published. */
  readonly round: number;
}

/** A request as a receiver saw it. Times are those of the services' clock, in milliseconds. */
export interface SeenRequest {
  readonly endpointId: string;
  readonly webhookId: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
  readonly action: Action;
  readonly round: number;
  readonly startedAt: number;
  /** When the answer was given, or the connection was gone. */
  readonly endedAt: number;
}

/** A delivery as the database has it in the end. */
export interface KeptDelivery {
  readonly orgId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly endpointId: string;
  readonly status: string;
  readonly attempts: number;
  /** Of each attempt, in their order; 0 when there was no answer. */
  readonly statusCodes: readonly number[];
}

export interface KeptEndpoint {
  readonly id: string;
  readonly isEnabled: boolean;
  readonly disabledReason: string | null;
}

export interface History {
  readonly endpoints: readonly Endpoint[];
  readonly published: readonly PublishedEvent[];
  readonly requests: readonly SeenRequest[];
  /** Where no endpoint is: what redirects lead to. */
  readonly strays: readonly string[];
  /** In which round endpoints were found disabled. */
  readonly disabledIn: ReadonlyMap<string, number>;
  readonly deliveries: readonly KeptDelivery[];
  readonly kept: readonly KeptEndpoint[];
}

/** Status of the answers; others have none. */
export const statusOf = (action: Action): number => statuses.get(action) ?? 0;

const statuses: ReadonlyMap<Action, number> = new Map([
  ["answers 200", 200],
  ["answers 200 after a while", 200],
  ["answers 410", 410],
  ["answers 429", 429],
  ["answers 500", 500],
  ["redirects", 302],
  ["redirects to metadata", 307],
]);

/** What a receiver that answers 429 asks for, in seconds: more than the usual delay, and less than twice of it. */
export const retryAfterSeconds = 7;
