/** One timed operation of a trace. */
export interface Span {
  /** W3C traceparent for whatever happens on behalf of this span; empty when nothing is traced and nothing came in. */
  readonly traceparent: string;
  /** Ends the span; the error marks it as failed. */
  end(error?: unknown): void;
}

export type SpanKind = "server" | "client" | "producer" | "consumer" | "internal";

/** Where spans go. Called on every RPC, so an implementation must not throw and must be cheap when not sampling. */
export interface Tracer {
  /** Starts a span in the trace of the given traceparent, or in a new trace when there is none. */
  startSpan(name: string, kind: SpanKind, parent: string | undefined): Span;
}

const noEnd = (): void => {};

/** Records nothing and passes the incoming trace on unchanged. */
export const noopTracer: Tracer = {
  startSpan: (_name, _kind, parent = "") => ({ traceparent: parent, end: noEnd }),
};
