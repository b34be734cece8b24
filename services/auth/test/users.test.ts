import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { NoticeDelivery } from "#gen/assent/auth/v1/notices_pb.ts";
import { UserRole, UserStatus } from "#gen/assent/auth/v1/users_pb.ts";
import { newSecret } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { type AuthHarness, createOrganization, startAuth } from "./harness.ts";
import {
  callOf,
  createOwner,
  createPerson,
  logIn,
  type Person,
  password,
  someEmail,
  tokenOf,
  trailOf,
  visitor,
} from "./people.ts";

let auth: AuthHarness;
let organizationId: string;
let owner: Person;

beforeAll(async () => {
  auth = await startAuth();
});
afterAll(() => auth.stop());
beforeEach(async () => {
  organizationId = await createOrganization(auth);
  owner = await createOwner(auth, organizationId);
});

const invite = (email = someEmail(), role: UserRole = UserRole.VIEWER) =>
  auth.users.inviteUser({ email, name: "Ivy Invited", role, visitor }, owner.call);
const accept = (token: string, chosen = password) => auth.logins.acceptInvitation({ token, password: chosen, visitor });
const update = (by: Person, change: { userId: string; role?: UserRole; status?: UserStatus; name?: string }) =>
  auth.users.updateUser({ sessionId: by.sessionId, ...change }, by.call);
const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "Ok",
    (error: Error) => /[A-Z_]{6,}/.exec(JSON.stringify(error))?.[0] ?? error.message,
  );

describe("an invitation", () => {
  test("its link sets the password once and logs the person in", async () => {
    const { user, inviteUrl } = await invite();
    expect(inviteUrl).toMatch(/^\/dashboard\/invitation#[\w-]{43}$/);
    const { signedIn } = await accept(tokenOf(inviteUrl));
    expect(signedIn?.principal?.user).toMatchObject({ id: user?.id, status: UserStatus.ACTIVE });
    await expectDomainError(accept(tokenOf(inviteUrl)), "LINK_INVALID");
    await logIn(auth, { email: user?.email ?? "" });
  });

  test("two who use it at the same time are not both let in", async () => {
    const { inviteUrl } = await invite();
    const outcomes = await Promise.allSettled([
      accept(tokenOf(inviteUrl), "the first password"),
      accept(tokenOf(inviteUrl), "the second password"),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("a password that does not do leaves it good", async () => {
    const { user, inviteUrl } = await invite();
    for (const bad of ["short", "x".repeat(201), "aaaaaaaaaaaa", `${user?.email}`, "IvyInvitedIvy", "AcmeAcmeAcme1"]) {
      const { details } = await expectDomainError(accept(tokenOf(inviteUrl), bad), "VALIDATION_FAILED");
      expect(details).toMatchObject([{ field: "password" }]);
    }
    await accept(tokenOf(inviteUrl));
  });

  test("it is over after seven days, and when another one is sent", async () => {
    const { user, inviteUrl } = await invite();
    auth.clock.advance(7 * 24 * 60 * 60_000);
    await expectDomainError(accept(tokenOf(inviteUrl)), "LINK_INVALID");
    owner = await logIn(auth, owner);
    const again = () => auth.users.inviteUserAgain({ userId: user?.id ?? "" }, owner.call);
    const second = await again();
    const third = await again();
    await expectDomainError(accept(tokenOf(second.inviteUrl)), "LINK_INVALID");
    await accept(tokenOf(third.inviteUrl));
    await expectDomainError(again(), "USER_NOT_INVITED");
  });

  test("malformed, unknown and reset tokens are none", async () => {
    for (const token of ["", "x", newSecret(), "é".repeat(43)]) await expectDomainError(accept(token), "LINK_INVALID");
    const { inviteUrl } = await invite();
    await expectDomainError(auth.logins.resetPassword({ token: tokenOf(inviteUrl), password }), "LINK_INVALID");
  });

  test("an address is invited once, whatever its case, and must be one", async () => {
    const email = someEmail();
    const outcomes = await Promise.all([codeOf(invite(email)), codeOf(invite(email.toUpperCase()))]);
    expect(outcomes.sort()).toEqual(["Ok", "USER_EXISTS"]);
    await expectDomainError(invite("not an address"), "VALIDATION_FAILED");
    await createOwner(auth, await createOrganization(auth), email);
  });
});

describe("the first owner", () => {
  test("an operator invites them, or gives them a password", async () => {
    const email = someEmail();
    const { userId, inviteUrl } = await auth.admin.createOwner({ organizationId, email, name: "Olga" });
    const { signedIn } = await accept(tokenOf(inviteUrl));
    expect(signedIn?.principal?.user).toMatchObject({ id: userId, role: UserRole.OWNER });
    await expectDomainError(auth.admin.createOwner({ organizationId, email, name: "Olga" }), "USER_EXISTS");
    const weak = { organizationId, email: someEmail(), name: "Olga", password: "short" };
    await expectDomainError(auth.admin.createOwner(weak), "VALIDATION_FAILED");
    const nowhere = { organizationId: userId, email, name: "Olga" };
    await expectDomainError(auth.admin.createOwner(nowhere), "NOT_FOUND");
  });
});

describe("what users may do", () => {
  test("only owners manage users, and others themselves but not their rights", async () => {
    for (const role of [UserRole.DEVELOPER, UserRole.VIEWER]) {
      const person = await createPerson(auth, owner, role);
      const userId = owner.userId;
      const refused = [
        auth.users.listUsers({}, person.call),
        auth.users.inviteUser({ email: someEmail(), name: "No", role }, person.call),
        auth.users.inviteUserAgain({ userId }, person.call),
        auth.users.removeUser({ userId }, person.call),
        update(person, { userId, name: "Mallory" }),
        update(person, { userId: person.userId, role: UserRole.OWNER }),
        auth.organization.updateOrganization({ name: "Mine" }, person.call),
        auth.organization.listAuditEvents({ pageSize: 10 }, person.call),
      ];
      for (const call of refused) await expectDomainError(call, "INSUFFICIENT_SCOPE");
      // They may learn what somebody is called whose id they have met, and no more.
      const { users: named } = await auth.users.nameUsers({ userIds: [userId, randomUUID()] }, person.call);
      expect(named).toMatchObject([{ id: userId, name: "Olive Owner" }]);
      const { user } = await update(person, { userId: person.userId, name: "Another Name" });
      expect(user?.name).toBe("Another Name");
    }
  });

  test("viewers manage no keys and clients, developers do, and the trail says who", async () => {
    const viewer = await createPerson(auth, owner, UserRole.VIEWER);
    const { organization } = auth;
    const client = { name: "Backend", scopes: ["click:read"] };
    await expectDomainError(organization.createKey({ name: "Key" }, viewer.call), "INSUFFICIENT_SCOPE");
    await expectDomainError(organization.createClient(client, viewer.call), "INSUFFICIENT_SCOPE");
    const developer = await createPerson(auth, owner, UserRole.DEVELOPER);
    const { key, apiKey } = await organization.createKey({ name: "Key", visitor }, developer.call);
    expect(await auth.tokens.authenticateApiKey({ apiKey })).toMatchObject({ organizationId });
    const created = await organization.createClient(client, developer.call);
    const clientId = created.client?.id ?? "";
    const rotated = await organization.rotateClientSecret({ clientId }, developer.call);
    await auth.tokens.issueToken({ clientId, clientSecret: rotated.clientSecret });
    await organization.revokeClient({ clientId }, developer.call);
    await organization.revokeKey({ keyId: key?.id ?? "" }, developer.call);
    await organization.revokeKey({ keyId: key?.id ?? "" }, developer.call);
    expect((await organization.listKeys({}, viewer.call)).keys).toHaveLength(1);
    expect((await organization.listClients({}, viewer.call)).clients).toHaveLength(1);
    const dashboard = { name: "No", scopes: ["dashboard:admin"] };
    await expectDomainError(organization.createClient(dashboard, owner.call), "VALIDATION_FAILED");
    const { events } = await organization.listAuditEvents({ pageSize: 5 }, owner.call);
    expect(events.map(({ action, actorId, subjectName }) => [action, actorId, subjectName])).toEqual([
      ["api-key.revoked", developer.userId, "Key"],
      ["client.revoked", developer.userId, "Backend"],
      ["client.secret-rotated", developer.userId, "Backend"],
      ["client.created", developer.userId, "Backend"],
      ["api-key.created", developer.userId, "Key"],
    ]);
    expect(events.at(-1)).toMatchObject({ ip: visitor.ip, userAgent: visitor.userAgent, requestId: "request-1" });
  });

  test("keys and clients are no users, and nor are those who were removed", async () => {
    const { key } = await auth.admin.createApiKey({ organizationId, name: "Key" });
    const asKey = callOf(organizationId, "");
    asKey.headers["x-client-id"] = key?.id ?? "";
    await expectDomainError(auth.users.getOwnUser({}, asKey), "INSUFFICIENT_SCOPE");
    const person = await createPerson(auth, owner);
    await auth.users.removeUser({ userId: person.userId }, owner.call);
    await expectDomainError(auth.users.getOwnUser({}, person.call), "SESSION_ENDED");
    const stranger = await createOwner(auth, await createOrganization(auth));
    await expectDomainError(auth.users.getOwnUser({}, callOf(organizationId, stranger.userId)), "SESSION_ENDED");
  });

  test("an owner renames the organization, and the events are read in pages", async () => {
    const { organization } = await auth.organization.updateOrganization({ name: "  New name " }, owner.call);
    expect(organization).toMatchObject({ name: "New name", envelopeCorrections: false });
    const turnedOn = await auth.organization.updateOrganization({ envelopeCorrections: true }, owner.call);
    expect(turnedOn.organization).toMatchObject({ name: "New name", envelopeCorrections: true });
    await auth.organization.updateOrganization({ envelopeCorrections: false }, owner.call);
    expect((await auth.organization.getOrganization({}, owner.call)).organization).toEqual(organization);
    const all = await trailOf(auth, owner);
    const read: string[] = [];
    let cursor = "";
    do {
      const page = await auth.organization.listAuditEvents({ pageSize: 2, cursor }, owner.call);
      read.push(...page.events.map(({ action }) => action));
      cursor = page.nextCursor;
    } while (cursor !== "");
    expect(read.reverse()).toEqual(all);
    const bad = auth.organization.listAuditEvents({ pageSize: 2, cursor: "x" }, owner.call);
    await expectDomainError(bad, "VALIDATION_FAILED");
  });
});

describe("what the audit trail has", () => {
  /** What is told of it, the oldest first. */
  const told = async () => {
    const statement =
      "select event_id as id, subject, data from auth.outbox where organization_id = $1 order by position";
    const { rows } = await auth.superuser.query<{ id: string; subject: string; data: string }>(statement, [
      organizationId,
    ]);
    return rows.map(({ data, ...row }) => ({
      ...row,
      data,
      payload: Object.values(JSON.parse(data)).at(-1) as object,
    }));
  };

  test("is told by one event each, under the same id, and nobody is named in it but by an id", async () => {
    const person = await createPerson(auth, owner);
    await update(owner, { userId: person.userId, role: UserRole.OWNER, name: "Petra Person" });
    await update(owner, { userId: person.userId, status: UserStatus.DISABLED });
    await expectDomainError(auth.logins.login({ email: owner.email, password: "wrong", visitor }), "LOGIN_FAILED");
    await auth.admin.setOrganizationLimits({ organizationId, limits: { accept: 7 } });
    const { key } = await auth.admin.createApiKey({ organizationId, name: "Key of Petra" });
    await auth.users.removeUser({ userId: person.userId, visitor }, owner.call);
    const { events } = await auth.organization.listAuditEvents({ pageSize: 200 }, owner.call);
    const all = await told();
    expect(all.map(({ id }) => id)).toEqual(events.map(({ id }) => id).reverse());
    const text = JSON.stringify(all);
    for (const personal of [person.email, owner.email, "Petra", "Pat Person", "Olive", visitor.ip, visitor.userAgent]) {
      expect([personal, text.includes(personal)]).toEqual([personal, false]);
    }
    const byOwner = { actor: { kind: "user", id: owner.userId }, target: { kind: "user", id: person.userId } };
    const changed = all.find(({ data }) => data.includes('"role"') && data.includes("user.updated"));
    expect(changed).toMatchObject({
      subject: "assent.audit.account",
      payload: {
        ...byOwner,
        ...{ action: "user.updated", outcome: "SUCCESS" },
        changes: [
          { field: "name", value: "" },
          { field: "role", value: "owner" },
        ],
      },
    });
    expect(JSON.parse(changed?.data ?? "")).toMatchObject({ organizationId, requestId: "request-1" });
    const actions = all.map(({ subject, payload }) => [subject.split(".").at(-1), payload]);
    expect(actions).toContainEqual([
      "organization",
      {
        ...{ action: "organization.updated", actor: { kind: "operator", id: "" }, outcome: "SUCCESS" },
        target: { kind: "organization", id: organizationId },
        changes: [{ field: "limitAccept", value: "7" }],
      },
    ]);
    expect(actions).toContainEqual([
      "credential",
      {
        ...{ action: "api-key.created", actor: { kind: "operator", id: "" }, outcome: "SUCCESS" },
        ...{ target: { kind: "api-key", id: key?.id }, changes: [] },
      },
    ]);
    const [subject, failed] = actions.find(([, payload]) => JSON.stringify(payload).includes("login.failed")) ?? [];
    expect([subject, failed]).toMatchObject(["authentication", { outcome: "FAILURE" }]);
  });

  test("is told of what has happened alone: what is refused leaves neither a line nor an event", async () => {
    const before = await told();
    await expectDomainError(update(owner, { userId: owner.userId, role: UserRole.VIEWER }), "LAST_OWNER");
    expect(await told()).toEqual(before);
  });
});

describe("what a user is told of", () => {
  const readers = async (senderId: string) =>
    (await auth.tokens.findNoticeReaders({ organizationId, senderId })).readers.map(({ userId }) => userId);
  const settings = { delivery: NoticeDelivery.DAILY, declined: true, applications: true };

  test("is what they have chosen, of what they have sent, and of applications where they want it", async () => {
    const person = await createPerson(auth, owner, UserRole.DEVELOPER);
    const [own] = (await auth.tokens.findNoticeReaders({ organizationId, senderId: `user:${person.userId}` })).readers;
    expect(own?.settings).toMatchObject({ delivery: NoticeDelivery.IMMEDIATE, viewed: false, completed: true });
    expect(await readers("ak_any")).toEqual([]);
    const change = { userId: person.userId, sessionId: person.sessionId, notices: settings, visitor };
    const { user } = await auth.users.updateUser(change, person.call);
    expect(user?.notices).toMatchObject({ ...settings, viewed: false, completed: false });
    expect(await readers("ak_any")).toEqual([person.userId]);
    const { events } = await auth.organization.listAuditEvents({ pageSize: 50 }, owner.call);
    expect(events.find(({ action }) => action === "user.updated")?.details).toEqual({
      notices: "daily declined applications",
    });
    // Others are not theirs to tell, nor is one of another organization.
    const other = await createOrganization(auth);
    const asked = { organizationId: other, senderId: `user:${person.userId}` };
    expect((await auth.tokens.findNoticeReaders(asked)).readers).toEqual([]);
    await update(owner, { userId: person.userId, status: UserStatus.DISABLED });
    expect([await readers("ak_any"), await readers(`user:${person.userId}`), await readers("user:x")]).toEqual([
      [],
      [],
      [],
    ]);
  });

  test("ends by the token of a mail, again and again, and by no other", async () => {
    const sender = { organizationId, senderId: `user:${owner.userId}` };
    const token = (await auth.tokens.findNoticeReaders(sender)).readers[0]?.stopToken ?? "";
    const forged = Buffer.from(token, "base64url");
    forged[20] = (forged[20] ?? 0) ^ 1;
    for (const wrong of ["", "x", `${token}A`, token.slice(0, -1), forged.toString("base64url")]) {
      await expectDomainError(auth.tokens.stopNotices({ token: wrong }), "NOT_FOUND");
    }
    await Promise.all([auth.tokens.stopNotices({ token }), auth.tokens.stopNotices({ token })]);
    const { user } = await auth.users.getOwnUser({}, owner.call);
    expect(user?.notices).toMatchObject({ delivery: NoticeDelivery.IMMEDIATE, completed: false, declined: false });
    expect((await trailOf(auth, owner)).filter((line) => line.includes("user.updated"))).toHaveLength(1);
    await createOwner(auth, organizationId);
    const { users } = await auth.users.listUsers({}, owner.call);
    const second = users.find(({ id }) => id !== owner.userId);
    const theirs = { organizationId, senderId: `user:${second?.id}` };
    const secondToken = (await auth.tokens.findNoticeReaders(theirs)).readers[0]?.stopToken ?? "";
    await auth.users.removeUser({ userId: second?.id ?? "", visitor }, owner.call);
    await expectDomainError(auth.tokens.stopNotices({ token: secondToken }), "NOT_FOUND");
  });
});
