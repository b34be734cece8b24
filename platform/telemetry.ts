/** What is told of an operation: names, codes and counts; never texts, keys or anything of a person. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** One timed operation of a trace. */
export interface Span {
  /** W3C traceparent for whatever happens on behalf of this span; empty when nothing is traced and nothing came in. */
  readonly traceparent: string;
  /** Says more of the operation, which may get the name that only its end tells. */
  note?(attributes: SpanAttributes, name?: string): void;
  /** Ends the span; the error marks it as failed, by its kind alone. */
  end(error?: unknown): void;
}

export type SpanKind = "server" | "client" | "producer" | "consumer" | "internal";

export interface SpanOptions {
  readonly attributes?: SpanAttributes;
  /** Whether a share of such spans begins a trace when there is no parent. Otherwise nothing is recorded then. */
  readonly mayBegin?: boolean;
  /** The traceparents of others on whose behalf this happens as well. */
  readonly links?: readonly string[];
}

/** Where spans go. Called on every RPC, so an implementation must not throw and must be cheap when not sampling. */
export interface Tracer {
  /** False when nothing is ever recorded, so that what prepares spans can be left out. */
  readonly isOn?: boolean;
  /** Starts a span in the trace of the given traceparent, as far as that is sampled. */
  startSpan(name: string, kind: SpanKind, parent: string | undefined, options?: SpanOptions): Span;
  /** Runs work within the span, which is then the parent of what knows no other. */
  within?<T>(span: Span, work: () => T): T;
  /** The traceparent of the recorded span within which the caller runs. */
  active?(): string | undefined;
}

const noEnd = (): void => {};

/** Records nothing and passes the incoming trace on unchanged. */
export const noopTracer: Tracer = {
  isOn: false,
  startSpan: (_name, _kind, parent = "") => ({ traceparent: parent, end: noEnd }),
};

/** Runs work within the span when the tracer knows how to. */
export const within = <T>(tracer: Tracer, span: Span, work: () => T): T =>
  tracer.within === undefined ? work() : tracer.within(span, work);

/** A span around work, which runs within it. */
export async function traced<T>(tracer: Tracer, span: Span, work: () => Promise<T>): Promise<T> {
  try {
    const result = await within(tracer, span, work);
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

/** Background work, such as looking for due jobs, is not part of the span that happened to wake it. */
export const detached = <T>(tracer: Tracer | undefined, work: () => T): T =>
  tracer?.within === undefined ? work() : tracer.within(noSpan, work);

/** Some of the work that is done within a span; nothing is recorded outside of one. */
export function step<T>(
  tracer: Tracer | undefined,
  name: string,
  attributes: SpanAttributes,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const parent = tracer?.active?.();
  if (tracer === undefined || parent === undefined) return work(noSpan);
  const span = tracer.startSpan(name, "internal", parent, { attributes });
  return traced(tracer, span, () => work(span));
}

const noSpan: Span = { traceparent: "", end: noEnd };
