import type { Transport } from "@connectrpc/connect";
import type { Tracer } from "../telemetry.ts";
import { isSampled, traceId } from "../trace-context.ts";

/**
 * A transport whose calls are spans: in the trace that their headers name, there within the span that makes them; else in
 * the one within which they are made. The server goes on from there.
 */
export function traceTransport<T extends Transport>(transport: T, tracer: Tracer | undefined): T {
  if (tracer?.isOn !== true) return transport;
  const unary: Transport["unary"] = async (method, signal, timeoutMs, header, input, contextValues) => {
    const headers = new Headers(header);
    const parent = nearest(headers.get("traceparent") ?? undefined, tracer.active?.());
    if (!isSampled(parent)) return transport.unary(method, signal, timeoutMs, header, input, contextValues);
    const service = method.parent.typeName;
    const attributes = { "rpc.system.name": "grpc", "rpc.service": service, "rpc.method": method.name };
    const span = tracer.startSpan(`${service}/${method.name}`, "client", parent, { attributes });
    headers.set("traceparent", span.traceparent);
    try {
      const answer = await transport.unary(method, signal, timeoutMs, headers, input, contextValues);
      span.end();
      return answer;
    } catch (error) {
      span.end(error);
      throw error;
    }
  };
  return { ...transport, unary };
}

const nearest = (named: string | undefined, active: string | undefined): string | undefined => {
  if (named === undefined || active === undefined) return named ?? active;
  return traceId(named) === traceId(active) ? active : named;
};
