import type { Transport } from "@connectrpc/connect";
import { createHealthState } from "#platform/health.ts";
import { requireKnownCaller } from "#platform/rpc/callers.ts";
import { serverInterceptors } from "#platform/rpc/interceptors.ts";
import { type RpcServer, startRpcServer } from "#platform/rpc/server.ts";
import type { OpenTlsFiles } from "#platform/rpc/tls.ts";
import type { Runtime } from "#platform/service.ts";
import { type AdmitDeps, createAdmit } from "./admit.ts";
import type { ClientMap } from "./client-map.ts";
import { forwardingRoutes } from "./forward.ts";
import { publicDescriptors } from "./public-descriptors.ts";
import { type Backend, backends } from "./public-rpcs.ts";
import { createReflection } from "./reflection.ts";

export interface GrpcConfig {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Plain text when absent, for a network that encrypts by itself. */
  readonly tls: OpenTlsFiles | undefined;
  /** Programs that prove themselves with certificates, as they are configured now. */
  readonly clients: () => ClientMap;
  /** Whether tools may ask which contracts there are. */
  readonly reflection?: boolean;
}

export interface GrpcDeps extends Omit<AdmitDeps, "clients" | "newId"> {
  readonly runtime: Pick<Runtime, "logger" | "metrics" | "tracer" | "newId">;
  readonly transports: Readonly<Record<Backend, Transport>>;
}

/** A document of 25 MB with what is said of it. */
const maxMessageBytes = 28 * 1024 * 1024;

/** Serves the public RPCs to programs outside of the installation. Rejects when the port cannot be bound. */
export async function listenGrpc(config: GrpcConfig, deps: GrpcDeps): Promise<RpcServer> {
  const { logger, metrics, tracer, newId } = deps.runtime;
  const admitOutsider = createAdmit({ ...deps, clients: config.clients, newId });
  // Nobody may name whom they act for here, not even processes of ours.
  const callers = requireKnownCaller({ ownNames: new Set(), admitOutsider });
  const health = createHealthState();
  const reflection = config.reflection
    ? createReflection(publicDescriptors(backends.map(([, service]) => service)), deps.floodGuard)
    : undefined;
  const server = await startRpcServer({
    ...{ host: config.host, port: config.port, tls: config.tls, maxMessageBytes, logger, health },
    register: reflection?.register,
    routes: forwardingRoutes(deps.transports),
    interceptors: serverInterceptors({ service: "gateway", logger, metrics, tracer, callers }),
  });
  health.setServing(true);
  logger.info({ grpcPort: server.port }, "serving gRPC");
  return {
    port: server.port,
    drain: (graceMs) => {
      health.setServing(false);
      reflection?.close();
      return server.drain(graceMs);
    },
  };
}
