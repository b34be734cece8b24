import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** What every process measures. Names and labels are part of the operators' interface: add, never rename. */
export interface Metrics {
  readonly registry: Registry;
  /** Seconds an RPC took on the server, by the name of its gRPC code ("ok" for success). */
  readonly rpcDuration: Histogram<"service" | "method" | "code">;
  /** Seconds an HTTP request took at the edge, by route template. */
  readonly httpDuration: Histogram<"route" | "method" | "status">;
  /** Age in seconds of the oldest outbox row that is not published. */
  readonly outboxLagSeconds: Gauge<"service">;
  readonly outboxPublished: Counter<"service">;
  readonly eventsConsumed: Counter<"consumer">;
  /** Events that were given up and written to dead_event. */
  readonly eventsDead: Counter<"consumer">;
  /** Rows of dead_event; every process measures all of the consumer's. Anything but 0 wants somebody to look. */
  readonly deadEvents: Gauge<"consumer">;
  /** Seconds from what an event tells of to its effect. */
  readonly eventLagSeconds: Histogram<"consumer">;
  /** Events that the bus keeps for a consumer and those that it handles; every process measures all of the consumer's. */
  readonly consumerPending: Gauge<"consumer">;
  readonly limiterRefusals: Counter<"group">;
  readonly poolInUse: Gauge<"service">;
  readonly poolWaiting: Gauge<"service">;
  /** Leaves that no checkpoint covers yet; every process measures all logs. */
  readonly logLeavesWaiting: Gauge;
  /** Seconds that the oldest of them has waited. Receipts promise at most 60; raise an alarm above 10. */
  readonly logOldestLeafSeconds: Gauge;
  /** Logs with a leaf whose promised time is over; anything but 0 is an alarm. */
  readonly logsOverdue: Gauge;
  /** Logs that get no checkpoint because what is stored of them contradicts itself; anything but 0 is an alarm. */
  readonly logsRefused: Gauge<"log">;
  readonly logCheckpoints: Counter<"log">;
  /** Seconds that a transaction took which published a checkpoint. */
  readonly logIntegrationDuration: Histogram;
  /** Answers of the time-stamping authority, by whether they could be used ("stamped" or "failed"). */
  readonly timestampRequests: Counter<"outcome">;
  /** Seconds from the request to the PDF, or to the reason why there is none. */
  readonly renderDuration: Histogram<"outcome">;
  /** Renderer processes that ended, by why: "timeout", "out_of_memory" and "crashed" cost somebody a document. */
  readonly rendererEnds: Counter<"reason">;
  /** Processes that read documents and ended, by why: "timeout", "out_of_memory" and "crashed" refused a file. */
  readonly intakeEnds: Counter<"reason">;
  /** Files compared before their seal, by what came of it. Raise an alarm at the first "different" or "ended". */
  readonly signWitnessed: Counter<"outcome">;
  /** Seconds that the oldest agreement has waited for its seal. Raise an alarm above 120. */
  readonly signCompletingOldestSeconds: Gauge;
  /** Requests to receivers of events, by what came of them ("delivered", "failed"); "put_off" when nothing could be sent. */
  readonly webhookAttempts: Counter<"outcome">;
  /** Seconds from what an event tells of to the first request to a receiver. */
  readonly webhookFirstAttempt: Histogram;
  /** Deliveries that are due and not under way, counted up to 100,000; every process measures all. */
  readonly webhookWaiting: Gauge;
  /** Seconds that the first receiver with something due has waited for a process. Raise an alarm above 30. */
  readonly webhookOldestSeconds: Gauge;
  /** Spans of traces, by what came of them ("sent", "failed"); nothing while traces are off. */
  readonly spansExported: Counter<"outcome">;
}

// From 0.5 ms (a lone RPC on one machine) to the longest deadline in use.
const durationBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

// From a relay that is woken at once to events that waited for an outage of days.
const lagBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800, 7_200, 86_400];

/** Metrics in a registry of their own, so that several services can live in one process and tests never share counts. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const gauge = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Gauge<L>({ name, help, labelNames, registers });
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter<L>({ name, help, labelNames, registers });
  const histogram = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Histogram<L>({ name, help, labelNames, registers, buckets: durationBuckets });
  return {
    registry,
    rpcDuration: histogram("assent_rpc_duration_seconds", "Time an RPC took on the server.", [
      "service",
      "method",
      "code",
    ]),
    httpDuration: histogram("assent_http_duration_seconds", "Time an HTTP request took.", [
      "route",
      "method",
      "status",
    ]),
    outboxLagSeconds: gauge("assent_outbox_lag_seconds", "Age of the oldest unpublished outbox row.", ["service"]),
    outboxPublished: counter("assent_outbox_published_total", "Outbox rows published to the bus.", ["service"]),
    eventsConsumed: counter("assent_events_consumed_total", "Events that took effect.", ["consumer"]),
    eventsDead: counter("assent_events_dead_total", "Events given up after the last delivery.", ["consumer"]),
    deadEvents: gauge("assent_dead_events", "Events that were given up and are kept for operators.", ["consumer"]),
    eventLagSeconds: new Histogram({
      name: "assent_event_lag_seconds",
      help: "Time from what an event tells of to its effect.",
      labelNames: ["consumer"],
      registers,
      buckets: lagBuckets,
    }),
    consumerPending: gauge("assent_consumer_pending", "Events that wait for a consumer or are handled.", ["consumer"]),
    limiterRefusals: counter("assent_limiter_refusals_total", "Requests refused by a rate limit.", ["group"]),
    poolInUse: gauge("assent_pool_in_use", "Database connections in use.", ["service"]),
    poolWaiting: gauge("assent_pool_waiting", "Callers that wait for a database connection.", ["service"]),
    logLeavesWaiting: gauge("assent_log_leaves_waiting", "Leaves that no checkpoint covers yet.", []),
    logOldestLeafSeconds: gauge("assent_log_oldest_leaf_seconds", "Age of the oldest leaf without a checkpoint.", []),
    logsOverdue: gauge("assent_log_overdue", "Logs with a leaf whose promised time is over.", []),
    logsRefused: gauge("assent_log_refused", "Logs that contradict themselves and get no checkpoint.", ["log"]),
    logCheckpoints: counter("assent_log_checkpoints_total", "Checkpoints published.", ["log"]),
    logIntegrationDuration: histogram("assent_log_integration_seconds", "Time to publish a checkpoint.", []),
    timestampRequests: counter("assent_timestamp_requests_total", "Requests for time stamps.", ["outcome"]),
    renderDuration: histogram("assent_render_duration_seconds", "Time to make a PDF, waiting included.", ["outcome"]),
    rendererEnds: counter("assent_renderer_ends_total", "Renderer processes that ended.", ["reason"]),
    intakeEnds: counter("assent_intake_ends_total", "Processes that read documents and ended.", ["reason"]),
    signWitnessed: counter("assent_sign_witnessed_total", "Files compared before they were sealed.", ["outcome"]),
    signCompletingOldestSeconds: gauge(
      "assent_sign_completing_oldest_seconds",
      "Time that the oldest agreement has waited for its seal.",
      [],
    ),
    webhookAttempts: counter("assent_webhook_attempts_total", "Requests to receivers of events.", ["outcome"]),
    webhookFirstAttempt: new Histogram({
      name: "assent_webhook_first_attempt_seconds",
      help: "Time from what an event tells of to the first request to a receiver.",
      registers,
      buckets: lagBuckets,
    }),
    webhookWaiting: gauge("assent_webhook_waiting", "Deliveries that are due and not under way.", []),
    webhookOldestSeconds: gauge(
      "assent_webhook_oldest_due_seconds",
      "Time that the first receiver with something due has waited for a process.",
      [],
    ),
    spansExported: counter("assent_spans_total", "Spans of traces that were sent or could not be.", ["outcome"]),
  };
}
