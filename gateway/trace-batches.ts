import type { AcceptBatchRequest_Item } from "#gen/assent/click/v1/click_pb.ts";
import { noopTracer, type Tracer, traced } from "#platform/telemetry.ts";
import { isSampled } from "#platform/trace-context.ts";
import type { AcceptCoalescerDeps } from "./accept-coalescer.ts";

type Send = AcceptCoalescerDeps["send"];
type Items = AcceptBatchRequest_Item[];
type Headers = Readonly<Record<string, string>>;

/**
 * Puts a batch into the trace of the first request in it whose trace is recorded, with links to the other ones: a span
 * has one parent only.
 */
export function traceBatches(
  tracer: Tracer = noopTracer,
  send: (items: Items, headers: Headers, signal: AbortSignal) => ReturnType<Send>,
): Send {
  if (tracer.isOn !== true) return (items, signal) => send(items, {}, signal);
  return (items, signal) => {
    const [first, ...links] = items.flatMap(({ caller }) => (isSampled(caller?.traceparent) ? caller.traceparent : []));
    if (first === undefined) return send(items, {}, signal);
    const attributes = { "assent.items": items.length };
    const span = tracer.startSpan("accept batch", "internal", first, { attributes, links });
    return traced(tracer, span, () => send(items, { traceparent: span.traceparent }, signal));
  };
}
