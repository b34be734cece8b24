import { randomBytes, randomUUID } from "node:crypto";
import { type Client, createClient, type Transport } from "@connectrpc/connect";
import type pg from "pg";
import type { Receipt } from "#api/receipts.ts";
import { type AcceptBatchResponse_Result, ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { RendererService, type RenderHtmlRequest } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { PersonalDataService } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { RetentionService } from "#gen/assent/privacy/v1/retention_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { DomainError, isErrorCode } from "#platform/errors.ts";
import type { EventBus } from "#platform/events/bus.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Mail } from "#platform/mail/mail.ts";
import type { Metrics } from "#platform/metrics.ts";
import { serverInterceptors } from "#platform/rpc/interceptors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { rpcRoutesOf, type Service } from "#platform/service.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { createTestRuntime } from "#platform/testing/service-harness.ts";
import type { ClickConfig } from "../config.ts";
import { createClickService } from "../service.ts";
import { createFakeTemplates, type FakeTemplates } from "./fake-templates.ts";

/** A clock that a test can set. */
export interface TestClock {
  now(): Date;
  /** Moves it by so many seconds; it goes on running. */
  advance(seconds: number): void;
}

export interface ClickInstance {
  readonly service: Service;
  /** What its workers publish to and listen to. */
  readonly bus: EventBus;
  readonly metrics: Metrics;
  readonly client: Client<typeof ClickService>;
  readonly retention: Client<typeof RetentionService>;
  readonly people: Client<typeof PersonalDataService>;
}

export interface ClickHarness extends ClickInstance {
  readonly database: TestDatabase;
  readonly templates: FakeTemplates;
  readonly renderer: FakeRenderer;
  readonly post: FakePost;
  readonly clock: TestClock;
  /** Sees all rows, whatever row-level security says. */
  readonly superuser: pg.Pool;
  /** 32 bytes, of all processes. */
  readonly masterKey: Buffer;
  /** A further process of the service over the same database; with the same master key unless told otherwise. */
  startAnother(
    templates?: Transport,
    ownMasterKey?: string,
    config?: Pick<ClickConfig, "logWitness" | "natsUrl" | "anchorIntervalSeconds"> & {
      /** False without a mail server. */
      readonly hasMail?: boolean;
    },
  ): Promise<ClickInstance>;
  close(): Promise<void>;
}

/** The mail server as this service sees it. */
export interface FakePost {
  readonly mails: Mail[];
  /** Called before a mail is taken; it is not when this throws. */
  before(mail: Mail): void | Promise<void>;
}

/** The public address of the installation under test. */
export const testIssuer = "https://assent.localhost";

/** The service over a database of its own, with templates in memory. Each process has a bus of its own, or they share one. */
export async function startClick(sharedBus?: EventBus): Promise<ClickHarness> {
  const database = await createTestDatabase();
  const templates = createFakeTemplates();
  const renderer = createFakeRenderer();
  const post: FakePost = { mails: [], before: () => undefined };
  const send = async (mail: Mail): Promise<void> => {
    await post.before(mail);
    post.mails.push(mail);
  };
  const clock = createTestClock();
  const masterKey = randomBytes(32).toString("base64");
  const started: Service[] = [];
  const startAnother: ClickHarness["startAnother"] = async (
    transport = templates.transport,
    ownMasterKey = masterKey,
    { hasMail = true, ...config } = {},
  ) => {
    const runtime = createTestRuntime("click", clock, sharedBus);
    const service = await createClickService(
      { databaseUrl: database.url, masterKey: ownMasterKey, issuer: testIssuer, ...config },
      {
        ...{ runtime, templates: transport, docgen: renderer.transport },
        mail: hasMail ? { mailer: { send, close: async () => undefined } } : undefined,
      },
    );
    started.push(service);
    const interceptors = serverInterceptors({ service: "click", ...runtime });
    // A busy machine is no reason to fail.
    const transportOptions = { interceptors, defaultTimeoutMs: 20_000 };
    const own = createMemoryTransport(rpcRoutesOf(service), transportOptions);
    return {
      ...{ service, bus: runtime.bus, metrics: runtime.metrics, client: createClient(ClickService, own) },
      ...{ retention: createClient(RetentionService, own), people: createClient(PersonalDataService, own) },
    };
  };
  const { superuser } = database;
  return {
    ...(await startAnother()),
    database,
    templates,
    renderer,
    post,
    clock,
    superuser,
    masterKey: Buffer.from(masterKey, "base64"),
    startAnother,
    close: async () => {
      for (const service of started) await service.close();
      await database.drop();
    },
  };
}

export function createTestClock(): TestClock {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    advance: (seconds) => {
      offsetMs += seconds * 1000;
    },
  };
}

export const newOrg = (): OrgId => randomUUID() as OrgId;

export const callerOf = (orgId: OrgId): Caller => ({
  orgId,
  clientId: "cl_test",
  requestId: "req-1",
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00",
});

/** Options of a call on behalf of this organization. */
export const as = (orgId: OrgId) => ({ headers: callerHeaders(callerOf(orgId)) });

export interface BatchItem {
  readonly orgId: OrgId;
  readonly key: string;
  readonly body: object;
}

/** The message of one item as the gateway makes it. */
export const batchItem = ({ orgId, key, body }: BatchItem) => ({
  caller: {
    organizationId: orgId,
    clientId: "cl_test",
    requestId: "req-1",
    traceparent: callerOf(orgId).traceparent,
    observed: { ip: "203.0.113.77", userAgent: "backend/1.2.3" },
  },
  idempotencyKey: key,
  body: Buffer.from(canonicalJson(body)),
});

export interface Accepted {
  readonly receipt: Receipt;
  readonly receiptJson: string;
  readonly replayed: boolean;
}

/** Accepts as a REST client would; rejects with the DomainError of the item. */
export async function acceptOne(client: ClickInstance["client"], item: BatchItem): Promise<Accepted> {
  const { results } = await client.acceptBatch({ items: [batchItem(item)] });
  return accepted(results[0]);
}

export function accepted(result: AcceptBatchResponse_Result | undefined): Accepted {
  const outcome = result?.outcome;
  if (outcome?.case === "receipt") {
    const { receiptJson, replayed } = outcome.value;
    return { receipt: JSON.parse(receiptJson) as Receipt, receiptJson, replayed };
  }
  if (outcome?.case !== "error" || !isErrorCode(outcome.value.errorCode)) throw new Error("an item came to nothing");
  const { errorCode, message, details } = outcome.value;
  throw new DomainError(errorCode, { ...(message === "" ? {} : { message }), details });
}

/** Its error code, or "ok". */
export const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "ok",
    (error: unknown) => (error instanceof DomainError ? error.code : String(error)),
  );

/** Rows of the schema as they are. */
export async function rows<T extends pg.QueryResultRow>(harness: ClickHarness, sql: string, values: unknown[] = []) {
  return (await harness.superuser.query<T>(sql, values)).rows;
}

/** The renderer of documents as this service sees it: its PDFs are the HTML that it was given. */
function createFakeRenderer() {
  const seen: RenderHtmlRequest[] = [];
  const before: { render: (request: RenderHtmlRequest) => void | Promise<void> } = { render: () => undefined };
  const transport = createMemoryTransport(
    (router) =>
      router.service(RendererService, {
        renderHtml: async (request) => {
          seen.push(request);
          await before.render(request);
          return { pdf: Buffer.from(`%PDF ${request.html}`), pages: 1 };
        },
      }),
    { interceptors: [], maxMessageBytes: 32 * 1024 * 1024 },
  );
  return { transport, seen, before };
}

type FakeRenderer = ReturnType<typeof createFakeRenderer>;
