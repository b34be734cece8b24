import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "@jest/globals";
import { InMemorySpanExporter } from "@opentelemetry/sdk-trace";
import { DomainError } from "../../errors.ts";
import { createMemoryBus } from "../../events/memory.ts";
import { createMetrics } from "../../metrics.ts";
import { noopTracer, traced, within } from "../../telemetry.ts";
import { until } from "../../testing/until.ts";
import { createOtelTracer } from "../otel-tracer.ts";
import { parseOtlpHeaders, tracingSettings } from "../settings.ts";
import { startTracing } from "../start-tracing.ts";
import { traceBus } from "../trace-calls.ts";
import { describeStatement } from "../trace-pool.ts";

const sampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const unsampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

function open(options: { share?: number; random?: () => number } = {}) {
  const exporter = new InMemorySpanExporter();
  const { tracer, shutdown } = createOtelTracer({
    ...{ serviceName: "assent-test", instanceId: "1", share: 0, exporter },
    ...options,
  });
  const spans: { name: string; parent: string | undefined; status: number; attributes: object; links: number }[] = [];
  // The exporter forgets what it has when it is shut down.
  const keep = exporter.export.bind(exporter);
  exporter.export = (some, done) => {
    for (const { name, parentSpanContext, status, attributes, links } of some) {
      spans.push({ name, parent: parentSpanContext?.spanId, status: status.code, attributes, links: links.length });
    }
    keep(some, done);
  };
  return { tracer, recorded: () => shutdown().then(() => spans) };
}

describe("what is recorded", () => {
  test("is decided by the incoming flag, and for new traces by the share where they may begin", async () => {
    let chance = 0.05;
    const { tracer, recorded } = open({ share: 0.1, random: () => chance });
    expect(tracer.startSpan("skipped", "server", unsampled).traceparent).toBe(unsampled);
    expect(tracer.startSpan("malformed", "server", "00-1-2-01", { mayBegin: true }).traceparent).toBe("00-1-2-01");
    tracer.startSpan("orphan", "server", undefined).end();
    tracer.startSpan("begun", "server", undefined, { mayBegin: true }).end();
    chance = 0.1;
    tracer.startSpan("not chosen", "server", undefined, { mayBegin: true }).end();
    const followed = tracer.startSpan("followed", "server", sampled);
    expect(followed.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-(?!b7ad6b7169203331)[0-9a-f]{16}-01$/);
    followed.end();
    expect((await recorded()).map(({ name, parent }) => [name, parent])).toEqual([
      ["begun", undefined],
      ["followed", "b7ad6b7169203331"],
    ]);
  });

  test("of a failure is its kind, never what it says", async () => {
    const { tracer, recorded } = open();
    const failures = [
      new DomainError("NOT_FOUND", { message: "jane@example.com" }),
      Object.assign(new Error("Key (user_ref)=(jane)"), { code: "23505" }),
      new TypeError("jane"),
      "jane",
      Object.assign(new Error("a"), { code: "jane@example.com" }),
    ];
    for (const failure of failures) tracer.startSpan("a", "internal", sampled).end(failure);
    const spans = await recorded();
    expect(spans.map(({ attributes }) => Object.values(attributes))).toEqual([
      ["NOT_FOUND"],
      ["23505"],
      ["TypeError"],
      ["unknown"],
      ["Error"],
    ]);
    expect(JSON.stringify(spans)).not.toContain("jane");
  });

  test("has links to others on whose behalf it happens", async () => {
    const { tracer, recorded } = open();
    tracer.startSpan("batch", "internal", sampled, { links: [sampled, unsampled, ""] }).end();
    expect(await recorded()).toMatchObject([{ links: 1 }]);
  });
});

describe("the span within which something runs", () => {
  test("is known through awaits, is not that of others, and is none once it has ended", async () => {
    const { tracer, recorded } = open();
    const outer = tracer.startSpan("outer", "server", sampled);
    const seen = await within(tracer, outer, async () => {
      await turn();
      const inOther = within(tracer, tracer.startSpan("other", "server", unsampled), () => tracer.active?.());
      return {
        inOther,
        own: tracer.active?.(),
        later: turn()
          .then(turn)
          .then(() => tracer.active?.()),
      };
    });
    outer.end();
    expect([seen.own, seen.inOther, tracer.active?.(), await seen.later]).toEqual([
      outer.traceparent,
      undefined,
      undefined,
      undefined,
    ]);
    await recorded();
  });
});

describe("events", () => {
  test("carry the trace that caused them beside what they say, and each handling is a span", async () => {
    const { tracer, recorded } = open();
    const inner = createMemoryBus();
    const bus = traceBus(inner, tracer);
    const seen: (string | undefined)[] = [];
    await bus.subscribe({
      durable: "d",
      subjects: ["assent.>"],
      maxDeliver: 2,
      backoffMs: [1],
      handle: async (event) => {
        seen.push(tracer.active?.());
        expect(event.data).not.toContain(event.traceparent ?? "absent");
        if (seen.length === 1) throw new Error("once more");
      },
      onDead: async () => {},
    });
    const data = (traceparent: string) => JSON.stringify({ id: "1", traceparent });
    await bus.publish([{ id: "1", subject: "assent.a.b", data: data(sampled) }]);
    await until(() => seen.length === 2);
    await bus.publish([
      { id: "2", subject: "assent.a.b", data: data(unsampled) },
      { id: "3", subject: "assent.a.b", data: '{"traceparent' },
    ]);
    await until(() => seen.length === 4);
    expect(await bus.pending?.("d")).toBe(0);
    await bus.close();
    expect(seen.map((active) => active?.slice(3, 35))).toEqual([
      sampled.slice(3, 35),
      sampled.slice(3, 35),
      undefined,
      undefined,
    ]);
    expect((await recorded()).map(({ name, status }) => [name, status]).sort()).toEqual([
      ["d assent.a.b", 0],
      ["d assent.a.b", 2],
      ["publish assent.a.b", 0],
    ]);
    expect(traceBus(inner, noopTracer)).toBe(inner);
  });
});

describe("the name of a statement", () => {
  test.each([
    ["select set_config('app.org_id', 'secret', true)", "select"],
    ["begin; select set_config('app.org_id', 'secret', true)", "begin"],
    ["  insert into click.acceptance (a) select x from unnest($1) x", "insert click.acceptance"],
    ["with a as (select 1 from click.session) update click.log set x = 'secret'", "with click.log"],
    ['select "t0".* from x join "template" as "t0" on "t0"."name" = \'secret\'', "select template"],
    ["delete from auth.token where id = 'secret'", "delete auth.token"],
    ["-- secret", "statement"],
    ["'secret'", "statement"],
  ])("of %s is %s", (text, name) => {
    expect(describeStatement({ text }).name).toBe(name);
    expect(JSON.stringify(describeStatement({ text }))).not.toContain("secret");
  });

  test("is the one that it was given", () => {
    expect(describeStatement({ name: "click-find", text: "select from click.session" })).toEqual({
      name: "click-find",
      attributes: {
        "db.system.name": "postgresql",
        "db.operation.name": "select",
        "db.collection.name": "click.session",
      },
    });
  });
});

describe("the settings", () => {
  test("take shares from 0 to 1, addresses without credentials, and lists of headers", () => {
    const { OTEL_TRACES_SAMPLER_ARG: share, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = tracingSettings;
    expect(["0", "1", "0.25", "1.0"].map((text) => share.parse(text))).toEqual([0, 1, 0.25, 1]);
    for (const text of ["1.1", "-0.1", "1e-3", "half", "2"]) expect(() => share.parse(text)).toThrow();
    expect(endpoint.parse("http://collector:4318")).toBe("http://collector:4318");
    for (const text of ["collector:4318", "http://u:p@c", "x"]) expect(() => endpoint.parse(text)).toThrow();
    expect(parseOtlpHeaders("a=b, x-key=%20c%3D")).toEqual({ a: "b", "x-key": " c=" });
    for (const text of ["a", "=b", "a b=c", "a=%"]) expect(() => parseOtlpHeaders(text)).toThrow();
  });

  test("without an address trace nothing", async () => {
    const settings = {
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: "", OTEL_EXPORTER_OTLP_HEADERS: "", OTEL_TRACES_SAMPLER_ARG: 1 },
    };
    const logger = undefined as never;
    const { tracer, stop } = await startTracing("test", settings, { logger, metrics: createMetrics() });
    expect(tracer).toBe(noopTracer);
    expect(await traced(tracer, tracer.startSpan("a", "server", undefined), async () => 1)).toBe(1);
    await stop();
  });

  test("with an address where nobody is lose the spans, say so once, and do not hold up the end", async () => {
    const lines: unknown[] = [];
    const logger = { warn: (line: unknown) => lines.push(line), info: () => {} } as never;
    const settings = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
      OTEL_EXPORTER_OTLP_HEADERS: "",
      OTEL_TRACES_SAMPLER_ARG: 1,
    };
    const { tracer, stop } = await startTracing("test", settings, { logger, metrics: createMetrics() });
    tracer.startSpan("a", "server", sampled).end();
    const begun = performance.now();
    await stop();
    expect(performance.now() - begun).toBeLessThan(4_000);
    expect(lines.length).toBeLessThan(2);
  });
});
