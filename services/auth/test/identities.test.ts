import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type LoginWithIdentityResponse, UserRole, UserStatus } from "#gen/assent/auth/v1/users_pb.ts";
import { fromConnectError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { type AuthHarness, createOrganization, startAuth } from "./harness.ts";
import { createOwner, createPerson, type Person, password, personOf, someEmail, trailOf, visitor } from "./people.ts";

const issuer = "https://login.example";

let auth: AuthHarness;
let organizationId: string;
let owner: Person;

beforeAll(async () => {
  auth = await startAuth();
  organizationId = await createOrganization(auth);
  owner = await createOwner(auth, organizationId);
});

afterAll(async () => {
  await auth?.stop();
});

interface Named {
  readonly subject: string;
  readonly email?: string;
  readonly issuer?: string;
  readonly organizationId?: string;
}

const ask = (named: Named): Promise<LoginWithIdentityResponse> =>
  auth.logins.loginWithIdentity({ issuer, email: "", visitor, ...named });

async function enter(named: Named): Promise<Person> {
  const { outcome } = await ask(named);
  if (outcome.case !== "signedIn") throw new Error(`the login ended with ${outcome.case}`);
  return personOf(outcome.value, named.email ?? "");
}

const codeOf = async (asked: Promise<unknown>): Promise<string | undefined> =>
  asked.then(
    () => "nothing",
    (error: unknown) => fromConnectError(error)?.code,
  );

async function invite(by = owner, email = someEmail()): Promise<{ readonly email: string; readonly id: string }> {
  const { user } = await auth.users.inviteUser({ email, name: "Ida", role: UserRole.VIEWER, visitor }, by.call);
  return { email, id: user?.id ?? "" };
}

test("an invited user is active from the first login on, without a password, and found by the subject from then on", async () => {
  const { email, id } = await invite();
  const subject = newId();
  const person = await enter({ subject, email: email.toUpperCase() });
  expect(person.userId).toBe(id);
  const { user } = await auth.users.getOwnUser({}, person.call);
  expect(user).toMatchObject({ status: UserStatus.ACTIVE, hasPassword: false, role: UserRole.VIEWER });
  expect((await trailOf(auth, owner)).slice(-3)).toEqual(["identity.linked", "user.accepted", "login.succeeded"]);
  // Whatever has become of the address at the provider.
  expect((await enter({ subject })).userId).toBe(id);
  expect((await enter({ subject, email: someEmail() })).userId).toBe(id);
  const { events } = await auth.organization.listAuditEvents({ pageSize: 1 }, owner.call);
  expect(events[0]).toMatchObject({ action: "login.succeeded", details: { method: "oidc" } });
});

test("a user without a password can neither log in with one nor prove one", async () => {
  const { email } = await invite();
  const person = await enter({ subject: newId(), email });
  expect(await codeOf(auth.logins.login({ email, password: "", visitor }))).toBe("LOGIN_FAILED");
  const { sessionId } = person;
  const change = { currentPassword: "", newPassword: "a staple of horses", sessionId, visitor };
  expect(await codeOf(auth.users.changePassword(change, person.call))).toBe("PASSWORD_WRONG");
  expect(await codeOf(auth.users.beginTotp({ password: "", visitor }, person.call))).toBe("PASSWORD_WRONG");
});

test("an address that is given to somebody else at the provider does not give the user away", async () => {
  const { email } = await createPerson(auth, owner);
  const subject = newId();
  const { userId } = await enter({ subject, email });
  expect(await codeOf(ask({ subject: newId(), email }))).toBe("LOGIN_FAILED");
  expect((await enter({ subject, email })).userId).toBe(userId);
  // Another provider is one that the operator has put in the place of the first.
  const moved = { issuer: "https://new.example", subject: newId() };
  expect((await enter({ ...moved, email })).userId).toBe(userId);
  expect((await enter(moved)).userId).toBe(userId);
  expect(await codeOf(ask({ subject }))).toBe("LOGIN_FAILED");
});

test("unknown, unverified and disabled persons are refused, and no user is created", async () => {
  const { email, id } = await invite();
  const subject = newId();
  await enter({ subject, email });
  const { sessionId } = owner;
  await auth.users.updateUser({ userId: id, status: UserStatus.DISABLED, sessionId, visitor }, owner.call);
  const count = async () => (await auth.users.listUsers({}, owner.call)).users.length;
  const before = await count();
  expect(await codeOf(ask({ subject, email }))).toBe("LOGIN_FAILED");
  expect(await codeOf(ask({ subject: newId(), email: someEmail() }))).toBe("LOGIN_FAILED");
  expect(await codeOf(ask({ subject: newId() }))).toBe("LOGIN_FAILED");
  expect(await count()).toBe(before);
});

test("who is a user of several organizations chooses one, and a known person comes before an address", async () => {
  const other = await createOwner(auth, await createOrganization(auth, "Other"));
  const { email, id } = await invite();
  const subject = newId();
  expect((await enter({ subject, email })).userId).toBe(id);
  await invite(other, email);
  const { outcome } = await ask({ subject, email });
  expect(outcome.case === "choice" && outcome.value.options.map(({ name }) => name)).toEqual(["Acme", "Other"]);
  const chosen = await enter({ subject, email, organizationId: other.organizationId });
  expect(chosen.organizationId).toBe(other.organizationId);
  const strange = await createOrganization(auth, "Third");
  expect(await codeOf(ask({ subject, email, organizationId: strange }))).toBe("LOGIN_FAILED");
  // In the same organization the address belongs to somebody else now.
  const taken = await invite();
  expect((await enter({ subject, email: taken.email, organizationId })).userId).toBe(id);
});

test("the second factor of a user is asked for with the password only", async () => {
  const { email, call, sessionId } = await createPerson(auth, owner);
  await auth.users.beginTotp({ password, visitor }, call);
  await auth.superuser.query("update auth.user_account set totp_enabled_at = now() where email = $1", [email]);
  const { outcome } = await auth.logins.login({ email, password, visitor });
  expect(outcome.case).toBe("secondFactor");
  expect((await enter({ subject: newId(), email })).sessionId).not.toBe(sessionId);
});

test("both halves of the look-up are answered by an index", async () => {
  const client = await auth.superuser.connect();
  try {
    await client.query("begin");
    await client.query("set local role assent_auth_lookup");
    await client.query("set local enable_seqscan = off");
    const plans = await Promise.all(
      ["external_subject = 'a' and external_issuer = 'b'", "email_key = 'a'"].map((where) =>
        client.query(`explain select user_id from auth.user_account where ${where}`),
      ),
    );
    const [bySubject, byAddress] = plans.map(({ rows }) => JSON.stringify(rows));
    expect(bySubject).toContain("user_account_identity_lookup");
    expect(byAddress).toContain("user_account_lookup");
  } finally {
    await client.query("rollback");
    client.release();
  }
});
