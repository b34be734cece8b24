import { Agent } from "node:http";
import { expect } from "@jest/globals";
import { AgreementStatus } from "#gen/assent/sign/v1/agreement_pb.ts";
import { createTestDatabase } from "#platform/testing/database.ts";
import { send as sendBytes } from "../../test/fuzz/send.ts";
import { genDialect, oauthDialect } from "../http/error-dialect.ts";
import { isForPeople } from "../routes/route.ts";
import { orgA } from "./fake-auth.ts";
import { createFakeSign } from "./fake-sign.ts";
import { openLinks, signingCookie, signingSession } from "./fake-signing.ts";
import { type Target, targetOf } from "./hostile-values.ts";
import { createResources, type Resources, resourceIn } from "./sample-requests.ts";
import { createFakes, sessionHeaders, startTestGateway, type TestGateway } from "./test-gateway.ts";

export interface HostileAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface HostileRequest {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  /** Sent as it is. */
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
  readonly headers?: Record<string, string>;
}

export interface HostileSetup {
  readonly gateway: TestGateway;
  readonly token: string;
  /** A good request of an operation, for things that exist. */
  target(operationId: string): Target;
  /** The good request, but for what is given. */
  send(target: Target, request?: HostileRequest): Promise<HostileAnswer>;
  stop(): Promise<void>;
}

const unlimited = 100_000_000;

/** Of operations that a draft refuses. */
const statesOf: ReadonlyMap<string, AgreementStatus> = new Map([
  ["voidAgreement", AgreementStatus.SENT],
  ["correctAgreement", AgreementStatus.SENT],
  ["resumeAgreement", AgreementStatus.SENT],
]);

const addAgreement = ({ sign }: TestGateway, operationId: string): string =>
  sign.add(orgA, { status: statesOf.get(operationId) ?? AgreementStatus.CREATED }).id;

/** A gateway that limits nobody, with one of everything. */
export async function startHostileSetup(
  options: Pick<NonNullable<Parameters<typeof startTestGateway>[1]>, "interceptors"> = {},
): Promise<HostileSetup> {
  const database = await createTestDatabase();
  const fakes = { ...(await createFakes()), sign: createFakeSign(() => ({}), openLinks) };
  const gateway = await startTestGateway(database.url, { fakes, config: { floodGuardRequests: 0 }, ...options });
  gateway.auth.setLimits(orgA, { accept: unlimited, render: unlimited, other: unlimited, sign: unlimited });
  const token = await gateway.auth.token(
    "click:read click:write click:admin click:accept gen:read gen:write sign:read sign:write sign:send sign:admin webhooks:read webhooks:write privacy:admin",
  );
  const created = await createResources(gateway, token, orgA);
  const agent = new Agent({ keepAlive: true });
  /** For each request a session of its own: some of them end it. */
  const owner = (): Record<string, string> => sessionHeaders(gateway.auth.people.signIn(orgA));
  const resources: Resources = {
    ...created,
    signingSession,
    embedScriptHash: await scriptHashOf(gateway, resourceIn(created, "deploymentKey")),
  };
  return {
    gateway,
    token,
    target: (operationId) => {
      const agreement = statesOf.has(operationId) ? addAgreement(gateway, operationId) : resources.agreement;
      const ofOperation: Resources = { ...resources, ...(agreement === undefined ? {} : { agreement }) };
      const target = targetOf(operationId, (resource) => resourceIn(ofOperation, resource));
      if (target.path.startsWith("/signing/s/")) target.headers.Cookie = signingCookie;
      if (isForPeople(target.route)) Object.assign(target.headers, owner());
      return target;
    },
    send: (target, request = {}) => send({ url: gateway.url, token, agent }, target, request),
    stop: async () => {
      agent.destroy();
      await gateway.stop();
      await database.drop();
    },
  };
}

async function scriptHashOf(gateway: TestGateway, deploymentKey: string): Promise<string> {
  const answer = await gateway.call("GET", `/v1/click/render/${deploymentKey}/embed.js`);
  return /embed\.(\w+)\.js/.exec(answer.headers.get("content-location") ?? "")?.[1] ?? "";
}

/** As it is, also what fetch would tidy in an address. */
function send(to: Receiver, target: Target, request: HostileRequest): Promise<HostileAnswer> {
  const { route } = target;
  const { method = route.method, path = target.path, query = target.query } = request;
  const good = target.body === undefined ? undefined : JSON.stringify(target.body);
  const body = "body" in request ? request.body : good;
  const mayHaveBody = method !== "GET" && method !== "HEAD";
  return sendBytes(to.url, to.agent, {
    method,
    path: `${path}${query}`,
    headers: {
      accept: "*/*",
      ...(route.access === "public" || isForPeople(route) ? {} : { authorization: `Bearer ${to.token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...lowerCased(target.headers),
      ...lowerCased(request.headers ?? {}),
    },
    body: body === undefined || !mayHaveBody ? undefined : Buffer.from(body),
    isChunked: false,
  });
}

interface Receiver {
  readonly url: string;
  readonly token: string;
  readonly agent: Agent;
}

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** What is wrong with an answer that had to be a refusal; empty when nothing is. */
export function problemsOfRefusal(answer: HostileAnswer, target: Target): string[] {
  const { status } = answer;
  const problems = problemsOfAnswer(answer, target);
  if (status < 400 || status >= 500) return [...problems, `is answered ${status}`];
  const body: unknown = JSON.parse(answer.text);
  const id = answer.headers.get("x-request-id");
  const own = { errorCode: expect.any(String), message: expect.any(String), requestId: id };
  const gen = { code: expect.any(String), message: expect.any(String), details: expect.any(Object) };
  const shapes =
    target.route.dialect === genDialect
      ? [gen, own]
      : target.route.dialect === oauthDialect
        ? [{ error: expect.any(String), error_description: expect.any(String) }, own]
        : [own, { ...own, details: expect.any(Array) }];
  try {
    expect(shapes).toContainEqual(body);
  } catch {
    problems.push(`has the body ${answer.text.slice(0, 200)}`);
  }
  return problems;
}

/** What is wrong with any answer at all. */
export function problemsOfAnswer({ status, headers, text }: HostileAnswer, { route }: Target): string[] {
  const problems: string[] = [];
  if (status >= 500) problems.push(`is answered ${status} ${text.slice(0, 200)}`);
  if (!/^[\w.-]{1,128}$/.test(headers.get("x-request-id") ?? "")) problems.push("has no request id");
  if (!/^00-[0-9a-f]{32}-/.test(headers.get("traceparent") ?? "")) problems.push("has no trace");
  if (headers.get("x-content-type-options") !== "nosniff") problems.push("may be sniffed");
  if (headers.get("cache-control") === null) problems.push("says nothing about caches");
  const allowed = headers.get("access-control-allow-origin");
  if (allowed !== null && route.crossOrigin !== true) problems.push("may be read by other origins");
  for (const name of ["credentials", "methods", "headers"]) {
    if (headers.has(`access-control-allow-${name}`)) problems.push(`allows other origins ${name}`);
  }
  return problems;
}
