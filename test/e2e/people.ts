import { createHmac, randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "#platform/testing/until.ts";
import { type Operation, operations } from "../../gateway/routes/operations.ts";
import { scopesOfRole } from "../../gateway/sessions/authenticate-session.ts";
import type { Api } from "../support/api.ts";
import { Browser } from "../support/browser-people.ts";
import { documentedDashboardScopes } from "../support/dashboard-scopes.ts";
import { type System, scenario } from "../support/system.ts";

const roles = ["viewer", "developer", "owner"] as const;
type Role = (typeof roles)[number];

const newPassword = (): string => `pw ${randomBytes(12).toString("base64url")}`;
const newEmail = (): string => `person-${randomBytes(6).toString("hex")}@example.com`;
const tokenIn = (url: string): string => url.slice(url.indexOf("#") + 1);

export const peopleOfDashboard = scenario("people who use the dashboard", (_mode, running) => {
  let system: System;
  let organization: Api;
  let owner: Browser;

  beforeAll(async () => {
    system = running();
    organization = await system.newOrganization();
    owner = await newOwner(organization);
  });

  async function newOwner({ organizationId, baseUrl }: Api): Promise<Browser> {
    const [email, password] = [newEmail(), newPassword()];
    await system.admin.createOwner({ organizationId, email, name: "Olga Owner", password });
    const browser = new Browser(baseUrl);
    expect((await browser.login(email, password)).body.status).toBe("signed_in");
    return browser;
  }

  /** Somebody whom the owner has invited, and who has accepted. */
  async function newPerson(role: Role, by = owner) {
    const [email, password] = [newEmail(), newPassword()];
    const invited = await by.post("/v1/dashboard/users", { email, name: "Ben Example", role });
    expect([invited.status, invited.body.user.status]).toEqual([201, "invited"]);
    const browser = new Browser(by.baseUrl);
    const token = tokenIn(invited.body.inviteUrl);
    system.secrets.add("token", token);
    const accepted = await browser.post("/v1/dashboard/invitations/accept", { token, password });
    const { user } = accepted.body;
    expect([accepted.status, user.role, user.hasPassword]).toEqual([200, role, true]);
    const again = await new Browser(by.baseUrl).post("/v1/dashboard/invitations/accept", { token, password });
    expect([again.status, again.body.errorCode]).toEqual([400, "LINK_INVALID"]);
    return { browser, email, password, id: accepted.body.user.id as string };
  }

  test("are invited, accept, log in, and use a second factor", async () => {
    const { email, password, browser } = await newPerson("developer");
    const begun = await browser.post("/v1/dashboard/factor/totp", { password });
    const confirmed = await browser.post("/v1/dashboard/factor/totp/confirm", { code: totp(begun.body.secret) });
    expect([confirmed.status, confirmed.body.recoveryCodes.length, confirmed.cookie]).toEqual([
      200,
      10,
      browser.cookie,
    ]);
    expect((await browser.get("/v1/dashboard/session")).body.user.totpEnabled).toBe(true);

    const other = new Browser(owner.baseUrl);
    const first = await other.login(email, password);
    expect([first.body.status, first.cookie]).toEqual(["code_required", undefined]);
    const code: string = confirmed.body.recoveryCodes[0];
    const { pendingToken } = first.body;
    const wrong = await other.post("/v1/dashboard/login/code", { pendingToken, code: "000000" });
    expect([wrong.status, wrong.body.errorCode]).toEqual([401, "LOGIN_CODE_INVALID"]);
    expect((await other.post("/v1/dashboard/login/code", { pendingToken, code })).status).toBe(200);
    expect((await other.get("/v1/dashboard/sessions")).body).toHaveLength(2);
    expect((await other.get("/v1/click/templates")).status).toBe(200);
    expect((await other.call("DELETE", "/v1/dashboard/sessions")).body).toEqual({ revoked: 1 });
    await until(async () => (await browser.get("/v1/dashboard/session")).status === 401, 2_000);
  });

  test("lose their other sessions within a second when the password or the role changes", async () => {
    const { email, password, browser, id } = await newPerson("developer");
    const second = new Browser(owner.baseUrl);
    await second.login(email, password);
    expect((await second.get("/v1/dashboard/session")).status).toBe(200);
    const before = browser.cookie;
    const changed = { currentPassword: password, newPassword: newPassword() };
    expect((await browser.post("/v1/dashboard/password/change", changed)).status).toBe(204);
    expect(browser.cookie).not.toBe(before);
    await until(async () => (await second.get("/v1/dashboard/session")).status === 401, 2_000);
    expect((await browser.get("/v1/dashboard/session")).status).toBe(200);
    expect((await owner.call("PATCH", `/v1/dashboard/users/${id}`, { role: "viewer" })).body.role).toBe("viewer");
    await until(async () => (await browser.get("/v1/dashboard/session")).status === 401, 2_000);
    const events = await owner.get("/v1/dashboard/audit-events?limit=50");
    expect(events.body.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(["user.invited", "user.accepted", "password.changed", "user.updated"]),
    );
  });

  test("are locked out after ten wrong passwords, which nobody is told", async () => {
    const { email, password } = await newPerson("viewer");
    const guess = new Browser(owner.baseUrl, "127.0.0.2");
    for (let n = 0; n < 10; n += 1) expect((await guess.login(email, `wrong ${n} password`)).status).toBe(401);
    const right = await new Browser(owner.baseUrl, "127.0.0.3").login(email, password);
    const unknown = await new Browser(owner.baseUrl, "127.0.0.4").login(newEmail(), password);
    const told = ({ status, body }: typeof right) => [status, body.errorCode, body.message];
    expect(told(right)).toEqual([401, "LOGIN_FAILED", expect.any(String)]);
    expect(told(unknown)).toEqual(told(right));
  });

  test("a login to an organization that one does not belong to fails as a wrong password does", async () => {
    const { email, password } = await newPerson("viewer");
    const other = await system.newOrganization();
    const unknown = "00000000-0000-7000-8000-000000000000";
    for (const organizationId of [other.organizationId, unknown]) {
      const answer = await new Browser(owner.baseUrl).post("/v1/dashboard/login", { email, password, organizationId });
      expect([answer.status, answer.body.errorCode, answer.cookie]).toEqual([401, "LOGIN_FAILED", undefined]);
    }
  });

  test("the last owner stays one", async () => {
    const { body } = await owner.get("/v1/dashboard/session");
    const path = `/v1/dashboard/users/${body.user.id}`;
    for (const answer of [await owner.call("PATCH", path, { role: "viewer" }), await owner.call("DELETE", path)]) {
      expect([answer.status, answer.body.errorCode]).toEqual([409, "LAST_OWNER"]);
    }
  });

  const forPeople = operations.filter(({ isForPeople }) => isForPeople).map((one) => [one.operationId, one] as const);

  describe("who may do what", () => {
    const browsers = new Map<string, Browser>();
    /** Of the first organization. */
    let member: string;

    beforeAll(async () => {
      for (const role of roles) browsers.set(role, (await newPerson(role)).browser);
      member = (await newPerson("viewer")).id;
      browsers.set("stranger", await newOwner(await system.newOrganization()));
    });

    test.each(forPeople)("%s is for the roles of its scope, and shows strangers nothing", async (id, operation) => {
      // It would end the session that the others need.
      const lasts = id !== "logout" && id !== "revokeOtherSessions";
      const nobody = await ask(new Browser(owner.baseUrl), operation, member);
      expect([nobody.status, nobody.body.errorCode]).toEqual([401, "UNAUTHORIZED"]);
      const scope = documentedDashboardScopes[id] ?? "";
      for (const role of roles) {
        const browser = browsers.get(role);
        if (browser === undefined || !lasts) continue;
        const { status, body } = await ask(browser, operation, member);
        const isAllowed = id === "updateUser" ? role === "owner" : scopesOfRole(role).has(scope as never);
        expect([role, status === 403 && body.errorCode === "INSUFFICIENT_SCOPE"]).toEqual([role, !isAllowed]);
        expect([role, status]).not.toEqual([role, 401]);
        expect(status).toBeLessThan(500);
      }
      const stranger = browsers.get("stranger");
      if (stranger === undefined || !lasts) return;
      const answer = await ask(stranger, operation, member);
      if (operation.pathParams.length > 0) expect(answer.status).toBe(404);
      expect(answer.text).not.toContain(organization.organizationId);
      expect(answer.text).not.toContain(member);
    });
  });
});

const ask = (browser: Browser, { operationId, method, path, exampleBody }: Operation, member: string) => {
  const body = operationId === "inviteUser" ? { email: newEmail(), name: "Cara", role: "viewer" } : exampleBody;
  return browser.call(method, path.replace("{id}", member), body);
};

/** RFC 6238 as an authenticator computes it. */
function totp(secret: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const digest = createHmac("sha1", key).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}
