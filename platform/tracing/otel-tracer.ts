import { AsyncLocalStorage } from "node:async_hooks";
import { Code, ConnectError } from "@connectrpc/connect";
import { type Context, type Link, SpanKind as OtelKind, ROOT_CONTEXT, SpanStatusCode, trace } from "@opentelemetry/api";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { AlwaysOnSampler, BatchSpanProcessor, type SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import type { Span, SpanAttributes, SpanKind, SpanOptions, Tracer } from "../telemetry.ts";
import { isSampled } from "../trace-context.ts";

export interface OtelTracerOptions {
  /** The service.name of everything that is recorded. */
  readonly serviceName: string;
  /** Tells the processes of a service apart. */
  readonly instanceId: string;
  /** Of the traces that begin here, from 0 to 1. */
  readonly share: number;
  readonly exporter: SpanExporter;
  /** From 0 to 1. */
  readonly random?: () => number;
}

export interface OtelTracer {
  readonly tracer: Tracer;
  /** Sends what is recorded and ends the exporter. */
  shutdown(): Promise<void>;
}

/** How often spans are sent. */
const sendMs = 1_000;
/** What comes while so many wait is dropped: memory is for requests. */
const maxWaiting = 8_192;
/** No value of ours comes near it. */
const maxValueLength = 256;

/**
 * Records spans with the SDK of OpenTelemetry. Whether a trace is recorded was decided where it began, and travels in the
 * traceparent: of all others this asks nothing of the SDK. What runs within which span is known by the asynchronous
 * context.
 */
export function createOtelTracer(options: OtelTracerOptions): OtelTracer {
  const { share, random = Math.random } = options;
  const provider = createProvider(options);
  const sdk = provider.getTracer("assent");
  const current = new AsyncLocalStorage<RecordedSpan | undefined>();

  const record = (name: string, kind: SpanKind, context: Context, { attributes = {}, links }: SpanOptions): Span => {
    const start = { kind: kinds[kind], attributes, links: (links ?? []).flatMap(linkTo) };
    return recordedSpan(sdk.startSpan(name, start, context));
  };
  const tracer: Tracer = {
    isOn: true,
    startSpan: (name, kind, parent = "", spanOptions = {}) => {
      if (isSampled(parent)) return record(name, kind, contextOf(parent), spanOptions);
      const begins = parent === "" && spanOptions.mayBegin === true && random() < share;
      return begins ? record(name, kind, ROOT_CONTEXT, spanOptions) : { traceparent: parent, end: noEnd };
    },
    within: (span, work) => {
      if (isRecorded(span)) return current.run(span, work);
      // What is not recorded must not be taken for a part of what happens to have started it.
      return current.getStore() === undefined ? work() : current.run(undefined, work);
    },
    active: () => {
      const span = current.getStore();
      return span === undefined || span.hasEnded() ? undefined : span.traceparent;
    },
  };
  return { tracer, shutdown: () => provider.shutdown() };
}

const createProvider = ({ serviceName, instanceId, exporter }: OtelTracerOptions): TracerProvider =>
  new TracerProvider({
    resource: resourceFromAttributes({ "service.name": serviceName, "service.instance.id": instanceId }),
    // What is not to be recorded never reaches it.
    sampler: new AlwaysOnSampler(),
    spanLimits: { attributeValueLengthLimit: maxValueLength },
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: sendMs, maxQueueSize: maxWaiting })],
  });

const kinds: Readonly<Record<SpanKind, OtelKind>> = {
  server: OtelKind.SERVER,
  client: OtelKind.CLIENT,
  producer: OtelKind.PRODUCER,
  consumer: OtelKind.CONSUMER,
  internal: OtelKind.INTERNAL,
};

const noEnd = (): void => {};

interface RecordedSpan extends Span {
  hasEnded(): boolean;
}

const isRecorded = (span: Span): span is RecordedSpan => "hasEnded" in span;

function recordedSpan(span: ReturnType<ReturnType<TracerProvider["getTracer"]>["startSpan"]>): RecordedSpan {
  const { traceId, spanId } = span.spanContext();
  let ended = false;
  return {
    traceparent: `00-${traceId}-${spanId}-01`,
    hasEnded: () => ended,
    note: (attributes: SpanAttributes, name) => {
      span.setAttributes({ ...attributes });
      if (name !== undefined) span.updateName(name);
    },
    end: (error) => {
      if (ended) return;
      ended = true;
      // The message of an error may hold values.
      if (error !== undefined)
        span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute("error.type", errorKind(error));
      span.end();
    },
  };
}

const contextOf = (traceparent: string): Context => trace.setSpanContext(ROOT_CONTEXT, spanContextOf(traceparent));

const spanContextOf = (traceparent: string) => ({
  traceId: traceparent.slice(3, 35),
  spanId: traceparent.slice(36, 52),
  traceFlags: 1,
  isRemote: true,
});

const linkTo = (traceparent: string): Link[] =>
  isSampled(traceparent) ? [{ context: spanContextOf(traceparent) }] : [];

/** What kind of failure it was, in one word: its code, or the name of its class. Never what it says. */
function errorKind(error: unknown): string {
  if (error instanceof ConnectError) return Code[error.code] ?? "Unknown";
  if (typeof error !== "object" || error === null) return "unknown";
  const { code } = error as { readonly code?: unknown };
  // DomainError, Node and Postgres have such codes.
  if (typeof code === "string" && code.length <= 60 && /^[A-Z0-9_]+$/.test(code)) return code;
  return error instanceof Error ? error.constructor.name : "unknown";
}
