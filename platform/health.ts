import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "#gen/grpc/health/v1/health_pb.ts";
import type { RpcRoutes } from "./rpc/routes.ts";

/** Whether this process accepts requests. */
export interface HealthState {
  isServing(): boolean;
  setServing(serving: boolean): void;
}

/** A health state that starts as not serving. */
export function createHealthState(): HealthState {
  let serving = false;
  return {
    isServing: () => serving,
    setServing: (value) => {
      serving = value;
    },
  };
}

/**
 * grpc.health.v1.Health/Check: reports the process's state under "" and under the name of each service it
 * serves. Other names are `not_found`, as the protocol requires. Watch is not supported.
 */
export const healthRoutes =
  (health: HealthState, serviceNames: readonly string[]): RpcRoutes =>
  (router) => {
    router.rpc(Health.method.check, (request) => {
      if (request.service !== "" && !serviceNames.includes(request.service)) {
        throw new ConnectError(`unknown service ${request.service}`, Code.NotFound);
      }
      return { status: health.isServing() ? ServingStatus.SERVING : ServingStatus.NOT_SERVING };
    });
  };

/** Names the dependencies that are away. */
export type FindMissing = () => Promise<readonly string[]>;

/** After which somebody who was asked whether he is there counts as away. */
export const healthMs = 800;

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
