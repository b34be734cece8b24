import { readFileSync } from "node:fs";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { type AskedGauge, askedGauge, freshGauge } from "./gauges.ts";

/**
 * What every process measures. Names and labels are part of the operators' interface: add, never rename. Gauges of what the
 * database or the bus says are absent when it has not been read for long.
 */
export interface Metrics {
  readonly registry: Registry;
  /** Seconds an RPC took on the server, by the name of its gRPC code ("ok" for success). */
  readonly rpcDuration: Histogram<"service" | "method" | "code">;
  /** Seconds a call to another service took, by the service that was called; what found no server included. */
  readonly rpcClientDuration: Histogram<"service" | "method" | "code">;
  /** Items of RPCs that answer each by itself, by the error code that it got ("ok" for success). */
  readonly rpcItems: Counter<"service" | "method" | "code">;
  /** Seconds an HTTP request took at the edge, by route template. */
  readonly httpDuration: Histogram<"route" | "method" | "status">;
  /** Age in seconds of the oldest outbox row that is not published. */
  readonly outboxLagSeconds: Gauge<"service">;
  readonly outboxPublished: Counter<"service">;
  /** The number of the database's epoch: higher after it has lost commits, or the bus events. */
  readonly outboxEpoch: Gauge<"service">;
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
  /** Whether the database answers this process. */
  readonly databaseUp: AskedGauge<"service">;
  readonly poolInUse: AskedGauge<"service">;
  readonly poolWaiting: AskedGauge<"service">;
  /** Connections that there may be at most. */
  readonly poolSize: AskedGauge<"service">;
  /** Seconds that callers waited for a connection, whether they got one or not. */
  readonly poolWaitDuration: Histogram<"service">;
  /** Seconds a statement took, by its name, or by its first word when it has none. */
  readonly statementDuration: Histogram<"service" | "statement">;
  /** Seconds since the server archived a piece of its log; absent when it does not. */
  readonly walArchiveSeconds: AskedGauge<never>;
  /** Seconds since the base backup that was noted last; absent when none was. */
  readonly baseBackupSeconds: AskedGauge<never>;
  readonly natsConnected: AskedGauge<never>;
  /** Bytes that the stream of events has on disk. */
  readonly natsStoredBytes: AskedGauge<never>;
  /** When the first of the certificates ends, in seconds since 1970. */
  readonly certificateEnd: AskedGauge<"certificate">;
  /** 1 for the one state that the sealing key is in. */
  readonly sealKeyState: AskedGauge<"state">;
  /** Leaves that no checkpoint covers yet; every process measures all logs. */
  readonly logLeavesWaiting: Gauge;
  /** Seconds that the oldest of them has waited. Receipts promise at most 60; raise an alarm above 10. */
  readonly logOldestLeafSeconds: Gauge;
  /** Logs with a leaf whose promised time is over; anything but 0 is an alarm. */
  readonly logsOverdue: Gauge;
  /** Logs that get no checkpoint because what is stored of them contradicts itself; anything but 0 is an alarm. */
  readonly logsRefused: Gauge<"log">;
  /** New epochs of logs, which this process opened because the database lacked what the log had signed. */
  readonly logEpochsOpened: Counter<"log">;
  /** Epochs that no operator has confirmed; every process measures all. Anything but 0 is an alarm. */
  readonly logEpochsUnconfirmed: Gauge;
  readonly setbackUnconfirmed: Gauge<"service">;
  /** 1 while the witness of the logs cannot be used, and nothing is signed. */
  readonly logWitnessFailing: Gauge;
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
  /** Seconds to print an Office file as a PDF, by what came of it: "converted", "refused" or "failed". */
  readonly convertDuration: Histogram<"outcome">;
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

/** For what has many names: few, so that there are not too many series. */
const fewBuckets = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];

// From 0.5 ms (a lone RPC on one machine) to the longest deadline in use.
const durationBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

// From a relay that is woken at once to events that waited for an outage of days.
const lagBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800, 7_200, 86_400];

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  readonly version: string;
};

// Three times as long as from one reading to the next, an answer that is slow included.
const busyFreshMs = 20_000;
const usualFreshMs = 45_000;

/** What is measured of the process itself, once for all registries: nothing ends the timers that it takes. */
const ofProcess = new Registry();
collectDefaultMetrics({ register: ofProcess });

/** Metrics in a registry of their own, so that several services can live in one process and tests never share counts. */
export function createMetrics(): Metrics {
  const registry = Registry.merge([ofProcess]);
  const registers = [registry];
  new Gauge({
    ...{ name: "assent_build_info", help: "What runs; always 1.", labelNames: ["version", "node"], registers },
  }).set({ version, node: process.version }, 1);
  const gauge = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Gauge<L>({ name, help, labelNames, registers });
  const fresh = <L extends string>(freshMs: number, name: string, help: string, labelNames: L[]) =>
    freshGauge<L>({ name, help, labelNames, registers }, freshMs);
  const asked = <L extends string>(name: string, help: string, labelNames: L[]) =>
    askedGauge<L>({ name, help, labelNames, registers });
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
    rpcClientDuration: new Histogram({
      name: "assent_rpc_client_duration_seconds",
      help: "Time a call to another service took.",
      labelNames: ["service", "method", "code"],
      registers,
      buckets: fewBuckets,
    }),
    rpcItems: counter("assent_rpc_items_total", "Items of RPCs that answer each by itself.", [
      "service",
      "method",
      "code",
    ]),
    httpDuration: histogram("assent_http_duration_seconds", "Time an HTTP request took.", [
      "route",
      "method",
      "status",
    ]),
    outboxLagSeconds: fresh(busyFreshMs, "assent_outbox_lag_seconds", "Age of the oldest unpublished outbox row.", [
      "service",
    ]),
    outboxPublished: counter("assent_outbox_published_total", "Outbox rows published to the bus.", ["service"]),
    outboxEpoch: gauge("assent_outbox_epoch", "How often the outbox began anew because bus and database differed.", [
      "service",
    ]),
    eventsConsumed: counter("assent_events_consumed_total", "Events that took effect.", ["consumer"]),
    eventsDead: counter("assent_events_dead_total", "Events given up after the last delivery.", ["consumer"]),
    deadEvents: fresh(usualFreshMs, "assent_dead_events", "Events that were given up and are kept for operators.", [
      "consumer",
    ]),
    eventLagSeconds: new Histogram({
      name: "assent_event_lag_seconds",
      help: "Time from what an event tells of to its effect.",
      labelNames: ["consumer"],
      registers,
      buckets: lagBuckets,
    }),
    consumerPending: fresh(usualFreshMs, "assent_consumer_pending", "Events that wait for a consumer or are handled.", [
      "consumer",
    ]),
    limiterRefusals: counter("assent_limiter_refusals_total", "Requests refused by a rate limit.", ["group"]),
    databaseUp: asked("assent_database_up", "Whether the database answers.", ["service"]),
    poolInUse: asked("assent_pool_in_use", "Database connections in use.", ["service"]),
    poolWaiting: asked("assent_pool_waiting", "Callers that wait for a database connection.", ["service"]),
    poolSize: asked("assent_pool_size", "Database connections that there may be at most.", ["service"]),
    poolWaitDuration: histogram("assent_pool_wait_seconds", "Time callers waited for a connection.", ["service"]),
    statementDuration: new Histogram({
      name: "assent_statement_duration_seconds",
      help: "Time a statement of the database took.",
      labelNames: ["service", "statement"],
      registers,
      buckets: fewBuckets,
    }),
    walArchiveSeconds: asked("assent_wal_archive_age_seconds", "Time since the database's log was archived.", []),
    baseBackupSeconds: asked("assent_base_backup_age_seconds", "Time since the last recorded base backup.", []),
    natsConnected: asked("assent_nats_connected", "Whether there is a connection to NATS.", []),
    natsStoredBytes: asked("assent_nats_stored_bytes", "Bytes that the stream of events has on disk.", []),
    certificateEnd: asked("assent_certificate_end_timestamp_seconds", "When the first of the certificates ends.", [
      "certificate",
    ]),
    sealKeyState: asked("assent_seal_key_state", "1 for the state that the sealing key is in.", ["state"]),
    logLeavesWaiting: fresh(usualFreshMs, "assent_log_leaves_waiting", "Leaves that no checkpoint covers yet.", []),
    logOldestLeafSeconds: fresh(
      usualFreshMs,
      "assent_log_oldest_leaf_seconds",
      "Age of the oldest leaf without a checkpoint.",
      [],
    ),
    logsOverdue: fresh(usualFreshMs, "assent_log_overdue", "Logs with a leaf whose promised time has passed.", []),
    logsRefused: gauge("assent_log_refused", "Logs that contradict themselves and get no checkpoint.", ["log"]),
    logEpochsOpened: counter("assent_log_epochs_total", "Epochs of logs opened after the database went back.", ["log"]),
    logEpochsUnconfirmed: fresh(
      usualFreshMs,
      "assent_log_epochs_unconfirmed",
      "Epochs of logs that no one has confirmed.",
      [],
    ),
    setbackUnconfirmed: gauge(
      "assent_setback_unconfirmed",
      "1 while no one has confirmed that the database of this service, or NATS, went back in time.",
      ["service"],
    ),
    logWitnessFailing: fresh(
      usualFreshMs,
      "assent_log_witness_failing",
      "1 while the witness of the logs cannot be used.",
      [],
    ),
    logCheckpoints: counter("assent_log_checkpoints_total", "Checkpoints published.", ["log"]),
    logIntegrationDuration: histogram("assent_log_integration_seconds", "Time to publish a checkpoint.", []),
    timestampRequests: counter("assent_timestamp_requests_total", "Requests for time stamps.", ["outcome"]),
    renderDuration: histogram("assent_render_duration_seconds", "Time to make a PDF, waiting included.", ["outcome"]),
    rendererEnds: counter("assent_renderer_ends_total", "Renderer processes that ended.", ["reason"]),
    intakeEnds: counter("assent_intake_ends_total", "Processes that read documents and ended.", ["reason"]),
    convertDuration: histogram("assent_convert_duration_seconds", "Time to print an Office file as a PDF.", [
      "outcome",
    ]),
    signWitnessed: counter("assent_sign_witnessed_total", "Files compared before they were sealed.", ["outcome"]),
    signCompletingOldestSeconds: fresh(
      busyFreshMs,
      "assent_sign_completing_oldest_seconds",
      "How long the oldest agreement has waited for its seal.",
      [],
    ),
    webhookAttempts: counter("assent_webhook_attempts_total", "Requests to receivers of events.", ["outcome"]),
    webhookFirstAttempt: new Histogram({
      name: "assent_webhook_first_attempt_seconds",
      help: "Time from what an event tells of to the first request to a receiver.",
      registers,
      buckets: lagBuckets,
    }),
    webhookWaiting: fresh(usualFreshMs, "assent_webhook_waiting", "Deliveries that are due and not under way.", []),
    webhookOldestSeconds: fresh(
      usualFreshMs,
      "assent_webhook_oldest_due_seconds",
      "How long the first receiver with something due has waited for a process.",
      [],
    ),
    spansExported: counter("assent_spans_total", "Spans of traces that were sent or could not be.", ["outcome"]),
  };
}
