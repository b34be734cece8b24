import { createClient, type Transport } from "@connectrpc/connect";
import type { Pool } from "pg";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "#gen/grpc/health/v1/health_pb.ts";
import type { Revocations } from "./auth/revocations.ts";

/** Names the missing dependencies. */
export type FindMissing = () => Promise<readonly string[]>;

/** Anybody may ask for readiness, so concurrent requests share one check. */
function shared<T>(look: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= look().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Throws while this gateway cannot serve anything: without its database, or before it knows the revocations. */
export function createReadinessCheck(
  pool: Pool,
  revocations: Revocations,
  checkOthers: () => Promise<void> = async () => undefined,
): () => Promise<void> {
  const checkDatabase = shared(() => pool.query("select"));
  return async () => {
    revocations.requireKnown();
    await checkOthers();
    await checkDatabase();
  };
}

const healthMs = 800;

/** Services whose health check does not report serving in time. */
export function unreachable(channels: Readonly<Record<string, Transport>>): FindMissing {
  return async () => {
    const states = Object.entries(channels).map(async ([name, transport]) => {
      const { status } = await createClient(Health, transport)
        .check({}, { timeoutMs: healthMs })
        .catch(() => ({ status: ServingStatus.UNKNOWN }));
      return status === ServingStatus.SERVING ? [] : [name];
    });
    return (await Promise.all(states)).flat();
  };
}

/** Everything that is missing: the database, and the services behind the gateway. */
export function createMissingParts(pool: Pool, findServices: FindMissing = async () => []): FindMissing {
  return shared(async () => {
    const [services, database] = await Promise.all([
      findServices(),
      pool.query("select").then(
        () => [],
        () => ["database"],
      ),
    ]);
    return [...database, ...services];
  });
}
