import { Code, ConnectError } from "@connectrpc/connect";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "#gen/grpc/health/v1/health_pb.ts";
import type { RpcRoutes } from "./rpc/routes.ts";

/** Whether this process wants requests. */
export interface HealthState {
  isServing(): boolean;
  setServing(serving: boolean): void;
}

/** A health state that does not serve yet. */
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
 * grpc.health.v1.Health/Check: the state of the process under "" and under the name of each service that it serves.
 * Other names are `not_found`, as the protocol says. Watch is not offered.
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
