import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { UserRole, UserStatus } from "#gen/assent/auth/v1/users_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { type AuthHarness, createOrganization, describeChanges, listChanges, startAuth } from "./harness.ts";
import { createOwner, createPerson, logIn, type Person, password, someEmail, visitor } from "./people.ts";

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
const update = (by: Person, change: { userId: string; role?: UserRole; status?: UserStatus; name?: string }) =>
  auth.users.updateUser({ sessionId: by.sessionId, ...change }, by.call);
const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "Ok",
    (error: Error) => /[A-Z_]{6,}/.exec(JSON.stringify(error))?.[0] ?? error.message,
  );

describe("a change of rights", () => {
  const isAlive = async (token: string): Promise<boolean> =>
    auth.logins.authenticateSession({ sessionToken: token }).then(
      () => true,
      () => false,
    );

  test.each([
    ["another role", { role: UserRole.VIEWER }],
    ["being disabled", { status: UserStatus.DISABLED }],
  ])("%s ends the sessions of the user at once and is told to the gateways", async (_what, change) => {
    const person = await createPerson(auth, owner);
    const before = (await listChanges(auth)).at(-1)?.cursor ?? 0n;
    await update(owner, { userId: person.userId, ...change });
    expect(await isAlive(person.token)).toBe(false);
    expect(await isAlive(owner.token)).toBe(true);
    expect(describeChanges(await listChanges(auth, before))).toEqual([`changedUserId:${person.userId}`]);
  });

  test("being removed ends everything, and the address is free again", async () => {
    const person = await createPerson(auth, owner);
    await auth.users.removeUser({ userId: person.userId }, owner.call);
    expect(await isAlive(person.token)).toBe(false);
    await expectDomainError(logIn(auth, person), "LOGIN_FAILED");
    await createPerson(auth, owner, UserRole.VIEWER, person.email);
  });

  test("of oneself keeps the session that calls, with another token", async () => {
    const second = await createPerson(auth, owner, UserRole.OWNER);
    const other = await logIn(auth, second);
    const { newSessionToken } = await update(second, { userId: second.userId, role: UserRole.DEVELOPER });
    expect(await Promise.all([second.token, other.token, newSessionToken].map(isAlive))).toEqual([false, false, true]);
  });

  test("a change that changes nothing ends nothing", async () => {
    const person = await createPerson(auth, owner, UserRole.DEVELOPER);
    await update(owner, { userId: person.userId, role: UserRole.DEVELOPER, status: UserStatus.ACTIVE });
    expect(await isAlive(person.token)).toBe(true);
  });

  test("another password ends the other sessions, renews this one, and voids what was sent before", async () => {
    const other = await logIn(auth, owner);
    const change = (currentPassword: string, newPassword: string) =>
      auth.users.changePassword({ currentPassword, newPassword, sessionId: owner.sessionId }, owner.call);
    await expectDomainError(change("a wrong password", "a brand new password"), "PASSWORD_WRONG");
    await expectDomainError(change(password, "short"), "VALIDATION_FAILED");
    const { newSessionToken } = await change(password, "a brand new password");
    expect(await Promise.all([owner.token, other.token, newSessionToken].map(isAlive))).toEqual([false, false, true]);
    await expectDomainError(logIn(auth, owner), "LOGIN_FAILED");
    await logIn(auth, { ...owner, password: "a brand new password" });
  });

  test("guesses at the current password are failed logins", async () => {
    const guess = () =>
      codeOf(
        auth.users.changePassword(
          { currentPassword: "a wrong password", newPassword: "a brand new password", sessionId: owner.sessionId },
          owner.call,
        ),
      );
    for (let n = 0; n < 10; n += 1) await guess();
    await expectDomainError(logIn(auth, owner), "LOGIN_FAILED");
  });

  test("an invited user is neither enabled nor disabled", async () => {
    const userId = (await invite()).user?.id ?? "";
    for (const status of [UserStatus.ACTIVE, UserStatus.DISABLED]) {
      await expectDomainError(update(owner, { userId, status }), "USER_NOT_ACTIVE");
    }
  });
});

describe("somebody who is demoted while a change of theirs is under way", () => {
  const lateClient = { name: "Late client", scopes: ["click:read"] };
  const waiting = `select from pg_stat_activity
    where wait_event_type = 'Lock' and query ilike '%user_account%for share%' and pid <> pg_backend_pid()
      and datname = current_database()`;

  test.each([
    ["a key", (by: Person) => auth.organization.createKey({ name: "Late key", visitor }, by.call)],
    ["a client", (by: Person) => auth.organization.createClient({ ...lateClient, visitor }, by.call)],
  ])("does not make %s any more", async (_what, make) => {
    const person = await createPerson(auth, owner);
    const holder = await auth.superuser.connect();
    try {
      await holder.query("begin");
      // The role of the calling user is read before, and the change waits for this transaction.
      await holder.query("update auth.user_account set role = 'viewer' where user_id = $1", [person.userId]);
      const made = codeOf(make(person));
      await until(async () => (await auth.superuser.query(waiting)).rowCount === 1);
      await holder.query("commit");
      expect(await made).toBe("INSUFFICIENT_SCOPE");
    } finally {
      holder.release();
    }
    const stored = "select from auth.audit_event where actor_id = $1 and action like '%.created'";
    expect((await auth.superuser.query(stored, [person.userId])).rowCount).toBe(0);
  });
});

describe("the last owner", () => {
  test("can neither be removed nor demoted nor disabled", async () => {
    // Somebody who has not accepted is no active owner.
    await invite(someEmail(), UserRole.OWNER);
    const { userId } = owner;
    await expectDomainError(auth.users.removeUser({ userId }, owner.call), "LAST_OWNER");
    await expectDomainError(update(owner, { userId, role: UserRole.VIEWER }), "LAST_OWNER");
    await expectDomainError(update(owner, { userId, status: UserStatus.DISABLED }), "LAST_OWNER");
  });

  test("of owners who leave at the same time one stays", async () => {
    for (const leave of [
      (by: Person, of: Person) => update(by, { userId: of.userId, role: UserRole.VIEWER }),
      (by: Person, of: Person) => auth.users.removeUser({ userId: of.userId }, by.call),
    ]) {
      organizationId = await createOrganization(auth);
      owner = await createOwner(auth, organizationId);
      const second = await createPerson(auth, owner, UserRole.OWNER);
      const third = await createPerson(auth, owner, UserRole.OWNER);
      await Promise.allSettled([leave(owner, owner), leave(second, second), leave(third, third)]);
      const sql = `select count(*)::integer as n from auth.user_account
        where organization_id = $1 and role = 'owner' and status = 'active'`;
      expect((await auth.superuser.query(sql, [organizationId])).rows).toEqual([{ n: 1 }]);
    }
  });

  test("two owners who demote each other do not both succeed", async () => {
    const second = await createPerson(auth, owner, UserRole.OWNER);
    const outcomes = await Promise.allSettled([
      update(owner, { userId: second.userId, role: UserRole.VIEWER }),
      update(second, { userId: owner.userId, role: UserRole.VIEWER }),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });
});
