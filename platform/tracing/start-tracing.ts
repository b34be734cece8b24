import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import type { SettingValues } from "../config.ts";
import type { Logger } from "../logger.ts";
import type { Metrics } from "../metrics.ts";
import { noopTracer, type Tracer } from "../telemetry.ts";
import { parseOtlpHeaders, type tracingSettings } from "./settings.ts";

export interface Tracing {
  readonly tracer: Tracer;
  /** Sends what is recorded, for a moment at most; the last step of a process that stops. Never rejects. */
  stop(): Promise<void>;
}

export interface TracingDeps {
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "spansExported">;
}

/** A collector that does not answer must not hold up the end of a process. */
const longestFlushMs = 2_000;
const exportTimeoutMs = 5_000;

/** Tracing as the settings say. Without a place to send traces to nothing of OpenTelemetry is even loaded. */
export async function startTracing(
  service: string,
  settings: SettingValues<typeof tracingSettings>,
  deps: TracingDeps,
): Promise<Tracing> {
  const {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_HEADERS,
    OTEL_TRACES_SAMPLER_ARG: share,
  } = settings;
  if (endpoint === "") return { tracer: noopTracer, stop: async () => {} };
  const [{ OTLPTraceExporter }, { createOtelTracer }] = await Promise.all([
    import("@opentelemetry/exporter-trace-otlp-proto"),
    import("./otel-tracer.ts"),
  ]);
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
    headers: parseOtlpHeaders(OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMillis: exportTimeoutMs,
  });
  const { tracer, shutdown } = createOtelTracer({
    serviceName: `assent-${service}`,
    instanceId: randomUUID(),
    share,
    exporter: watched(exporter, deps),
  });
  const stop = async (): Promise<void> => {
    await Promise.race([shutdown(), delay(longestFlushMs, undefined, { ref: false })]).catch(() => {});
  };
  return { tracer, stop };
}

/** Tells operators when traces cannot be sent, once per outage. */
function watched(exporter: SpanExporter, { logger, metrics }: TracingDeps): SpanExporter {
  let fails = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = result.code !== 0;
        metrics.spansExported.inc({ outcome: failed ? "failed" : "sent" }, spans.length);
        if (failed && !fails) logger.warn({ err: result.error }, "traces cannot be sent; they are dropped");
        if (!failed && fails) logger.info("traces are sent again");
        fails = failed;
        done(result);
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}
