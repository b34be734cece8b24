import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Pool } from "pg";
import { UserRole, UserStatus } from "#gen/assent/auth/v1/users_pb.ts";
import { createPool } from "#platform/db/pool.ts";
import { newId } from "#platform/ids.ts";
import { createPasswordStretcher, type PasswordStretcher } from "#platform/password-stretcher.ts";
import { parseMasterKeys } from "#platform/secrets.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { noOrigin } from "../domain/audit.ts";
import { deriveKeys } from "../domain/secrets.ts";
import { checkLogin } from "../logins/check-login.ts";
import {
  type AuthHarness,
  cheapArgon2,
  createOrganization,
  describeChanges,
  listChanges,
  masterKey,
  runWorkerOnce,
  startAuth,
} from "./harness.ts";
import { createOwner, createPerson, logIn, type Person, password, someEmail, trailOf, visitor } from "./people.ts";

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

const login = (email: string, typed = password) => auth.logins.login({ email, password: typed, visitor });
const wrong = (email: string) => expectDomainError(login(email, "a wrong password"), "LOGIN_FAILED");
const times = <T>(count: number, run: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, () => run()));

/** How often a login stretches the password. */
async function countStretches(email: string): Promise<number> {
  let count = 0;
  const real = createPasswordStretcher(cheapArgon2);
  const stretch: PasswordStretcher["stretch"] = (...args) => {
    count += 1;
    return real.stretch(...args);
  };
  const pools = ["assent_auth", "assent_auth_lookup"].map((role) =>
    createPool({ url: auth.databaseUrl, role, name: "test", max: 2 }),
  );
  const [people, lookup] = pools as [Pool, Pool];
  const keys = deriveKeys(parseMasterKeys(masterKey), () => parseMasterKeys(masterKey)[0]);
  const passwords = { scheme: real.scheme, stretch };
  const others = { mail: undefined, publicUrl: () => "", wakeMails: () => undefined, clock: auth.clock, newId };
  await checkLogin({ people, lookup, keys, passwords, ...others }, { email, password }, noOrigin);
  for (const pool of pools) await pool.end();
  return count;
}

describe("login", () => {
  test("it answers a session of the user, whatever the case of the address", async () => {
    const person = await logIn(auth, { email: owner.email.toUpperCase() });
    const { principal } = await auth.logins.authenticateSession({ sessionToken: person.token, visitor });
    expect(principal).toMatchObject({
      organizationId,
      sessionId: person.sessionId,
      user: { id: owner.userId, email: owner.email, role: UserRole.OWNER, status: UserStatus.ACTIVE },
    });
    expect(person.token).toMatch(/^[\w-]{43}$/);
    expect(principal?.csrfToken).toMatch(/^[\w-]{43}$/);
    expect(principal?.csrfToken).not.toBe(person.token);
  });

  test("a wrong password, an unknown, an invited and a disabled user get one answer", async () => {
    const disabled = await createPerson(auth, owner);
    const { sessionId } = owner;
    const change = { userId: disabled.userId, status: UserStatus.DISABLED, sessionId };
    await auth.users.updateUser(change, owner.call);
    const invited = someEmail();
    await auth.users.inviteUser({ email: invited, name: "Ivy", role: UserRole.VIEWER }, owner.call);
    const answers = [
      await wrong(owner.email),
      await expectDomainError(login("nobody@example.com"), "LOGIN_FAILED"),
      await expectDomainError(login("no address"), "LOGIN_FAILED"),
      await expectDomainError(login(disabled.email), "LOGIN_FAILED"),
      await expectDomainError(login(invited), "LOGIN_FAILED"),
    ];
    expect(new Set(answers.map(({ message, details }) => JSON.stringify([message, details])))).toHaveProperty(
      "size",
      1,
    );
  });

  test("ten failures lock the user for 15 minutes, and the right password gets the same answer", async () => {
    for (let n = 0; n < 9; n += 1) await wrong(owner.email);
    await wrong(owner.email);
    await expectDomainError(login(owner.email), "LOGIN_FAILED");
    auth.clock.advance(15 * 60_000 - 1);
    await expectDomainError(login(owner.email), "LOGIN_FAILED");
    auth.clock.advance(1);
    await logIn(auth, owner);
    expect((await trailOf(auth, owner)).filter((action) => action !== "login.failed").slice(-2)).toEqual([
      "login.locked",
      "login.succeeded",
    ]);
  });

  test("nine failures do not, and a success forgets them", async () => {
    for (let round = 0; round < 2; round += 1) {
      for (let n = 0; n < 9; n += 1) await wrong(owner.email);
      await logIn(auth, owner);
    }
  });

  test("of guesses at the same time no more than ten are tried", async () => {
    await times(25, () => wrong(owner.email));
    const trail = await trailOf(auth, owner);
    expect(trail.filter((action) => action === "login.failed")).toHaveLength(10);
    expect(trail.filter((action) => action === "login.locked")).toHaveLength(1);
    await expectDomainError(login(owner.email), "LOGIN_FAILED");
  });

  test("logins that all succeed at the same time lock nobody", async () => {
    const outcomes = await times(9, () => login(owner.email));
    expect(outcomes.map(({ outcome }) => outcome.case)).toEqual(Array(9).fill("signedIn"));
  });

  test("whoever is a user of several organizations chooses one of those whose password it is", async () => {
    const second = await createOwner(auth, await createOrganization(auth, "Second"), owner.email);
    const other = await createOrganization(auth, "Third");
    await auth.admin.createOwner({
      ...{ organizationId: other, email: owner.email, name: "Same", password: "another password!" },
    });
    const { outcome } = await login(owner.email);
    expect(outcome.case).toBe("choice");
    const options = outcome.case === "choice" ? outcome.value.options.map((option) => option.name) : [];
    expect(options).toEqual(["Acme", "Second"]);
    expect(await logIn(auth, second)).toMatchObject({ organizationId: second.organizationId });
    // The one that is not theirs by this password counts no failure: it would lock in the end.
    for (let n = 0; n < 12; n += 1) await login(owner.email);
    await logIn(auth, { organizationId: other, email: owner.email, password: "another password!" });
    await expectDomainError(auth.logins.login({ organizationId: other, email: owner.email, password }), "LOGIN_FAILED");
  });

  test("the password is stretched once whoever it is: known, unknown, locked, or in several organizations", async () => {
    const lockedEmail = (await createPerson(auth, owner)).email;
    for (let n = 0; n < 10; n += 1) await wrong(lockedEmail);
    const twice = await createOwner(auth, await createOrganization(auth), someEmail());
    await createOwner(auth, await createOrganization(auth), twice.email);
    for (const email of [owner.email, "nobody@example.com", "no address", lockedEmail, twice.email]) {
      expect([email, await countStretches(email)]).toEqual([email, 1]);
    }
  });

  test("a password that was stretched with other parameters works and is stored anew", async () => {
    const dearer = await auth.another({ argon2: { memoryKib: 16, passes: 1 } });
    const schemes = async () =>
      (await auth.superuser.query("select password_scheme from auth.user_account where user_id = $1", [owner.userId]))
        .rows;
    await logIn(dearer, owner);
    expect(await schemes()).toEqual([{ password_scheme: "argon2id,v=19,m=16,t=1,p=1" }]);
    await logIn(auth, owner);
  });
});

describe("a session", () => {
  const authenticate = (sessionToken: string, from = visitor) =>
    auth.logins.authenticateSession({ sessionToken, visitor: from });
  const ended = (token: string) => expectDomainError(authenticate(token), "SESSION_ENDED");

  test("it ends after 12 hours without use, and 14 days after the login", async () => {
    const idle = await logIn(auth, owner);
    let { token } = owner;
    for (let n = 0; n < 28; n += 1) {
      auth.clock.advance(12 * 60 * 60_000 - 60_000);
      token = (await authenticate(token)).newSessionToken || token;
    }
    await ended(idle.token);
    auth.clock.advance(28 * 60_000);
    await ended(token);
  });

  test("its token is replaced after 30 minutes, and the old one works until a minute after the new one was used", async () => {
    auth.clock.advance(30 * 60_000);
    const { newSessionToken: second } = await authenticate(owner.token);
    expect(second).toMatch(/^[\w-]{43}$/);
    expect((await authenticate(owner.token)).newSessionToken).toBe("");
    expect((await authenticate(second)).newSessionToken).toBe("");
    auth.clock.advance(59_000);
    await authenticate(owner.token);
    auth.clock.advance(1_000);
    await ended(owner.token);
    await authenticate(second);
  });

  test("requests at the same time get one new token among them, and all of them go on", async () => {
    auth.clock.advance(30 * 60_000);
    const answers = await times(8, () => authenticate(owner.token));
    const fresh = answers.map(({ newSessionToken }) => newSessionToken).filter((token) => token !== "");
    expect(fresh).toHaveLength(1);
    expect(new Set(answers.map(({ principal }) => principal?.sessionId))).toEqual(new Set([owner.sessionId]));
    await authenticate(fresh[0] ?? "");
  });

  test("whoever did not get the new token is given another a minute later", async () => {
    auth.clock.advance(30 * 60_000);
    const { newSessionToken: lost } = await authenticate(owner.token);
    auth.clock.advance(60_000);
    const { newSessionToken: second } = await authenticate(owner.token);
    expect(second).not.toBe("");
    await ended(lost);
    await authenticate(second);
  });

  test("malformed and unknown tokens are no sessions", async () => {
    for (const token of ["", "x", "x".repeat(43), "é".repeat(43), `${owner.token} `]) await ended(token);
  });

  test("its last use is written once a minute, with where it came from", async () => {
    const use = async () =>
      (await auth.users.listSessions({}, owner.call)).sessions.map(({ lastSeenAt, ip }) => [
        lastSeenAt && timestampDate(lastSeenAt),
        ip,
      ]);
    const begun = auth.clock.now();
    auth.clock.advance(59_000);
    await authenticate(owner.token, { ...visitor, ip: "192.0.2.8" });
    expect(await use()).toEqual([[begun, visitor.ip]]);
    auth.clock.advance(1_000);
    await authenticate(owner.token, { ...visitor, ip: "192.0.2.8" });
    expect(await use()).toEqual([[auth.clock.now(), "192.0.2.8"]]);
  });

  test("logging out ends it, is told to the gateways, and may be repeated", async () => {
    const before = (await listChanges(auth)).at(-1)?.cursor ?? 0n;
    await auth.logins.logout({ sessionToken: owner.token });
    await auth.logins.logout({ sessionToken: owner.token });
    await ended(owner.token);
    expect(describeChanges(await listChanges(auth, before))).toEqual([`changedSessionId:${owner.sessionId}`]);
  });

  test("its user lists and ends sessions, one and all others, and no one else's", async () => {
    const second = await logIn(auth, owner);
    const third = await logIn(auth, owner);
    const stranger = await createPerson(auth, owner);
    const revoke = (sessionId: string) => auth.users.revokeSession({ sessionId }, owner.call);
    await expectDomainError(revoke(stranger.sessionId), "NOT_FOUND");
    await expectDomainError(revoke("no session"), "NOT_FOUND");
    await revoke(second.sessionId);
    await ended(second.token);
    expect(await auth.users.revokeOtherSessions({ sessionId: owner.sessionId }, owner.call)).toMatchObject({
      revoked: 1,
    });
    await ended(third.token);
    await authenticate(owner.token);
    await authenticate(stranger.token);
    const { sessions } = await auth.users.listSessions({}, owner.call);
    expect(sessions.map(({ id }) => id)).toEqual([owner.sessionId]);
  });

  test("what has ended is deleted, and what lives is not", async () => {
    const count = async (): Promise<number> => {
      const sql = "select count(*)::integer as n from auth.user_session where organization_id = $1";
      return (await auth.superuser.query(sql, [organizationId])).rows[0].n;
    };
    auth.clock.advance(6 * 60 * 60_000);
    await authenticate(owner.token);
    await logIn(auth, owner);
    await runWorkerOnce(auth, "auth-purge");
    expect(await count()).toBe(2);
    auth.clock.advance(6 * 60 * 60_000);
    const { token } = await logIn(auth, owner);
    auth.clock.advance(6 * 60 * 60_000 + 1);
    await runWorkerOnce(auth, "auth-purge");
    expect(await count()).toBe(1);
    await authenticate(token);
  });

  test("the 51st makes the one that was not used for longest end", async () => {
    for (let n = 0; n < 49; n += 1) {
      auth.clock.advance(1_000);
      await logIn(auth, owner);
    }
    await authenticate(owner.token);
    const last = await logIn(auth, owner);
    await ended(owner.token);
    await authenticate(last.token);
  });
});
