import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "#platform/testing/until.ts";
import type { Api } from "../support/api.ts";
import { requireNoSecrets } from "../support/log-capture.ts";
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from "../support/otlp-receiver.ts";
import { describeDistributed, type System, startSystem } from "../support/system.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const callerSpan = "00f067aa0ba902b7";

describeDistributed("traces", () => {
  let receiver: OtlpReceiver;
  let system: System;
  let api: Api;
  let slug: string;

  beforeAll(async () => {
    receiver = await startOtlpReceiver();
    system = await startSystem("distributed", {
      environment: {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20key-of-the-collector",
        // Only what callers have marked is recorded.
        OTEL_TRACES_SAMPLER_ARG: "0",
      },
    });
    api = await system.newOrganization();
    ({ slug } = await api.publishTemplate());
  });
  afterAll(async () => {
    await system?.stop();
    await receiver?.close();
  });

  const accept = (key: string, userRef: string, flags: string) =>
    api.call(
      "POST",
      "/v1/click/accept",
      { templateSlug: slug, userRef },
      { "x-idempotency-key": key, traceparent: `00-${traceId}-${callerSpan}-${flags}` },
    );

  test("one acceptance is one trace from the edge to the database and over the bus to the consumers, and tells nothing of the person or the key", async () => {
    const answer = await accept("the-key-of-jane-7", "jane-7@example.com", "01");
    expect(answer.status).toBe(201);
    expect(answer.headers.get("traceparent")).toMatch(new RegExp(`^00-${traceId}-(?!${callerSpan})[0-9a-f]{16}-01$`));

    const find = (service: string, kind: string, name: string | RegExp) => (span: ReceivedSpan) =>
      span.service === service &&
      span.kind === kind &&
      (typeof name === "string" ? span.name === name : name.test(span.name));
    const isDelivery = find("assent-webhooks", "consumer", /assent\.click\.acceptance\.recorded$/);
    await until(() => receiver.spans.some(isDelivery) && receiver.spans.some(({ name }) => name.startsWith("POST")));

    const path = pathTo(receiver.spans, find("assent-click", "client", "click-record-direct"));
    expect(path.map(({ service, kind, name }) => `${service} ${kind} ${name}`)).toEqual([
      "assent-gateway server POST /v1/click/accept",
      "assent-gateway internal accept batch",
      "assent-gateway client assent.click.v1.ClickService/AcceptBatch",
      "assent-click server assent.click.v1.ClickService/AcceptBatch",
      "assent-click client click-record-direct",
    ]);
    expect(path[0]?.attributes).toEqual({
      "http.request.method": "POST",
      "http.route": "/v1/click/accept",
      "http.response.status_code": 201,
      "assent.organization_id": api.organizationId,
    });
    expect(pathTo(receiver.spans, isDelivery).map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      "server POST /v1/click/accept",
      "producer publish assent.click.acceptance.recorded",
      expect.stringMatching(/^consumer .* assent\.click\.acceptance\.recorded$/),
    ]);

    // Events that arrive together take effect in one statement, which belongs to one of them: this one comes alone.
    const unmarked = await accept("the-key-of-jane-6", "jane-6@example.com", "00");
    expect(unmarked.status).toBe(201);
    await system.stop();
    expect(new Set(receiver.spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
    const ids = new Set(receiver.spans.map(({ spanId }) => spanId));
    expect(ids.size).toBe(receiver.spans.length);
    expect(receiver.spans.filter(({ parentId }) => !ids.has(parentId)).map(({ parentId }) => parentId)).toEqual([
      callerSpan,
    ]);
    expect(receiver.spans.filter(({ failed }) => failed)).toEqual([]);
    expect(receiver.spans.some(find("assent-webhooks", "client", /webhooks\.inbox/))).toBe(true);
    expect(receiver.requests.every(({ path, authorization }) => `${path} ${authorization}` === expectedRequest)).toBe(
      true,
    );
    expect([...system.secrets.secrets.keys()]).toEqual(
      expect.arrayContaining([api.token, "jane-7@example.com", "the-key-of-jane-7"]),
    );
    const sent = receiver.bodies.map((body, n) => ({ name: `export ${n}`, text: body.toString("latin1") }));
    requireNoSecrets(sent, system.secrets);
  });
});

const expectedRequest = "/v1/traces Bearer key-of-the-collector";

/** From the first span of the trace to this one. */
function pathTo(spans: readonly ReceivedSpan[], isLast: (span: ReceivedSpan) => boolean): ReceivedSpan[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const path: ReceivedSpan[] = [];
  for (let span = spans.find(isLast); span !== undefined; span = byId.get(span.parentId)) path.unshift(span);
  return path;
}
