import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "#platform/testing/until.ts";
import { smallestPdf } from "../../services/sign/intake/merge-pdfs.ts";
import type { Api } from "../support/api.ts";
import { registerEndpoint } from "../support/hooks.ts";
import { bodyOf } from "../support/journeys.ts";
import { requireNoSecrets } from "../support/log-capture.ts";
import type { OtlpReceiver, ReceivedSpan } from "../support/otlp-receiver.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { visitPage } from "../support/signing-page.ts";
import { type System, scenario } from "../support/system.ts";

/** The last one: it ends all processes. */
export const traces = scenario(
  "traces",
  (_mode, running) => {
    let receiver: OtlpReceiver;
    let customer: Receiver;
    let system: System;
    let api: Api;
    let slug: string;

    /** Those that other scenarios have marked. */
    const earlier = new Set<string>();

    beforeAll(async () => {
      system = running();
      receiver = system.traces as OtlpReceiver;
      for (const { traceId } of receiver.spans) earlier.add(traceId);
      customer = await startReceiver();
      api = await system.newOrganization();
      ({ slug } = await api.publishTemplate());
      system.secrets.add("address of a receiver", "path-with-a-secret-17");
      await registerEndpoint(api, customer, "path-with-a-secret-17");
    });
    afterAll(async () => {
      await customer?.close();
    });
    const received = (): readonly ReceivedSpan[] => receiver.spans.filter(({ traceId }) => !earlier.has(traceId));

    const accept = (key: string, userRef: string, traceparent: string) =>
      api.call("POST", "/v1/click/accept", { templateSlug: slug, userRef }, { "x-idempotency-key": key, traceparent });

    /** The spans of a trace, when there is one such as these and all that caused them: each process sends its own by itself. */
    const spansWith = (trace: Trace, ...wanted: readonly IsSpan[]): Promise<readonly ReceivedSpan[]> =>
      until(() => {
        const spans = receiver.spans.filter((span) => span.traceId === trace.id);
        const isWhole = outsideOf(spans).every(({ parentId }) => parentId === trace.span);
        return isWhole && wanted.every((isWanted) => spans.some(isWanted)) && spans;
      }, 60_000);

    test("one acceptance is one trace from the edge to the database and over the bus to the consumers and the receiver", async () => {
      const trace = newTrace();
      const answer = await accept("the-key-of-jane-7", "jane-7@example.com", trace.traceparent);
      expect(answer.status).toBe(201);
      expect(answer.headers.get("traceparent")).toMatch(
        new RegExp(`^00-${trace.id}-(?!${trace.span})[0-9a-f]{16}-01$`),
      );

      const isDelivery = find("webhooks", "consumer", /assent\.click\.acceptance\.recorded$/);
      const isAttempt = find("webhooks", "client", "webhook attempt");
      const isCounted = find("click", "internal", "click-statistics batch");
      const spans = await spansWith(trace, isDelivery, isAttempt, isCounted, find("gateway", "server", /^POST/));
      expect(linesTo(spans, find("click", "client", "click-record-direct"))).toEqual([
        "gateway server POST /v1/click/accept",
        "gateway internal accept batch",
        "gateway client assent.click.v1.ClickService/AcceptBatch",
        "click server assent.click.v1.ClickService/AcceptBatch",
        "click client click-record-direct",
      ]);
      expect(pathTo(spans, isDelivery)[0]?.attributes).toEqual({
        "http.request.method": "POST",
        "http.route": "/v1/click/accept",
        "http.response.status_code": 201,
        "assent.organization_id": api.organizationId,
      });
      expect(linesTo(spans, find("webhooks", "client", "webhooks-enter-inbox"))).toEqual([
        "gateway server POST /v1/click/accept",
        "click producer publish assent.click.acceptance.recorded",
        "webhooks consumer webhooks assent.click.acceptance.recorded",
        "webhooks internal webhooks batch",
        "webhooks client webhooks-enter-inbox",
      ]);
      expect(linesTo(spans, isAttempt)).toEqual([
        "gateway server POST /v1/click/accept",
        "webhooks client webhook attempt",
      ]);
      expect(spans.find(isAttempt)?.attributes).toEqual({
        "assent.delivery_id": expect.any(String),
        "assent.attempt": 1,
        "http.response.status_code": 204,
      });
    });

    test("a document is in the trace of its request, waited for or in a batch", async () => {
      const wish = { name: "Offer", format: "html", content: "<p>For {{ name }}</p>" };
      const { id: templateId } = bodyOf(201, await api.post("/v1/gen/templates", wish));
      bodyOf(200, await api.post(`/v1/gen/templates/${templateId}/publish`, undefined));
      const data = { name: "Jane of the offer" };
      system.secrets.add("data of a document", data.name);
      const [waited, batch] = [newTrace(), newTrace()];
      const ask = (path: string, body: object, { traceparent }: Trace) => api.call("POST", path, body, { traceparent });
      bodyOf(201, await ask("/v1/gen/documents", { templateId, data }, waited));
      const items = ["1", "2"].map((ref) => ({ ref, data }));
      bodyOf(202, await ask("/v1/gen/batches", { templateId, items }, batch));

      const isRendered = find("docgen", "internal", "render");
      const isToldOf = find("webhooks", "client", "webhook attempt");
      const rpcOf = (method: string) => [
        `gateway client assent.docgen.v1.DocgenService/${method}`,
        `docgen server assent.docgen.v1.DocgenService/${method}`,
      ];
      const spans = await spansWith(waited, isRendered, isToldOf);
      const work = ["docgen consumer document", "docgen internal render"];
      expect(linesTo(spans, isRendered)).toEqual([
        "gateway server POST /v1/gen/documents",
        ...rpcOf("CreateDocument"),
        ...work,
      ]);
      expect(spans.find(isRendered)?.attributes).toEqual({
        ...{ "assent.asker": "documents", "assent.profile": expect.any(String) },
        ...{ "assent.render_ms": expect.any(Number), "assent.pages": 1 },
      });
      const ofBatch = await until(async () => {
        const some = await spansWith(batch, isRendered);
        return some.filter(isRendered).length === items.length && some;
      });
      expect(linesTo(ofBatch, isRendered)).toEqual([
        "gateway server POST /v1/gen/batches",
        ...rpcOf("CreateBatch"),
        ...work,
      ]);
    });

    test("what follows when everybody has signed is in the trace of the last signature, over the jobs to the seal and the certificate", async () => {
      const trace = newTrace();
      const agreement = {
        ...{ emailSubject: "Please sign the secret plan", status: "sent" },
        documents: [{ documentId: "1", name: "plan.pdf", documentBase64: Buffer.from(smallestPdf).toString("base64") }],
        recipients: { signers: [{ recipientId: "1", name: "Ann", email: "ann-9@example.com", clientUserId: "1" }] },
      };
      for (const text of [agreement.emailSubject, "ann-9@example.com"]) system.secrets.add("agreement", text);
      const { id } = bodyOf(201, await api.post("/v1/sign/agreements", agreement));
      const { sign } = await visitPage(api, id, "1", { traceparent: trace.traceparent });
      await sign();

      const isSealed = find("sign", "internal", "seal");
      const isPrinted = find("docgen", "internal", "render");
      const isLogged = find("click", "server", /RecordExternalHead$/);
      const isTold = find("webhooks", "client", "webhook attempt");
      const spans = await spansWith(trace, isSealed, isPrinted, isLogged, isTold);
      const begin = ["gateway server POST /signing/s/{sid}/finish", "sign consumer job completion"];
      const [first = "", ...rest] = linesTo(spans, isSealed);
      expect([first, ...rest.slice(-2)]).toEqual([begin[0], begin[1], "sign internal seal"]);
      expect(linesTo(spans, isPrinted)).toEqual(expect.arrayContaining([begin[1], "sign internal certificate"]));
      expect(linesTo(spans, isLogged)).toEqual(expect.arrayContaining(["sign consumer job evidence"]));
      expect(spans.filter(isSealed).map(({ attributes }) => attributes)).toEqual(
        ["document", "certificate"].map(() => ({ "assent.seal_level": "B-B", "assent.bytes": expect.any(Number) })),
      );
    });

    test("nothing else is recorded, no span is without the one that caused it, and nothing has failed", async () => {
      const unmarked = await accept("the-key-of-jane-6", "jane-6@example.com", newTrace("00").traceparent);
      expect(unmarked.status).toBe(201);
      const last = newTrace();
      expect((await accept("the-key-of-jane-8", "jane-8@example.com", last.traceparent)).status).toBe(201);
      await spansWith(last, find("webhooks", "client", "webhook attempt"), find("gateway", "server", /^POST/));
      const callers = new Set(marked.map(({ span }) => span));
      // Each process sends its own by itself, and a span is sent when it has ended.
      await until(() => outsideOf(received()).every(({ parentId }) => callers.has(parentId)));
      expect(new Set(received().map(({ traceId }) => traceId))).toEqual(new Set(marked.map(({ id }) => id)));
      expect(new Set(received().map(({ spanId }) => spanId)).size).toBe(received().length);
      const services = outsideOf(received()).map(({ service, kind }) => `${service} ${kind}`);
      expect(new Set(services)).toEqual(new Set(["assent-gateway server"]));
      expect(received().filter(({ failed }) => failed)).toEqual([]);
    });

    test("nobody waits for a collector that is silent, refuses or is gone, and every process ends as it should", async () => {
      const exitCodes = async (...services: readonly string[]): Promise<Set<number | null>> => {
        const processes = services.flatMap((name) => system.distributed?.of(name) ?? []);
        return new Set(await Promise.all(processes.map((one) => one.stop())));
      };
      receiver.behave("silent");
      expect((await accept("the-key-of-jane-9", "jane-9@example.com", newTrace().traceparent)).status).toBe(201);
      await until(() => receiver.waiting() > 0);
      expect((await accept("the-key-of-jane-10", "jane-9@example.com", newTrace().traceparent)).status).toBe(201);
      expect(await exitCodes("gateway", "webhooks")).toEqual(new Set([0]));
      receiver.behave("refusing");
      expect(await exitCodes("click", "docgen", "templates")).toEqual(new Set([0]));
      await receiver.close();
      expect(await exitCodes("sign", "auth")).toEqual(new Set([0]));
    });

    test("none of what was sent tells a secret or anything of a person", () => {
      expect(receiver.requests.every(({ path, authorization }) => `${path} ${authorization}` === expectedRequest)).toBe(
        true,
      );
      expect([...system.secrets.secrets.keys()]).toEqual(
        expect.arrayContaining([api.token, "jane-7@example.com", "the-key-of-jane-7", "path-with-a-secret-17"]),
      );
      const sent = receiver.bodies.map((body, n) => ({ name: `export ${n}`, text: body.toString("latin1") }));
      requireNoSecrets(sent, system.secrets);
    });
  },
  "distributed",
);

interface Trace {
  readonly id: string;
  /** Of the caller. */
  readonly span: string;
  readonly traceparent: string;
}

/** The traces that callers have marked. */
const marked: Trace[] = [];

function newTrace(flags = "01"): Trace {
  const [id, span] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
  const trace = { id, span, traceparent: `00-${id}-${span}-${flags}` };
  if (flags === "01") marked.push(trace);
  return trace;
}

type IsSpan = (span: ReceivedSpan) => boolean;

const find =
  (service: string, kind: string, name: string | RegExp): IsSpan =>
  (span) =>
    span.service === `assent-${service}` &&
    span.kind === kind &&
    (typeof name === "string" ? span.name === name : name.test(span.name));

const linesTo = (spans: readonly ReceivedSpan[], isLast: IsSpan): string[] =>
  pathTo(spans, isLast).map(({ service, kind, name }) => `${service.replace("assent-", "")} ${kind} ${name}`);

const expectedRequest = "/v1/traces Bearer key-of-the-collector";

/** Those whose parent is not among them. */
function outsideOf(spans: readonly ReceivedSpan[]): ReceivedSpan[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  return spans.filter(({ parentId }) => !ids.has(parentId));
}

/** From the first span of the trace to this one. */
function pathTo(spans: readonly ReceivedSpan[], isLast: IsSpan): ReceivedSpan[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const path: ReceivedSpan[] = [];
  for (let span = spans.find(isLast); span !== undefined; span = byId.get(span.parentId)) path.unshift(span);
  return path;
}
