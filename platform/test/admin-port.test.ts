import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { Code, type ConnectError, createClient, type ServiceImpl } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { afterEach, describe, expect, test } from "@jest/globals";
import { AdminService, TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { EvidenceAdminService } from "#gen/assent/click/v1/click_pb.ts";
import { DeadEventService } from "#gen/assent/operations/v1/dead_events_pb.ts";
import { MasterKeyService } from "#gen/assent/operations/v1/master_keys_pb.ts";
import { type AdminPortOptions, createHealthState, startAdminPort } from "../admin-port.ts";
import { DomainError } from "../errors.ts";
import { createMetrics } from "../metrics.ts";
import { parseAdminTokens } from "../rpc/callers.ts";
import type { RpcRoutes } from "../rpc/routes.ts";
import { recordingLogger } from "../rpc/test/harness.ts";
import { expectDomainError } from "../testing/expect-domain-error.ts";
import { until } from "../testing/until.ts";

const token = "a-long-admin-token";
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const tokenHandlers: Partial<ServiceImpl<typeof TokenService>> = {
  getJwks: () => ({ jwksJson: '{"keys":[]}' }),
  describeOrganization: () => {
    throw new DomainError("NOT_FOUND");
  },
  authenticateApiKey: () => {
    throw new Error("the pepper is 42");
  },
};

const offering =
  (service: DescService): RpcRoutes =>
  (router) =>
    void router.service(service, {});

async function open(changes: Partial<AdminPortOptions> = {}) {
  const health = createHealthState();
  const metrics = createMetrics();
  const { logger, lines } = recordingLogger();
  const port = await startAdminPort({
    host: "127.0.0.1",
    port: 0,
    token,
    routes: [(router) => void router.service(TokenService, tokenHandlers)],
    operatorRoutes: [
      ...[DeadEventService, EvidenceAdminService, MasterKeyService].map(offering),
      (router) => void router.service(AdminService, { listApiKeys: () => ({ keys: [] }) }),
    ],
    observed: { service: "auth", logger, metrics },
    health,
    checkReady: async () => {},
    ...changes,
  });
  closers.push(() => port.close());
  const url = `http://127.0.0.1:${port.port}`;
  return { ...port, url, health, metrics, lines };
}

const jwksPath = "/assent.auth.v1.TokenService/GetJwks";
const post = (url: string, authorization: string | undefined, body = "{}"): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...(authorization === undefined ? {} : { authorization }) },
    body,
  });

describe("the tokens of operators", () => {
  const path = jwksPath;
  const wrong = ["ann:one", "Bearer", "one", "Ann"].map((text) => `Bearer ${text}`);

  test("are each known by name, in the log of what was done with them", async () => {
    const { url, lines } = await open({ token: "ann:token-one, Bob from Basle:token-two,token-three" });
    for (const one of ["token-one", "token-two", "token-three"]) {
      expect((await post(`${url}${path}`, `Bearer ${one}`)).status).toBe(200);
    }
    for (const one of wrong) expect((await post(`${url}${path}`, one)).status).toBe(401);
    const told = lines.filter(({ operator }) => operator !== undefined);
    expect(told.map(({ operator, level }) => [operator, level])).toEqual([
      ["ann", "info"],
      ["Bob from Basle", "info"],
      ["Operator", "info"],
    ]);
  });

  test("change while the port is open", async () => {
    let token = "old-token";
    const { url } = await open({ token: () => token });
    const statuses = async () => [
      (await post(`${url}${path}`, "Bearer old-token")).status,
      (await post(`${url}${path}`, "Bearer new-token")).status,
    ];
    expect(await statuses()).toEqual([200, 401]);
    token = "old-token,ann:new-token";
    expect(await statuses()).toEqual([200, 200]);
    token = "ann:new-token";
    expect(await statuses()).toEqual([401, 200]);
  });

  test("are refused without being shown when they cannot be told apart", () => {
    for (const text of [
      "a:secret,b:secret",
      "a:b:secret",
      ":secret",
      "a:",
      "name\n:secret",
      `${"n".repeat(65)}:secret`,
      "ann/veiw:secret",
      "ann/:secret",
      "/view:secret",
      "ann/view/view:secret",
    ]) {
      expect(() => parseAdminTokens(text)).toThrow(/^(?!.*secret)/);
    }
    expect(parseAdminTokens("")).toEqual([]);
  });
});

describe("operators who only look", () => {
  /** All that they may call. What is new is refused to them until it stands here and says that it changes nothing. */
  const looks = [
    "AdminService ListOrganizations",
    "AdminService ListBusyOrganizations",
    "AdminService ListApiKeys",
    "AdminService ListOAuthClients",
    "AdminService ListOAuthClientKeys",
    "AdminService GetOrganizationDeletion",
    "EvidenceAdminService ListSigningKeys",
    "EvidenceAdminService ListLogEpochs",
    "DeadEventService ListDeadEvents",
    "MasterKeyService GetReseal",
  ];
  const others = ["ann/view:token-of-ann", "ben:token-of-ben"].join(",");

  test("call what changes nothing and is for operators; the rest is refused by name, and the log says who tried", async () => {
    const { url, lines } = await open({ token: others });
    const services = [AdminService, DeadEventService, EvidenceAdminService, MasterKeyService, TokenService];
    const methods = services.flatMap((service) => service.methods as readonly DescMethod[]);
    const allowed: string[] = [];
    for (const { parent, name } of methods) {
      const address = `${url}/${parent.typeName}/${name}`;
      const [byAnn, byBen] = [await post(address, "Bearer token-of-ann"), await post(address, "Bearer token-of-ben")];
      expect(byBen.status).not.toBe(403);
      if (byAnn.status !== 403) allowed.push(`${parent.name} ${name}`);
      else
        expect(await byAnn.json()).toMatchObject({ code: "permission_denied", message: expect.stringMatching(/ann/) });
    }
    expect(allowed.sort()).toEqual([...looks].sort());
    const refused = lines.filter(({ operator, code }) => operator === "ann" && code === "permission_denied");
    expect(refused).toHaveLength(methods.length - looks.length);
  });
});

describe("liveness", () => {
  test("is answered as long as the event loop turns", async () => {
    const { url } = await open({ checkReady: () => Promise.reject(new Error("no database")) });

    const response = await fetch(`${url}/livez`);

    expect([response.status, await response.json()]).toEqual([200, { status: "alive" }]);
  });
});

describe("readiness", () => {
  test("follows the health of the process", async () => {
    const { url, health } = await open();

    const before = await fetch(`${url}/readyz`);
    health.setServing(true);
    const after = await fetch(`${url}/readyz`);

    expect([before.status, await before.json()]).toEqual([503, { status: "not_ready", reason: "not_serving" }]);
    expect([after.status, await after.json()]).toEqual([200, { status: "ready" }]);
  });

  test("fails without telling why when a dependency is missing", async () => {
    const { url, health } = await open({ checkReady: () => Promise.reject(new Error("password is hunter2")) });
    health.setServing(true);

    const response = await fetch(`${url}/readyz`);

    expect([response.status, await response.json()]).toEqual([
      503,
      { status: "not_ready", reason: "dependency_missing" },
    ]);
  });

  test("names what is away although others are served, and does not wait for that for long", async () => {
    const some = await open({ findMissing: async () => ["nats", "docgen"] });
    const silent = await open({ findMissing: () => new Promise(() => {}) });
    const none = await open({ findMissing: async () => ["nats"], checkReady: () => Promise.reject(new Error("gone")) });
    for (const { health } of [some, silent, none]) health.setServing(true);

    const answers = [some, silent, none].map(async ({ url }) => {
      const response = await fetch(`${url}/readyz`);
      return [response.status, await response.json()];
    });

    expect(await Promise.all(answers)).toEqual([
      [200, { status: "degraded", missing: ["nats", "docgen"] }],
      [200, { status: "degraded", missing: ["unknown"] }],
      [503, { status: "not_ready", reason: "dependency_missing" }],
    ]);
  });

  test("fails when the check throws or takes too long", async () => {
    const slow = await open({ checkReady: () => new Promise(() => {}) });
    const broken = await open({
      checkReady: () => {
        throw new Error("broken");
      },
    });
    for (const { health } of [slow, broken]) health.setServing(true);

    const statuses = await Promise.all([slow, broken].map(async ({ url }) => (await fetch(`${url}/readyz`)).status));

    expect(statuses).toEqual([503, 503]);
  });

  test("checks once for callers that come at once", async () => {
    let callers = 0;
    let checks = 0;
    let finish = () => {};
    const isServing = () => {
      callers += 1;
      return true;
    };
    const { url } = await open({
      health: { isServing, setServing: () => {} },
      checkReady: () => {
        checks += 1;
        return new Promise((resolve) => {
          finish = resolve;
        });
      },
    });

    const answers = [fetch(`${url}/readyz`), fetch(`${url}/readyz`)];
    await until(() => callers === 2);
    finish();

    expect((await Promise.all(answers)).map((answer) => answer.status)).toEqual([200, 200]);
    expect(checks).toBe(1);
  });
});

describe("metrics", () => {
  test("are readable by Prometheus, with those of Node", async () => {
    const { url, metrics } = await open();
    metrics.limiterRefusals.inc({ group: "accept" }, 3);

    const response = await fetch(`${url}/metrics`);
    const text = await response.text();

    expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toContain('assent_limiter_refusals_total{group="accept"} 3');
    expect(text).toContain("nodejs_eventloop_lag_p99_seconds");
  });
});

describe("RPCs on the admin port", () => {
  test("are answered as JSON to the holder of the token", async () => {
    const { url } = await open();

    const response = await post(url + jwksPath, `Bearer ${token}`);

    expect([response.status, await response.json()]).toEqual([200, { jwksJson: '{"keys":[]}' }]);
  });

  test.each([undefined, "", token, "Bearer", "Bearer wrong", `bearer ${token}`, `Bearer ${token}x`])(
    "are refused with authorization %j",
    async (authorization) => {
      const { url, lines } = await open();

      const response = await post(url + jwksPath, authorization);

      expect([response.status, await response.json()]).toEqual([
        401,
        { code: "unauthenticated", message: "the admin token is missing or wrong" },
      ]);
      expect(lines).toEqual([]);
    },
  );

  test("are off without a configured token", async () => {
    const { url } = await open({ token: "" });

    for (const authorization of [undefined, "Bearer ", `Bearer ${token}`]) {
      expect((await post(url + jwksPath, authorization)).status).toBe(404);
    }
    expect((await fetch(`${url}/livez`)).status).toBe(200);
  });

  test("are called with POST only", async () => {
    const { url } = await open();
    const query = `?connect=v1&encoding=json&message=${encodeURIComponent("{}")}`;

    const response = await fetch(url + jwksPath + query, { headers: { authorization: `Bearer ${token}` } });

    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  });

  test("work with Connect's own client, errors included", async () => {
    const { url, lines } = await open();
    const transport = createConnectTransport({
      baseUrl: url,
      httpVersion: "1.1",
      interceptors: [
        (next) => (request) => {
          request.header.set("authorization", `Bearer ${token}`);
          return next(request);
        },
      ],
    });
    const tokens = createClient(TokenService, transport);
    const admin = createClient(AdminService, transport);
    const organizationId = "0198c5f0-0000-7000-8000-000000000001";

    expect((await admin.listApiKeys({ organizationId })).keys).toEqual([]);
    await expectDomainError(tokens.describeOrganization({ organizationId }), "NOT_FOUND");
    await expectDomainError(admin.listApiKeys({ organizationId: "x" }), "VALIDATION_FAILED");
    const defect = await tokens.authenticateApiKey({ apiKey: "ak" }).catch((error: unknown) => error as ConnectError);
    expect(defect).toMatchObject({ code: Code.Internal, rawMessage: "internal error" });
    expect(lines.map((line) => line.code)).toEqual(["ok", "not_found", "invalid_argument", "internal"]);
  });

  test("refuse bodies that are too large, malformed or compressed", async () => {
    const { url } = await open();
    const apiKey = "x".repeat(5 * 1024 * 1024);
    const path = `${url}/assent.auth.v1.TokenService/AuthenticateApiKey`;

    const large = await post(path, `Bearer ${token}`, JSON.stringify({ apiKey }));
    const malformed = await post(path, `Bearer ${token}`, "{");
    const compressed = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", "content-encoding": "gzip", authorization: `Bearer ${token}` },
      body: "{}",
    });

    expect(await large.json()).toMatchObject({ code: "resource_exhausted" });
    expect(await malformed.json()).toMatchObject({ code: "invalid_argument" });
    expect(await compressed.json()).toMatchObject({ code: "unimplemented" });
  });
});

describe("other paths of the admin port", () => {
  test.each(["/", "/LIVEZ", "/livez/", "/assent.auth.v1.TokenService/Nothing"])("answer 404 for %s", async (path) => {
    const { url } = await open();

    const response = await post(url + path, `Bearer ${token}`);

    expect([response.status, await response.json()]).toEqual([
      404,
      { code: "not_found", message: "there is nothing at this address" },
    ]);
  });
});

describe("startAdminPort", () => {
  test("rejects when the port is taken", async () => {
    const { port } = await open();

    await expect(open({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});
