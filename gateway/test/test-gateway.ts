import { fileURLToPath } from "node:url";
import type { Interceptor } from "@connectrpc/connect";
import { systemClock } from "#platform/clock.ts";
import { createMemoryBus } from "#platform/events/memory.ts";
import { newId } from "#platform/ids.ts";
import { createLogger, type Logger } from "#platform/logger.ts";
import { createMetrics, type Metrics } from "#platform/metrics.ts";
import type { Fetch } from "#platform/net/egress-fetch.ts";
import { serverInterceptors } from "#platform/rpc/interceptors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { createContract, requireConformance } from "../../test/support/contract.ts";
import { createGateway } from "../app.ts";
import type { GatewayConfig } from "../config.ts";
import type { BodyBudget } from "../http/body-budget.ts";
import { type ConnectionLimits, connectionLimits, listenGateway } from "../listen.ts";
import { buildOpenApi } from "../openapi/build.ts";
import { allRoutes } from "../routes/index.ts";
import { audience, createFakeAuth, type FakeAuth, issuer } from "./fake-auth.ts";
import { createFakeClick, type FakeClick } from "./fake-click.ts";
import { createFakeDocgen, type FakeDocgen } from "./fake-docgen.ts";
import { createFakeSign, type FakeSign } from "./fake-sign.ts";
import { createFakeTemplates, type FakeTemplates } from "./fake-templates.ts";
import type { BrowserSession } from "./fake-users.ts";
import { createFakeWebhooks, type FakeWebhooks } from "./fake-webhooks.ts";

export interface Fakes {
  readonly auth: FakeAuth;
  readonly templates: FakeTemplates;
  readonly click: FakeClick;
  readonly docgen: FakeDocgen;
  readonly sign: FakeSign;
  readonly webhooks: FakeWebhooks;
}

/** Stands for the script that the build makes. */
export const embedScriptFile = fileURLToPath(new URL("./fixtures/embed.js", import.meta.url));

/** In the addresses of reports on mails. */
export const reportsSecret = "c2VjcmV0LW9mLXRoZS1tYWlsLXJlcG9ydHM";

export interface TestGateway extends Fakes {
  readonly port: number;
  readonly url: string;
  /** Sends JSON unless the body is a text or bytes already. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  stop(): Promise<void>;
}

export interface CallOptions {
  readonly token?: string;
  /** Sent as a browser sends it whose page knows the token against forgery. */
  readonly session?: Pick<BrowserSession, "token" | "csrfToken">;
  /** With its question mark. */
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape the answer has
  readonly body: any;
}

export const createFakes = async (): Promise<Fakes> => ({
  auth: await createFakeAuth(),
  templates: createFakeTemplates(),
  click: createFakeClick(),
  docgen: createFakeDocgen(),
  sign: createFakeSign(),
  webhooks: createFakeWebhooks(),
});

/** Fakes that stand behind several gateways; document generation and signing are seldom among them. */
export type GivenFakes = Omit<Fakes, "docgen" | "sign" | "webhooks"> &
  Partial<Pick<Fakes, "docgen" | "sign" | "webhooks">>;

/** A gateway that listens on a free port, with fakes behind it and a real database for the limits. */
export async function startTestGateway(
  databaseUrl: string,
  options: {
    fakes?: GivenFakes;
    config?: Partial<GatewayConfig>;
    logger?: Logger;
    metrics?: Metrics;
    /** Run around every call of a service that the gateway makes. */
    interceptors?: readonly Interceptor[];
    limits?: Partial<ConnectionLimits>;
    findMissing?: () => Promise<readonly string[]>;
    /** Instead of the network. */
    fetch?: Fetch;
    bodyBudget?: BodyBudget;
    documentBudget?: BodyBudget;
  } = {},
): Promise<TestGateway> {
  const fakes = {
    ...{ docgen: createFakeDocgen(), sign: createFakeSign(), webhooks: createFakeWebhooks() },
    ...(options.fakes ?? (await createFakes())),
  };
  const logger = options.logger ?? createLogger("gateway", "silent");
  const metrics = options.metrics ?? createMetrics();
  const connect = (service: string, routes: RpcRoutes, limits: { maxMessageBytes?: number } = {}) =>
    createMemoryTransport(routes, {
      interceptors: [...serverInterceptors({ service, logger, metrics }), ...(options.interceptors ?? [])],
      ...limits,
    });
  const config: GatewayConfig = {
    host: "127.0.0.1",
    port: 0,
    databaseUrl,
    issuer,
    audience,
    trustedProxies: [],
    embedScriptFile,
    mailReportsSecret: reportsSecret,
    ...options.config,
  };
  const gateway = await createGateway(config, {
    runtime: { logger, metrics, clock: systemClock, newId, bus: createMemoryBus() },
    auth: connect("auth", fakes.auth.routes),
    templates: connect("templates", fakes.templates.routes),
    click: connect("click", fakes.click.routes),
    docgen: connect("docgen", fakes.docgen.routes, { maxMessageBytes: 32 * 1024 * 1024 }),
    sign: connect("sign", fakes.sign.routes, { maxMessageBytes: 64 * 1024 * 1024 }),
    webhooks: connect("webhooks", fakes.webhooks.routes),
    ...(options.findMissing === undefined ? {} : { findMissing: options.findMissing }),
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
    ...(options.bodyBudget === undefined ? {} : { bodyBudget: options.bodyBudget }),
    ...(options.documentBudget === undefined ? {} : { documentBudget: options.documentBudget }),
  });
  const listening = await listenGateway(gateway, config, { ...connectionLimits, ...options.limits });
  const url = `http://127.0.0.1:${listening.port}`;
  return { ...fakes, port: listening.port, url, call: (...args) => call(url, ...args), stop: listening.stop };
}

export const sessionHeaders = ({ token, csrfToken }: Pick<BrowserSession, "token" | "csrfToken">) => ({
  Cookie: `assent_session=${token}`,
  "X-CSRF-Token": csrfToken,
});

const isSentAsItIs = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === "string" || body instanceof Uint8Array;

const contract = createContract(JSON.parse(JSON.stringify(buildOpenApi(allRoutes))));

/** Throws when the answer is not what the OpenAPI document says. */
async function call(url: string, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const { token, session, query = "", body, headers = {} } = options;
  const response = await fetch(`${url}${path}${query}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(session === undefined ? {} : sessionHeaders(session)),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isSentAsItIs(body) ? body : JSON.stringify(body) }),
    redirect: "manual",
  });
  const text = await response.text();
  requireConformance(contract, { method, path }, { status: response.status, headers: response.headers, text });
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true && text !== "";
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}
