import { createClient, type Transport } from "@connectrpc/connect";
import { ClickService, EvidenceLogService } from "#gen/assent/click/v1/click_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { observePool } from "#platform/db/observe-pool.ts";
import { createPool } from "#platform/db/pool.ts";
import { createDestroyerPool } from "#platform/destroy-tables.ts";
import { createResealer } from "#platform/master-keys/reseal.ts";
import { createOutboundPoster, type OutboundPoster } from "#platform/net/outbound-post.ts";
import { createRelay } from "#platform/outbox/relay.ts";
import { parseMasterKeys } from "#platform/secrets.ts";
import type { Runtime, Service } from "#platform/service.ts";
import { createBodies } from "./bodies/bodies.ts";
import type { WebhooksConfig } from "./config.ts";
import { createFanOut } from "./consumers/fan-out.ts";
import { createByteBudget } from "./deliveries/byte-budget.ts";
import { createDeliveryLoop } from "./deliveries/delivery-loop.ts";
import { createLoad, createRecordDelivered } from "./deliveries/record.ts";
import { endpointSecretsKeys, sealedColumns } from "./domain/seal-secret.ts";
import { personalDataRoutes, webhooksRoutes } from "./rpc/index.ts";
import { createSweep, createWatch } from "./workers/sweep.ts";

export interface WebhooksServiceDeps {
  readonly runtime: Runtime;
  /** Reaches the click service, which knows receipts, and whether what is old may be deleted. */
  readonly click: Transport;
  /** Reaches the sign service, which knows agreements and legal holds. */
  readonly sign: Transport;
  /** In place of requests over the network; closed with the service. */
  readonly poster?: OutboundPoster;
  /** In place of chance; at least 0 and less than 1. */
  readonly random?: () => number;
  /** How long requests may go on when the process stops; ten seconds when absent. */
  readonly stopGraceMs?: number;
}

const schema = "webhooks";

/** For bodies with documents in flight; building one takes about three times its size. */
const maxBodyBytes = 128 * 1024 * 1024;

/** Sends events to the servers of customers. Does not need the database before the first call. */
export function createWebhooksService(config: WebhooksConfig, deps: WebhooksServiceDeps): Service {
  const { bus, clock, logger, metrics, newId, tracer } = deps.runtime;
  const pools = connect(config);
  const { pool, claimerPool, fanOutPool, senderPool, sweeperPool, relayPool, resealerPool } = pools;
  for (const one of Object.values(pools)) observePool(one, "webhooks", metrics, tracer);
  const relay = createRelay({ pool: relayPool, schema, service: "webhooks", bus, clock, logger, metrics });
  const rules = { allowPrivate: config.allowPrivate ?? false, ports: [8443], named: config.privateReceivers };
  const { maxRequests = 500 } = config;
  const poster = deps.poster ?? createOutboundPoster({ rules, egress: config.egress, maxSockets: maxRequests });
  const masterKeys = parseMasterKeys(config.masterKey);
  const secretKeys = endpointSecretsKeys(masterKeys);
  const resealer = createResealer({
    ...{ service: "webhooks", schema, pool, resealerPool, masterKeys, logger },
    columns: sealedColumns(secretKeys),
  });
  const wakeRelay = () => relay.wake();
  const deliveries = createDeliveryLoop({
    ...{ pool, claimerPool, secretKeys, poster, clock, newId, logger, metrics, tracer, maxRequests, wakeRelay, bus },
    load: createLoad({ pool, senderPool }),
    recordDelivered: createRecordDelivered({ senderPool, clock, logger }),
    byteBudget: createByteBudget(maxBodyBytes),
    bodies: createBodies({
      click: createClient(ClickService, deps.click),
      sign: createClient(SignService, deps.sign),
      clock,
    }),
    random: deps.random ?? Math.random,
    graceMs: deps.stopGraceMs,
  });
  const wakeDeliveries = () => deliveries.wake();
  const fanOut = createFanOut({ pool, fanOutPool, bus, clock, newId, logger, metrics, tracer, wakeDeliveries });
  const shared = { pool, fanOutPool, secretKeys, rules, clock, newId, logger, wakeRelay, wakeDeliveries };
  return {
    name: "webhooks",
    routes: webhooksRoutes(shared),
    internalRoutes: personalDataRoutes({ ...shared, destroyerPool: pools.destroyerPool }),
    workers: [
      relay,
      fanOut,
      deliveries,
      createSweep({
        ...{ sweeperPool, clock, logger },
        evidenceLog: createClient(EvidenceLogService, deps.click),
        sign: createClient(SignService, deps.sign),
      }),
      createWatch({ claimerPool, clock, logger, metrics }),
      resealer.worker,
    ],
    deadEvents: [fanOut.deadEvents],
    resealer,
    beginStop: () => deliveries.beginStop(),
    checkReady: async () => {
      // Fails as well while the schema is not migrated.
      // One after the other: closing a pool while it connects in vain would never end.
      await pool.query("select from webhooks.endpoint limit 0");
      await claimerPool.query("select organization_id from webhooks.queue limit 0");
      await fanOutPool.query("select organization_id from webhooks.queue limit 0");
      await senderPool.query("select organization_id from webhooks.queue limit 0");
      await sweeperPool.query("select organization_id from webhooks.queue limit 0");
    },
    close: async () => {
      await poster.close();
      await Promise.all(Object.values(pools).map((one) => one.end()));
    },
  };
}

const relayConnections = 2;
const claimerConnections = 2;
/** One that reads, one that writes. */
const senderConnections = 2;
const fanOutConnections = 1;
const sweeperConnections = 1;

const fanOutLockMs = 200;
const setApart = relayConnections + claimerConnections + fanOutConnections + senderConnections + sweeperConnections;

/**
 * The delivery queue, cleanup and our own events have connections of their own, so that requests cannot starve
 * them.
 */
function connect(config: WebhooksConfig) {
  const { databaseUrl: url, poolSize = 12 } = config;
  const role = config.databaseRole || "assent_webhooks";
  const as = (suffix: string) => (role === "-" ? {} : { role: role + suffix });
  const rest = poolSize - setApart;
  return {
    pool: createPool({ url, ...as(""), max: Math.max(1, rest), name: "webhooks" }),
    // A claim lost in a crash is made again and its request possibly sent twice, as after any crash.
    claimerPool: createPool({
      ...{ url, ...as("_claimer"), max: claimerConnections },
      synchronousCommit: false,
      name: "webhooks-claimer",
    }),
    // Whoever has the row of one receiver locked for long holds up no other: then each organization waits for itself.
    fanOutPool: createPool({
      ...{ url, ...as("_fan_out"), max: fanOutConnections, lockTimeoutMs: fanOutLockMs },
      name: "webhooks-fan-out",
    }),
    senderPool: createPool({ url, ...as("_sender"), max: senderConnections, name: "webhooks-sender" }),
    sweeperPool: createPool({ url, ...as("_sweeper"), max: sweeperConnections, name: "webhooks-sweeper" }),
    // Connects only while an organization is deleted.
    destroyerPool: createDestroyerPool({ url, ...as("_destroyer"), name: "webhooks-destroyer" }),
    // Connects only while the master key is replaced.
    resealerPool: createPool({ url, ...as("_resealer"), max: 1, name: "webhooks-resealer" }),
    relayPool: createPool({
      ...{ url, ...as("_relay"), max: relayConnections },
      synchronousCommit: false,
      plansOnce: true,
      name: "webhooks-relay",
    }),
  };
}
