/** Values of series, minute by minute, as promtool takes them. */
export type Series = Readonly<Record<string, string>>;

/** What makes an alert be told, and what looks alike and does not. */
export interface Fault {
  readonly alert: string;
  readonly after: string;
  /** Besides the severity. */
  readonly labels: Readonly<Record<string, string>>;
  readonly told: Series;
  /** Other courses that make it be told. */
  readonly alsoTold?: readonly Series[];
  readonly silent: readonly Series[];
}

const place = { namespace: "assent", installation: "production" };

const of = (
  name: string,
  labels: Readonly<Record<string, string>> = {},
  where: Readonly<Record<string, string>> = place,
) =>
  `${name}{${Object.entries({ ...where, ...labels })
    .map(([label, value]) => `${label}="${value}"`)
    .join(",")}}`;

/** Stays at this value. */
const at = (value: number): string => `${value}+0x200`;
/** Grows by so much a minute. */
const by = (value: number): string => `0+${value}x200`;

/** A gauge or counter of ours with one bad and one good course. */
const simple = (
  alert: string,
  after: string,
  name: string,
  labels: Readonly<Record<string, string>>,
  [bad, good]: readonly [string, string],
  /** Those labels by which the alert is told. */
  shown: Readonly<Record<string, string>> = labels,
): Fault => ({
  ...{ alert, after, labels: { ...place, ...shown } },
  told: { [of(name, labels)]: bad },
  silent: [{ [of(name, labels)]: good }, {}],
});

const requests = (route: string, failed: number, answered: number): Series => ({
  [of("assent_http_duration_seconds_count", { route, status: "503" })]: by(failed),
  [of("assent_http_duration_seconds_count", { route, status: "200" })]: by(answered),
});

/** A failure in forty is too many; half of what one customer asks for at night is not, nor is one in a thousand. */
const burning = (alert: string, route: string): Fault => ({
  ...{ alert, after: "40m", labels: place },
  told: requests(route, 5, 195),
  silent: [requests(route, 0.02, 0.02), requests(route, 0.2, 200), requests("/healthz", 100, 100)],
});

const acceptances = (fast: number, all: number): Series => ({
  [of("assent_http_duration_seconds_bucket", { route: "/v1/click/accept", le: "0.25" })]: by(fast),
  [of("assent_http_duration_seconds_bucket", { route: "/v1/click/accept", le: "0.5" })]: by(all),
  [of("assent_http_duration_seconds_bucket", { route: "/v1/click/accept", le: "+Inf" })]: by(all),
  [of("assent_http_duration_seconds_count", { route: "/v1/click/accept" })]: by(all),
});

const late = (seconds: "60" | "7200"): Series => ({
  [of("assent_event_lag_seconds_bucket", { consumer: "webhooks", le: "60" })]: by(seconds === "60" ? 10 : 0),
  [of("assent_event_lag_seconds_bucket", { consumer: "webhooks", le: "7200" })]: by(10),
  [of("assent_event_lag_seconds_bucket", { consumer: "webhooks", le: "+Inf" })]: by(10),
});

const pending = (waiting: number, consumed: number): Series => ({
  [of("assent_consumer_pending", { consumer: "webhooks" })]: at(waiting),
  [of("assent_events_consumed_total", { consumer: "webhooks" })]: by(consumed),
});

const stamps = (failed: number, stamped: number): Series => ({
  [of("assent_timestamp_requests_total", { outcome: "failed" })]: by(failed),
  [of("assent_timestamp_requests_total", { outcome: "stamped" })]: by(stamped),
});

/** A certificate that ends so many days after the first minute. */
const ending = (alert: string, after: string, [bad, good]: readonly [number, number]): Fault => ({
  ...simple(alert, after, "assent_certificate_end_timestamp_seconds", { certificate: "rpc" }, [
    at(bad * 86_400),
    at(good * 86_400),
  ]),
  silent: [{ [of("assent_certificate_end_timestamp_seconds", { certificate: "seal_former" })]: at(0) }],
});

const here = { namespace: "assent" };
const ours = { [of("assent_build_info", { version: "1.0.0" })]: at(1) };

/** What an operator of the cluster measures counts only where we run. */
const around = (
  alert: string,
  after: string,
  labels: Readonly<Record<string, string>>,
  told: Series,
  healthy: Series,
): Fault => ({
  ...{ alert, after, labels: { ...here, ...labels } },
  told: { ...told, ...ours },
  silent: [{ ...healthy, ...ours }, told],
});

const servers = (third: string): Series =>
  Object.fromEntries(
    ["1", "2", "3"].map((pod) => [of("cnpg_collector_up", { pod }, here), pod === "3" ? third : at(1)]),
  );

const backup = (last?: number): Series => ({
  [of("cnpg_collector_up", { pod: "1" }, here)]: at(1),
  ...(last !== undefined && {
    [of("barman_cloud_cloudnative_pg_io_last_available_backup_timestamp", { pod: "1" }, here)]: at(last),
  }),
});

const disk = (persistentvolumeclaim: string, free: number): Series => ({
  [of("kubelet_volume_stats_available_bytes", { persistentvolumeclaim }, here)]: at(free),
  [of("kubelet_volume_stats_capacity_bytes", { persistentvolumeclaim }, here)]: at(100),
});

const pods = (available: number): Series => ({
  [of("kube_deployment_spec_replicas", { deployment: "click" }, here)]: at(3),
  [of("kube_deployment_status_replicas_available", { deployment: "click" }, here)]: at(available),
});

const gibibytes = 1024 ** 3;

/** In the order of the rules. */
export const faults: readonly Fault[] = [
  burning("HotPathBurnsFast", "/v1/click/accept"),
  burning("HotPathBurnsSlowly", "/v1/click/accept"),
  burning("ManagementBurnsFast", "/v1/sign/agreements"),
  burning("ManagementBurnsSlowly", "/v1/sign/agreements"),
  {
    ...{ alert: "AcceptancesAreSlow", after: "20m", labels: place },
    told: acceptances(90, 100),
    silent: [acceptances(100, 100), acceptances(0, 1)],
  },
  simple("EventsWait", "8m", "assent_outbox_lag_seconds", { service: "click" }, [at(90), at(2)]),
  {
    ...simple("EventsBeganAnew", "375m", "assent_outbox_epoch", { service: "click" }, ["1x370 2x60", "2x430"]),
    alsoTold: [{ [of("assent_setback_unconfirmed", { service: "click" })]: "1x430" }],
  },
  simple("EventsWereGivenUp", "3m", "assent_dead_events", { consumer: "webhooks" }, [at(1), at(0)]),
  {
    ...{ alert: "EventsTakeEffectLate", after: "25m", labels: { ...place, consumer: "webhooks" } },
    ...{ told: late("7200"), silent: [late("60")] },
  },
  {
    ...{ alert: "ConsumerFallsBehind", after: "30m", labels: { ...place, consumer: "webhooks" } },
    told: pending(5, 0),
    silent: [pending(5, 100), pending(0, 0)],
  },
  simple("EvidenceWaits", "4m", "assent_log_oldest_leaf_seconds", {}, [at(20), at(1)]),
  simple("EvidenceIsOverdue", "1m", "assent_log_overdue", {}, [at(1), at(0)]),
  simple("EvidenceContradictsItself", "1m", "assent_log_refused", { log: "organization" }, [at(1), at(0)]),
  simple("EvidenceWentBack", "1m", "assent_log_epochs_unconfirmed", {}, [at(2), at(0)]),
  simple("LogWitnessFails", "3m", "assent_log_witness_failing", {}, [at(1), at(0)]),
  {
    ...{ alert: "TimeStampsFail", after: "60m", labels: place },
    ...{ told: stamps(1, 0), silent: [stamps(1, 1), stamps(0, 1)] },
  },
  simple("AgreementsAreNotCompleted", "8m", "assent_sign_completing_oldest_seconds", {}, [at(200), at(3)]),
  simple("SealsAreRefused", "10m", "assent_sign_witnessed_total", { outcome: "different" }, [by(1), at(7)], {}),
  simple("SealKeyIsNotUsable", "7m", "assent_seal_key_state", { state: "expired" }, [at(1), at(0)]),
  ending("CertificateEnds", "90m", [20, 22]),
  ending("CertificateEndsSoon", "20m", [1, 3]),
  simple("WebhooksWait", "15m", "assent_webhook_oldest_due_seconds", {}, [at(60), at(1)]),
  simple("RenderersDie", "30m", "assent_renderer_ends_total", { reason: "timeout" }, [by(2), by(1)]),
  simple("EventLoopIsHeld", "15m", "nodejs_eventloop_lag_p99_seconds", { service_name: "click" }, [at(0.5), at(0.02)]),
  simple("DatabaseIsDown", "3m", "assent_database_up", { service: "click" }, [at(0), at(1)]),
  simple("DatabaseConnectionsRunOut", "8m", "assent_pool_waiting", { service: "click" }, [at(3), at(0)]),
  around("DatabaseServerIsMissing", "100m", {}, servers("1+0x60 stale"), servers(at(1))),
  around("BackupIsOld", "65m", {}, backup(-37 * 3_600), backup(-3_600)),
  {
    ...simple("BaseBackupIsOld", "65m", "assent_base_backup_age_seconds", {}, [at(37 * 3_600), at(25 * 3_600)]),
    // The log is archived, and no base backup was ever noted.
    alsoTold: [{ [of("assent_wal_archive_age_seconds")]: at(20) }],
    silent: [
      { [of("assent_wal_archive_age_seconds")]: at(20), [of("assent_base_backup_age_seconds")]: at(3_600) },
      { [of("assent_wal_archive_age_seconds")]: at(20), [of("cnpg_collector_up", { pod: "1" }, here)]: at(1) },
      {},
    ],
  },
  simple("LogIsNotArchived", "10m", "assent_wal_archive_age_seconds", {}, [at(2_000), at(100)]),
  around(
    "DatabaseDiskFills",
    "8m",
    { persistentvolumeclaim: "postgres-1" },
    disk("postgres-1", 10),
    disk("postgres-1", 30),
  ),
  simple("NatsIsAway", "8m", "assent_nats_connected", { service_name: "click" }, [at(0), at(1)]),
  simple("StreamFills", "8m", "assent_nats_stored_bytes", {}, [at(15 * gibibytes), at(gibibytes)]),
  around(
    "NatsDiskFills",
    "8m",
    { persistentvolumeclaim: "data-nats-0" },
    disk("data-nats-0", 10),
    disk("data-nats-0", 30),
  ),
  simple("ProcessIsMissing", "40m", "up", { service_name: "gateway" }, ["1+0x30 0+0x60", at(1)]),
  around("ReplicasAreMissing", "20m", { deployment: "click" }, pods(2), pods(3)),
];
