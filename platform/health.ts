import { Code, ConnectError } from "@connectrpc/connect";
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
