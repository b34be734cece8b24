import { Code, ConnectError, createRouterTransport, type Interceptor, type Transport } from "@connectrpc/connect";
import { defaultMaxMessageBytes } from "./metadata.ts";
import type { RpcRoutes } from "./routes.ts";
import { timedOut } from "./status.ts";

export interface MemoryTransportOptions {
  /** Run around every call on the serving side, the first one outermost. */
  readonly interceptors: readonly Interceptor[];
  /** Deadline of calls that set none, in milliseconds; 5000 when not given. */
  readonly defaultTimeoutMs?: number | undefined;
  /** Largest message in either direction, in bytes; 4 MiB when not given. */
  readonly maxMessageBytes?: number | undefined;
}

/**
 * A transport to handlers in the same process. Messages are serialized as on a real wire, so both sides own theirs;
 * limits, deadlines and errors are those of the gRPC transport.
 */
export function createMemoryTransport(routes: RpcRoutes, options: MemoryTransportOptions): Transport {
  const { defaultTimeoutMs = 5000, maxMessageBytes = defaultMaxMessageBytes } = options;
  const transport = createRouterTransport(routes, {
    router: { interceptors: [...options.interceptors], readMaxBytes: maxMessageBytes },
    transport: { defaultTimeoutMs, readMaxBytes: maxMessageBytes },
  });
  return {
    stream: transport.stream,
    unary: (method, signal, timeoutMs, ...rest) => {
      // Connect would take the first for "no deadline" and let the second reach the handler.
      if (timeoutMs !== undefined && timeoutMs <= 0) return Promise.reject(timedOut());
      if (signal?.aborted) return Promise.reject(ConnectError.from(signal.reason, Code.Canceled));
      return transport.unary(method, signal, timeoutMs, ...rest);
    },
  };
}
