import { type DescMessage, type MessageShape, toJson } from "@bufbuild/protobuf";
import type { Interceptor } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { compatDialect } from "../compat/dialect.ts";
import { genDialect } from "../http/error-dialect.ts";
import { operations } from "../routes/operations.ts";
import { orgA, orgB } from "./fake-auth.ts";
import { type HostileSetup, problemsOfAnswer, startHostileSetup } from "./hostile-gateway.ts";
import { routeOf } from "./hostile-values.ts";

interface Call {
  readonly name: string;
  readonly message: unknown;
  readonly headers: Headers;
}

let setup: HostileSetup;
/** What the services were asked, in order. */
let calls: Call[] = [];
/** What every call of a service fails with. */
let failure: unknown;

/** What the gateway asks and says by itself: what was revoked, whom it serves and how much. */
const asksByItself: ReadonlySet<string> = new Set([
  ...["ListChanges", "DescribeOrganization", "AuthenticateSession", "ReportUse"],
]);

const recording: Interceptor = (next) => (request) => {
  if (!request.stream) {
    const message = toJson(request.method.input as DescMessage, request.message as MessageShape<DescMessage>);
    calls.push({ name: request.method.name, message, headers: new Headers(request.header) });
    const isForRequest = !asksByItself.has(request.method.name);
    if (failure !== undefined && isForRequest) throw failure;
  }
  return next(request);
};

beforeAll(async () => {
  setup = await startHostileSetup({ interceptors: [recording] });
});

beforeEach(() => {
  calls = [];
  failure = undefined;
});

afterAll(async () => {
  await setup?.stop();
});

const ofRequests = (): Call[] => calls.filter(({ name }) => !asksByItself.has(name));
const protectedIds = operations.filter(({ scopes }) => scopes.length > 0).map(({ operationId }) => operationId);
/** In the body of applyPolicyFlags every name is a flag, and the templates service refuses those that it does not know. */
const writes = operations.flatMap(({ operationId }) =>
  routeOf(operationId).body === undefined || operationId === "applyPolicyFlags" ? [] : [operationId],
);

describe("fields that only the server sets", () => {
  const foreign = "0190a000-0000-7000-8000-0000000000ff";
  const owned: Readonly<Record<string, unknown>> = {
    ...Object.fromEntries(
      ["id", "organizationId", "orgId", "org_id", "organization_id", "tenantId", "accountId", "clientId", "client"].map(
        (name) => [name, foreign],
      ),
    ),
    ...Object.fromEntries(
      ["createdAt", "updatedAt", "deletedAt", "publishedAt", "acceptedAt", "completedAt", "recordedAt"].map((name) => [
        name,
        "2001-01-01T00:00:00Z",
      ]),
    ),
    ...Object.fromEntries(
      ["createdBy", "updatedBy", "receiptId", "requestId", "traceparent"].map((name) => [name, foreign]),
    ),
    ...Object.fromEntries(["isPublished", "isActive", "isAdmin", "replayed", "verified"].map((name) => [name, true])),
    ...Object.fromEntries(["revision", "leafIndex", "limit", "version"].map((name) => [name, 999])),
    caller: { organizationId: foreign, clientId: foreign },
    observed: { ip: "203.0.113.66", userAgent: "forged" },
    signature: { alg: "none" },
    log: { leafIndex: 0 },
    scope: "click:admin",
    scopes: ["click:admin"],
    status: "FORGED",
    key: "forged",
  };

  test.each(writes)("%s applies none of them", async (operationId) => {
    const { properties = {} } = (routeOf(operationId).body?.schema ?? {}) as { properties?: Record<string, unknown> };
    const extra = Object.fromEntries(Object.entries(owned).filter(([name]) => !Object.hasOwn(properties, name)));
    const target = setup.target(operationId);
    const ask = async (body: unknown) => {
      calls = [];
      const { status, text } = await setup.send(target, { body: JSON.stringify(body) });
      return { status, text, asked: ofRequests().map(({ name, message }) => [name, withoutAcceptBody(message)]) };
    };
    const forged = await ask({ ...(target.body as object), ...extra });
    // The same key with another body would be refused.
    if (target.route.idempotencyKey !== undefined) target.headers["X-Idempotency-Key"] += " again";
    const plain = await ask(target.body);
    expect(forged.text).not.toContain(foreign);
    // Schemas that allow no other property refuse them instead.
    if (forged.status === 400) expect(JSON.parse(forged.text)).toHaveProperty("details");
    else
      expect(JSON.stringify(forged.asked).replaceAll(" again", "")).toBe(
        JSON.stringify(plain.asked).replaceAll(" again", ""),
      );
  });

  /** The whole body of an acceptance is what its key stands for, so unknown fields go along and are ignored there. */
  const withoutAcceptBody = (message: unknown): unknown =>
    JSON.parse(
      JSON.stringify(message, (name, value) => {
        return ["body", "bodyDigest", "requestHash", "requestId", "traceparent"].includes(name) ? undefined : value;
      }),
    );
});

describe("a misspelt member where something is erased or kept", () => {
  test.each([
    ["searchPerson", "emial"],
    ["createErasure", "dry_run"],
    ["createExport", "user_ref"],
    ["setLegalHold", "emial"],
    ["putRetention", "period"],
    ["putFileSearch", "enable"],
    ["putTemplateRetention", "period"],
  ])("%s refuses %s by its name", async (operationId, member) => {
    const target = setup.target(operationId);
    calls = [];
    const { status, text } = await setup.send(target, {
      body: JSON.stringify({ ...(target.body as object), [member]: true }),
    });
    const details = [{ field: member, code: "ADDITIONAL_PROPERTIES" }];
    expect([status, JSON.parse(text)]).toMatchObject([400, { errorCode: "VALIDATION_FAILED", details }]);
    expect(ofRequests()).toEqual([]);
  });
});

describe("headers that only the gateway sets", () => {
  const forged: Record<string, string> = {
    "x-org-id": orgB,
    "x-organization-id": orgB,
    "x-client-id": "cl_forged",
    "x-org-id-internal": orgB,
    "x-caller-internal": "forged",
    "x-assent-org-id": orgB,
    "x-assent-scopes": "click:admin",
    "x-http-method-override": "DELETE",
    "x-method-override": "DELETE",
    "x-original-url": "/v1/click/templates",
    "x-rewrite-url": "/v1/click/templates",
    "connect-protocol-version": "1",
    "grpc-timeout": "1n",
    "x-user": "forged",
  };

  test.each(protectedIds)("%s is the same with all of them", async (operationId) => {
    const target = setup.target(operationId);
    const plain = await setup.send(target);
    calls = [];
    const answer = await setup.send(target, { headers: forged });
    // What was done once may be a conflict or a replay when it is done again.
    expect([plain.status, 200, 404, 409, 400]).toContain(answer.status);
    expect(problemsOfAnswer(answer, target)).toEqual([]);
    for (const { name, headers, message } of ofRequests()) {
      // A batch tells its callers in its items, and who only asks about a credential is nobody yet.
      expect([name, orgA, null]).toContain(headers.get("x-org-id"));
      const clientId = headers.get("x-client-id")?.replace(/^user:[0-9a-f-]{36}$/, "a person") ?? null;
      expect([name, target.headers.Cookie === undefined ? "cl_test" : "a person", null]).toContain(clientId);
      expect(JSON.stringify([...headers, message])).not.toMatch(new RegExp(`forged|${orgB}|internal|assent-`));
    }
  });
});

describe("an error that nobody expected", () => {
  const secret = "postgres://assent:hunter2@10.1.2.3/click";
  const failures: [string, () => unknown][] = [
    ["an error", () => new Error(secret)],
    [
      "an error with a code and a cause",
      () => Object.assign(new Error(secret, { cause: secret }), { code: "23505", detail: secret }),
    ],
    ["a text", () => secret],
  ];

  test.each(failures)("%s of a service is told to nobody, by any operation", async (_name, make) => {
    const problems: string[] = [];
    let failed = 0;
    for (const { operationId } of operations) {
      const target = setup.target(operationId);
      calls = [];
      failure = make();
      const answer = await setup.send(target);
      failure = undefined;
      // Ids are made at random, and may hold any number.
      const ids = [answer.headers.get("x-request-id"), answer.headers.get("traceparent")];
      const told = `${answer.text}${JSON.stringify([...answer.headers])}`;
      const everything = ids.reduce((text: string, id) => text.replaceAll(id ?? "", ""), told);
      if (/hunter2|10\.1\.2\.3|23505|postgres/.test(everything)) problems.push(`${operationId} tells ${everything}`);
      if (ofRequests().length === 0 || answer.status < 500) continue;
      failed += 1;
      const { dialect } = target.route;
      if (dialect === genDialect) {
        expect(JSON.parse(answer.text)).toMatchObject({ code: "internal_error", details: {} });
        continue;
      }
      expect(JSON.parse(answer.text)).toEqual(
        answer.text.includes("error_description")
          ? { error: "server_error", error_description: expect.stringContaining("Something went wrong on our side.") }
          : {
              errorCode: "INTERNAL_ERROR",
              message: `${dialect === compatDialect ? "UNSPECIFIED_ERROR: " : ""}Something went wrong on our side. Try again. If the problem persists, contact support and quote the requestId.`,
              requestId: answer.headers.get("x-request-id"),
            },
      );
    }
    expect(problems).toEqual([]);
    expect(failed).toBeGreaterThan(protectedIds.length * 0.8);
  });
});
