import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { UserRole } from "#gen/assent/auth/v1/users_pb.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { until } from "#platform/testing/until.ts";
import { operations } from "../routes/operations.ts";
import { createDashboardResources } from "./dashboard-samples.ts";
import { orgA, orgB } from "./fake-auth.ts";
import { type BrowserSession, goodCode, goodLink, goodPassword } from "./fake-users.ts";
import { pathWith, resourceIn, sampleRequest } from "./sample-requests.ts";
import { type Answer, startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url, { config: { trustedProxies: ["127.0.0.1"] } });
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

const refusalOf = ({ status, body }: Answer) => [status, body?.errorCode];
const cookieOf = (answer: Answer): string => answer.headers.get("set-cookie") ?? "";
const tokenOf = (answer: Answer): string =>
  /^(?:__Host-)?assent_session=([\w-]{43});/.exec(cookieOf(answer))?.[1] ?? "";
const read = (session: Partial<BrowserSession> & { token: string }) =>
  gateway.call("GET", "/v1/dashboard/session", { session: { csrfToken: "", ...session } });

describe("logging in", () => {
  const login = (body: object, headers: Record<string, string> = {}) =>
    gateway.call("POST", "/v1/dashboard/login", { body, headers });

  test("gives a cookie and the token that changes need", async () => {
    const { email, id } = gateway.auth.people.add(orgA, { role: UserRole.VIEWER });
    const answer = await login({ email, password: goodPassword });
    expect([answer.status, answer.body.status, answer.body.session.user.id]).toEqual([200, "signed_in", id]);
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
    expect(cookieOf(answer)).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/);
    const session = await read({ token: tokenOf(answer) });
    expect(session.body).toEqual(answer.body.session);
    expect(session.body.scopes).toContain("click:read");
  });

  test("behind a proxy with https the cookie is for this host alone", async () => {
    const { email } = gateway.auth.people.add(orgA);
    const answer = await login({ email, password: goodPassword }, { "X-Forwarded-Proto": "https" });
    expect(cookieOf(answer)).toMatch(/^__Host-assent_session=[\w-]{43};.*; Secure$/);
  });

  test("asks for a code of the second factor, or for the organization", async () => {
    const guarded = gateway.auth.people.add(orgA, { totpEnabled: true });
    const first = await login({ email: guarded.email, password: goodPassword });
    expect([first.body.status, cookieOf(first)]).toEqual(["code_required", ""]);
    const send = (code: string) =>
      gateway.call("POST", "/v1/dashboard/login/code", { body: { pendingToken: first.body.pendingToken, code } });
    expect(refusalOf(await send("000000"))).toEqual([401, "LOGIN_CODE_INVALID"]);
    const second = await send(goodCode);
    expect((await read({ token: tokenOf(second) })).body.user.id).toBe(guarded.id);

    const { email } = gateway.auth.people.add(orgA, { email: "both@example.com" });
    gateway.auth.people.add(orgB, { email });
    const choice = await login({ email, password: goodPassword });
    expect(choice.body.organizations.map(({ id }: { id: string }) => id).sort()).toEqual([orgA, orgB]);
    const chosen = await login({ email, password: goodPassword, organizationId: orgB });
    expect(chosen.body.session.organizationId).toBe(orgB);
  });

  test("with a passkey binds the challenge to the browser, and finishes what a password has begun", async () => {
    const { id, email } = gateway.auth.people.add(orgA, { passkeys: 1 });
    const path = "/v1/dashboard/login/passkey";
    const begun = await gateway.call("POST", `${path}/challenge`);
    expect([begun.status, begun.body.browserToken]).toEqual([200, undefined]);
    const cookie = cookieOf(begun).split(";")[0] ?? "";
    expect(cookieOf(begun)).toMatch(/^assent_passkey=.*; Max-Age=300; Path=\/; HttpOnly; SameSite=Lax$/);
    const signed = { id: "AAAA", clientDataJson: "e30", authenticatorData: "AAAA", signature: goodCode };
    const enter = (userHandle: string, headers: Record<string, string>) =>
      gateway.call("POST", path, { body: { ...signed, userHandle }, headers });
    expect(refusalOf(await enter(id, {}))).toEqual([401, "LOGIN_EXPIRED"]);
    expect(refusalOf(await enter("nobody", { Cookie: cookie }))).toEqual([401, "PASSKEY_REFUSED"]);
    const evil = { Cookie: cookie, Origin: "https://evil.example" };
    expect(refusalOf(await enter(id, evil))).toEqual([403, "CSRF_TOKEN_INVALID"]);
    expect(refusalOf(await gateway.call("POST", `${path}/challenge`, { headers: evil }))[0]).toBe(403);
    const entered = await enter(id, { Cookie: cookie });
    const [session = "", gone = ""] = entered.headers.getSetCookie();
    expect([entered.status, gone.split(";")[0]]).toEqual([200, "assent_passkey="]);
    const token = /assent_session=([^;]+)/.exec(session)?.[1] ?? "";
    expect((await read({ token })).body.user.id).toBe(id);

    gateway.auth.people.users.set(id, { ...gateway.auth.people.add(orgA), id, email, totpEnabled: true });
    const first = await login({ email, password: goodPassword });
    expect(first.body).toMatchObject({ totp: true, passkey: { rpId: "api.example.com", known: [{ id: "AAAA" }] } });
    const step = (signature: string) =>
      gateway.call("POST", "/v1/dashboard/login/code/passkey", {
        body: { pendingToken: first.body.pendingToken, ...signed, signature },
      });
    expect(refusalOf(await step("wrong"))).toEqual([401, "PASSKEY_REFUSED"]);
    expect((await step(goodCode)).status).toBe(200);
  });

  test("is refused to a page of another site, before the password is looked at", async () => {
    const { email } = gateway.auth.people.add(orgA);
    const before = gateway.auth.people.calls.logins;
    const answer = await login({ email, password: goodPassword }, { Origin: "https://evil.example" });
    expect(refusalOf(answer)).toEqual([403, "CSRF_TOKEN_INVALID"]);
    expect(gateway.auth.people.calls.logins).toBe(before);
    expect((await login({ email, password: goodPassword }, { Origin: gateway.url })).status).toBe(200);
  });

  test("wrong passwords count, and who asks for links counts too", async () => {
    const headers = { "X-Forwarded-For": "203.0.113.77" };
    const guess = () => login({ email: "nobody@example.com", password: "wrong" }, headers);
    const statuses = [];
    for (let n = 0; n < 21; n += 1) statuses.push((await guess()).status);
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401));
    expect(statuses).toContain(429);
    const forgot = () =>
      gateway.call("POST", "/v1/dashboard/password/forgot", { body: { email: "ann@example.com" }, headers });
    const answers = [];
    for (let n = 0; n < 21; n += 1) answers.push((await forgot()).status);
    expect(answers.slice(0, 10)).toEqual(Array(10).fill(204));
    expect(answers).toContain(429);
  });

  test("a link sets a password, and a bad one is told apart from nothing", async () => {
    const accept = (token: string) =>
      gateway.call("POST", "/v1/dashboard/invitations/accept", { body: { token, password: goodPassword } });
    expect(refusalOf(await accept("unknown"))).toEqual([400, "LINK_INVALID"]);
    const accepted = await accept(goodLink);
    expect([accepted.status, tokenOf(accepted)]).toEqual([200, expect.stringMatching(/./)]);
  });
});

describe("a session as a credential", () => {
  test("opens what the role allows everywhere, within the limits of the user", async () => {
    const viewer = gateway.auth.people.signIn(orgA, UserRole.VIEWER);
    const list = await gateway.call("GET", "/v1/click/templates", { session: viewer });
    expect([list.status, list.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
    expect(list.headers.get("x-ratelimit-remaining")).not.toBeNull();
    const create = { session: viewer, ...sampleRequest("createTemplate") };
    expect(refusalOf(await gateway.call("POST", "/v1/click/templates", create))).toEqual([403, "INSUFFICIENT_SCOPE"]);
    const developer = gateway.auth.people.signIn(orgA, UserRole.DEVELOPER);
    const created = await gateway.call("POST", "/v1/click/templates", { ...create, session: developer });
    expect([created.status, created.body.createdBy]).toEqual([201, `user:${developer.userId}`]);
  });

  test("is not looked at when there is an Authorization header", async () => {
    const session = gateway.auth.people.signIn(orgA);
    const both = { session, headers: { Authorization: "Bearer nonsense" } };
    expect(refusalOf(await gateway.call("GET", "/v1/dashboard/session", both))).toEqual([401, "INVALID_TOKEN"]);
    const token = await gateway.auth.token("click:read dashboard:read dashboard:admin");
    const forged = await gateway.call("GET", "/v1/dashboard/users", { session, token });
    expect(refusalOf(forged)).toEqual([403, "INSUFFICIENT_SCOPE"]);
  });

  test("changes nothing without its token against forgery, which comes after the scope and before the body", async () => {
    const session = { ...gateway.auth.people.signIn(orgA, UserRole.DEVELOPER), csrfToken: "guess" };
    const send = (path: string, body: unknown = "{") => gateway.call("POST", path, { session, body });
    expect(refusalOf(await send("/v1/click/templates"))).toEqual([403, "CSRF_TOKEN_INVALID"]);
    expect(refusalOf(await send("/v1/dashboard/api-keys"))).toEqual([403, "CSRF_TOKEN_INVALID"]);
    expect(refusalOf(await send("/v1/dashboard/users"))).toEqual([403, "INSUFFICIENT_SCOPE"]);
    const gen = await send("/v1/gen/templates");
    expect([gen.status, gen.body.code]).toEqual([403, "csrf_token_invalid"]);
    const other = gateway.auth.people.signIn(orgA);
    expect(
      refusalOf(
        await gateway.call("POST", "/v1/dashboard/logout", { session: { ...other, csrfToken: session.csrfToken } }),
      ),
    ).toEqual([403, "CSRF_TOKEN_INVALID"]);
    const elsewhere = { session: other, headers: { Origin: "https://evil.example" } };
    expect(refusalOf(await gateway.call("POST", "/v1/dashboard/logout", elsewhere))).toEqual([
      403,
      "CSRF_TOKEN_INVALID",
    ]);
  });

  test("goes on under a new token on whatever answer, a refusal included", async () => {
    const viewer = gateway.auth.people.signIn(orgA, UserRole.VIEWER);
    const next = "n".repeat(43);
    gateway.auth.people.rotate(viewer.token, next);
    expect(tokenOf(await gateway.call("GET", "/v1/click/templates", { session: viewer }))).toBe(next);
    const refused = await gateway.call("POST", "/v1/click/templates", { session: viewer });
    expect([refused.status, tokenOf(refused), refused.headers.get("cache-control")]).toEqual([
      403,
      next,
      "private, no-store",
    ]);
    expect(cookieOf(await read({ token: next }))).toBe("");
  });

  test("has what it may do changed, and ends, within a second", async () => {
    const session = gateway.auth.people.signIn(orgA);
    const users = () => gateway.call("GET", "/v1/dashboard/users", { session });
    expect((await users()).status).toBe(200);
    const user = gateway.auth.people.users.get(session.userId);
    if (user !== undefined) user.role = UserRole.VIEWER;
    gateway.auth.change({ case: "changedUserId", value: session.userId });
    await until(async () => (await users()).status === 403, 2_000);
    gateway.auth.people.sessions.delete(session.token);
    gateway.auth.change({ case: "changedSessionId", value: session.sessionId });
    await until(async () => (await users()).status === 401, 2_000);
    const ended = await users();
    expect([...refusalOf(ended), ended.headers.get("www-authenticate")]).toEqual([
      401,
      "SESSION_ENDED",
      'Session realm="assent"',
    ]);
  });

  test("ends by logging out, which takes the cookie away", async () => {
    const session = gateway.auth.people.signIn(orgA);
    const answer = await gateway.call("POST", "/v1/dashboard/logout", { session });
    expect([answer.status, cookieOf(answer)]).toEqual([204, expect.stringMatching(/^assent_session=; Max-Age=0;/)]);
    gateway.auth.change({ case: "changedSessionId", value: session.sessionId });
    await until(async () => (await read(session)).status === 401, 2_000);
  });
});

describe("operations of the dashboard", () => {
  const ofDashboard = operations.filter(({ path, isForPeople }) => isForPeople && path.startsWith("/v1/dashboard/"));

  test.each(ofDashboard.map((one) => [one.operationId, one] as const))(
    "%s does for an owner what it is for, and keeps nothing in caches",
    async (operationId, operation) => {
      const session = gateway.auth.people.signIn(orgA);
      const own = { ...createDashboardResources(gateway, orgA), userSession: session.sessionId };
      const path = pathWith(operation, (resource) => resourceIn(own, resource));
      const answer = await gateway.call(operation.method, path, { session, ...sampleRequest(operationId) });
      expect([200, 201, 204]).toContain(answer.status);
      expect(answer.headers.get("cache-control")).toBe("private, no-store");
    },
  );

  test("a new token of the session comes with what changes its rights", async () => {
    const session = gateway.auth.people.signIn(orgA);
    const body = { currentPassword: goodPassword, newPassword: "a staple of horses and batteries" };
    const answer = await gateway.call("POST", "/v1/dashboard/password/change", { session, body });
    expect([answer.status, (await read({ token: tokenOf(answer) })).body.user.id]).toEqual([204, session.userId]);
    const wrong = { ...body, currentPassword: "wrong" };
    expect(refusalOf(await gateway.call("POST", "/v1/dashboard/password/change", { session, body: wrong }))).toEqual([
      403,
      "PASSWORD_WRONG",
    ]);
  });

  test("everybody changes their own name, and only owners their role or others", async () => {
    const viewer = gateway.auth.people.signIn(orgA, UserRole.VIEWER);
    const other = gateway.auth.people.add(orgA);
    const patch = (id: string, body: object) =>
      gateway.call("PATCH", `/v1/dashboard/users/${id}`, { session: viewer, body });
    expect((await patch(viewer.userId, { name: "Vic Viewer", locale: null })).body.name).toBe("Vic Viewer");
    for (const [id, body] of [
      [viewer.userId, { role: "owner" }],
      [viewer.userId, { status: "active" }],
      [other.id, { name: "Mallory" }],
    ] as const) {
      expect(refusalOf(await patch(id, body))).toEqual([403, "INSUFFICIENT_SCOPE"]);
    }
  });
});
