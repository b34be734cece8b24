import type { Transport } from "@connectrpc/connect";
import type { BusEvent, EventBus, Mark, ReceivedEvent, SubscribeOptions } from "../events/bus.ts";
import { type Span, type Tracer, traced } from "../telemetry.ts";
import { isSampled, sampledTraceIn, traceId } from "../trace-context.ts";

/** A bus that carries the trace of an event with it: its publication is a span, and so is each handling of it. */
export function traceBus(bus: EventBus, tracer: Tracer): EventBus {
  if (tracer.isOn !== true) return bus;
  return {
    ...bus,
    publish: (events, mark) => publishTraced(bus, events, mark, tracer),
    subscribe: (options) => bus.subscribe({ ...options, handle: (event) => handleTraced(event, options, tracer) }),
  };
}

async function publishTraced(
  bus: EventBus,
  events: readonly BusEvent[],
  mark: Mark | undefined,
  tracer: Tracer,
): Promise<void> {
  const spans: Span[] = [];
  const withTrace = events.map(({ id, messageId, subject, data }): BusEvent => {
    const parent = sampledTraceIn(data);
    if (parent === undefined) return { id, messageId, subject, data };
    const span = tracer.startSpan(`publish ${subject}`, "producer", parent, { attributes: about(subject, "send") });
    spans.push(span);
    return { id, messageId, subject, data, traceparent: span.traceparent };
  });
  try {
    await bus.publish(withTrace, mark);
    for (const span of spans) span.end();
  } catch (error) {
    for (const span of spans) span.end(error);
    throw error;
  }
}

function handleTraced(event: ReceivedEvent, options: SubscribeOptions, tracer: Tracer): Promise<void> {
  const { subject, deliveries, traceparent } = event;
  const attributes = {
    ...about(subject, "process"),
    "messaging.consumer.group.name": options.durable,
    "assent.deliveries": deliveries,
  };
  const span = tracer.startSpan(`${options.durable} ${subject}`, "consumer", traceparent, { attributes });
  return traced(tracer, span, () => options.handle(event));
}

const about = (subject: string, operation: string) => ({
  "messaging.system": "nats",
  "messaging.destination.name": subject,
  "messaging.operation.type": operation,
});

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
