import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { ConnectError, createClient, type ServiceImpl, type Transport } from "@connectrpc/connect";
import { afterEach } from "@jest/globals";
import { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { createHealthState } from "../../admin-port.ts";
import type { Caller } from "../../caller.ts";
import { type OrgId, parseOrgId } from "../../ids.ts";
import { createLogger, type Logger } from "../../logger.ts";
import { createMetrics, type Metrics } from "../../metrics.ts";
import { createGrpcTransport, type GrpcTransportOptions } from "../client.ts";
import { serverInterceptors } from "../interceptors.ts";
import { createMemoryTransport } from "../memory.ts";
import type { RpcRoutes } from "../routes.ts";
import { type RpcServer, type RpcServerOptions, startRpcServer } from "../server.ts";

export const caller: Caller = {
  orgId: parseOrgId("0198c5f0-0000-7000-8000-000000000001") as OrgId,
  clientId: "cl_test",
  requestId: "request-1",
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
};

export type ClickHandlers = Partial<ServiceImpl<typeof ClickService>>;

export const clickRoutes =
  (handlers: ClickHandlers): RpcRoutes =>
  (router) => {
    router.service(ClickService, handlers);
  };

export const clickClient = (transport: Transport) => createClient(ClickService, transport);

export interface LogLine {
  readonly level: string;
  readonly [key: string]: unknown;
}

/** A logger at debug level that keeps its lines. */
export function recordingLogger(): { readonly logger: Logger; readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const logger = createLogger("test", "debug", { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { logger, lines };
}

export interface Observed {
  readonly logger: Logger;
  readonly lines: LogLine[];
  readonly metrics: Metrics;
}

export const observe = (): Observed => ({ ...recordingLogger(), metrics: createMetrics() });

/** What a test opens is closed after it, last opened first. */
export function useResources() {
  const closers: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  const defer = (close: () => Promise<void> | void) => void closers.push(close);
  return {
    defer,
    async serve(handlers: ClickHandlers, options: Partial<RpcServerOptions> = {}): Promise<RpcServer> {
      const server = await startRpcServer({
        routes: clickRoutes(handlers),
        host: "127.0.0.1",
        port: 0,
        interceptors: [],
        health: createHealthState(),
        ...options,
      });
      defer(() => server.drain(0));
      return server;
    },
    /** A TCP relay to a port of this machine whose connections can be torn. */
    async relay(port: number): Promise<{ readonly port: number; tear(): void }> {
      const sockets = new Set<Socket>();
      const server = createServer((near) => {
        const far = connect(port, "127.0.0.1");
        for (const [socket, other] of [
          [near, far],
          [far, near],
        ] as const) {
          sockets.add(socket);
          socket.on("error", () => {}).on("close", () => other.destroy());
        }
        near.pipe(far).pipe(near);
      });
      const tear = () => {
        for (const socket of sockets) socket.resetAndDestroy();
        sockets.clear();
      };
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      defer(() => {
        server.close();
        tear();
      });
      return { port: (server.address() as AddressInfo).port, tear };
    },
    transport(target: string, options: Partial<GrpcTransportOptions> = {}) {
      const transport = createGrpcTransport({ target, services: [ClickService], ...options });
      defer(() => transport.close());
      return transport;
    },
  };
}

export interface WireOptions {
  readonly maxMessageBytes?: number;
  readonly defaultTimeoutMs?: number;
}

export type OpenWire = (handlers: ClickHandlers, options?: WireOptions, observed?: Observed) => Promise<Transport>;

/** The ways to reach a service; all of them must behave alike. */
export function wires(resources: ReturnType<typeof useResources>): [name: string, open: OpenWire][] {
  const interceptorsFor = (observed: Observed) => serverInterceptors({ service: "click", ...observed });
  return [
    [
      "grpc",
      async (handlers, options = {}, observed = observe()) => {
        const { maxMessageBytes } = options;
        const interceptors = interceptorsFor(observed);
        const server = await resources.serve(handlers, { interceptors, maxMessageBytes, logger: observed.logger });
        return resources.transport(`127.0.0.1:${server.port}`, options);
      },
    ],
    [
      "memory",
      async (handlers, options = {}, observed = observe()) =>
        createMemoryTransport(clickRoutes(handlers), { interceptors: interceptorsFor(observed), ...options }),
    ],
  ];
}

/** The error that a call fails with. */
export const failureOf = (call: Promise<unknown>): Promise<ConnectError> =>
  call.then(
    () => {
      throw new Error("expected the call to fail");
    },
    (error: unknown) => {
      if (error instanceof ConnectError) return error;
      throw error;
    },
  );
