import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { newId, newSecret } from "#platform/ids.ts";
import { Authenticator } from "#platform/testing/authenticator.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { totpCode } from "../../domain/second-factor.ts";
import { type AuthHarness, createOrganization, startAuth } from "../../test/harness.ts";
import {
  addPasskey,
  createOwner,
  createPerson,
  fromBase32,
  passkeyOrigin as origin,
  type Person,
  password,
  trailOf,
  visitor,
} from "../../test/people.ts";

let auth: AuthHarness;
let owner: Person;

beforeAll(async () => {
  auth = await startAuth();
});
afterAll(() => auth.stop());
beforeEach(async () => {
  owner = await createOwner(auth, await createOrganization(auth));
});

async function add(authenticator: Authenticator, name = "Laptop") {
  const added = await addPasskey(auth, owner, authenticator, name);
  owner = { ...owner, token: added.newSessionToken };
  return added;
}

const begin = () => auth.passkeys.beginPasskeyLogin({ origin });
async function enter(authenticator: Authenticator, change: Record<string, string> = {}) {
  const { challenge, rpId, browserToken } = await begin();
  const proof = authenticator.sign({ challenge, rpId, origin });
  return auth.passkeys.loginWithPasskey({ ...proof, browserToken, origin, visitor, ...change });
}

async function pending() {
  const { outcome } = await auth.logins.login({ email: owner.email, password, origin, visitor });
  if (outcome.case !== "secondFactor") throw new Error(`the login ended with ${outcome.case}`);
  return outcome.value;
}

describe("signing in with a passkey alone", () => {
  test("it lets its user in, who needs neither password nor code", async () => {
    const authenticator = new Authenticator();
    const { passkey } = await add(authenticator);
    expect(passkey).toMatchObject({ name: "Laptop", passwordless: true, synced: false });
    const { signedIn } = await enter(authenticator);
    expect(signedIn?.principal?.user).toMatchObject({ id: owner.userId, passkeys: 1, totpEnabled: false });
    await auth.logins.authenticateSession({ sessionToken: signedIn?.sessionToken ?? "" });
    const [listed] = (await auth.passkeys.listPasskeys({}, owner.call)).passkeys;
    expect(listed?.lastUsedAt).toBeDefined();
    const { events } = await auth.organization.listAuditEvents({ pageSize: 10 }, owner.call);
    expect(events[0]).toMatchObject({ action: "login.succeeded", details: { method: "passkey" } });
  });

  test("a challenge is accepted once, from the browser that has begun, for five minutes", async () => {
    const authenticator = new Authenticator();
    await add(authenticator);
    const { challenge, rpId, browserToken } = await begin();
    const proof = { ...authenticator.sign({ challenge, rpId, origin }), origin };
    for (const other of ["", newSecret()]) {
      const call = auth.passkeys.loginWithPasskey({ ...proof, browserToken: other });
      await expectDomainError(call, "LOGIN_EXPIRED");
    }
    const twice = [1, 2].map(() => auth.passkeys.loginWithPasskey({ ...proof, browserToken }));
    const outcomes = await Promise.allSettled(twice);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await expectDomainError(auth.passkeys.loginWithPasskey({ ...proof, browserToken }), "LOGIN_EXPIRED");
    const late = await begin();
    const signed = authenticator.sign({ challenge: late.challenge, rpId, origin });
    auth.clock.advance(5 * 60_000);
    const call = auth.passkeys.loginWithPasskey({ ...signed, origin, browserToken: late.browserToken });
    await expectDomainError(call, "LOGIN_EXPIRED");
  });

  test("a challenge of another purpose, or one that nobody made, is none", async () => {
    const authenticator = new Authenticator();
    await add(authenticator);
    const { browserToken } = await begin();
    const { sessionId, call } = owner;
    const made = await auth.passkeys.beginPasskey({ password, sessionId, origin }, call);
    for (const challenge of [made.challenge, "", "x", "AAAA", `${(await begin()).challenge}AA`]) {
      const proof = authenticator.sign({ challenge, rpId: "localhost", origin });
      await expectDomainError(auth.passkeys.loginWithPasskey({ ...proof, origin, browserToken }), "LOGIN_EXPIRED");
    }
    const unread = { clientDataJson: "bm8", authenticatorData: "", signature: "", id: "", userHandle: "" };
    await expectDomainError(auth.passkeys.loginWithPasskey({ ...unread, origin, browserToken }), "LOGIN_EXPIRED");
  });

  test("unknown passkeys, users and organizations, and wrong signatures are refused alike", async () => {
    const authenticator = new Authenticator();
    await add(authenticator);
    const stranger = new Authenticator();
    stranger.make({ challenge: "", rpId: "localhost", origin, userHandle: "" });
    const handle = Buffer.from(`${owner.organizationId}${owner.userId}`.replaceAll("-", ""), "hex");
    const nobody = Buffer.concat([handle.subarray(0, 16), Buffer.from(newId().replaceAll("-", ""), "hex")]);
    const elsewhere = Buffer.concat([Buffer.from(newId().replaceAll("-", ""), "hex"), handle.subarray(16)]);
    const userHandle = handle.toString("base64url");
    const tries: [Authenticator, Record<string, string>][] = [
      [stranger, { userHandle }],
      [stranger, { userHandle, id: authenticator.id }],
      [authenticator, { signature: "MEUCIQ" }],
      [authenticator, { userHandle: nobody.toString("base64url") }],
      [authenticator, { userHandle: elsewhere.toString("base64url") }],
      [authenticator, { userHandle: "" }],
      [authenticator, { userHandle: "A".repeat(43) }],
      [authenticator, { origin: "http://127.0.0.1" }],
      [authenticator, { origin: "https://example.com" }],
    ];
    const messages = new Set<string>();
    for (const [used, change] of tries) {
      messages.add((await expectDomainError(enter(used, change), "PASSKEY_REFUSED")).message);
    }
    expect(messages.size).toBe(1);
    await enter(authenticator);
  });

  test("it takes an authenticator that verifies its user", async () => {
    const key = new Authenticator({ verifies: false, discoverable: false });
    const { passkey } = await add(key, "Key");
    expect(passkey?.passwordless).toBe(false);
    await expectDomainError(enter(key), "PASSKEY_REFUSED");
  });

  test("a page of another address gets nothing by a passkey of this one", async () => {
    const authenticator = new Authenticator();
    await add(authenticator);
    const other = "https://login.example.com";
    const { challenge, rpId, browserToken } = await auth.passkeys.beginPasskeyLogin({ origin: other });
    expect(rpId).toBe("login.example.com");
    for (const host of [rpId, "localhost"]) {
      const proof = authenticator.sign({ challenge, rpId: host, origin: other });
      const call = auth.passkeys.loginWithPasskey({ ...proof, browserToken, origin: other });
      await expectDomainError(call, "PASSKEY_REFUSED");
    }
    for (const where of ["http://127.0.0.1:8080", "http://example.com", "https://[::1]", "", "x"]) {
      await expectDomainError(auth.passkeys.beginPasskeyLogin({ origin: where }), "PASSKEY_REFUSED");
    }
  });

  test("an authenticator that counts never repeats a number: a copy is refused and told of", async () => {
    const authenticator = new Authenticator({ counts: true });
    await add(authenticator);
    await enter(authenticator);
    await enter(authenticator);
    authenticator.count = 1;
    await expectDomainError(enter(authenticator), "PASSKEY_REFUSED");
    expect((await trailOf(auth, owner)).at(-1)).toBe("passkey.copied");
    await enter(authenticator);
  });

  test("disabled users stay outside, and a lock after wrong passwords keeps no passkey out", async () => {
    const person = await createPerson(auth, owner);
    const authenticator = new Authenticator();
    await addPasskey(auth, person, authenticator);
    for (let n = 0; n < 10; n += 1) {
      await auth.logins.login({ email: person.email, password: `wrong ${n}`, visitor }).catch(() => undefined);
    }
    await expectDomainError(auth.logins.login({ email: person.email, password, visitor }), "LOGIN_FAILED");
    await enter(authenticator);
    const { userId } = person;
    await auth.users.updateUser({ userId, status: 3, sessionId: owner.sessionId }, owner.call);
    await expectDomainError(enter(authenticator), "PASSKEY_REFUSED");
  });
});

describe("a passkey as second factor", () => {
  test("with one, a password alone signs nobody in; the passkey or a recovery code does", async () => {
    const key = new Authenticator({ verifies: false, discoverable: false });
    const { recoveryCodes } = await add(key);
    expect(recoveryCodes).toHaveLength(10);
    const { pendingToken, passkey, totp } = await pending();
    expect([totp, passkey?.known.map(({ id }) => id)]).toEqual([false, [key.id]]);
    const proof = { ...key.sign({ challenge: passkey?.challenge ?? "", rpId: passkey?.rpId ?? "", origin }), origin };
    const { signedIn } = await auth.passkeys.continueLoginWithPasskey({ ...proof, pendingToken, visitor });
    expect(signedIn?.principal?.user?.id).toBe(owner.userId);
    await expectDomainError(auth.passkeys.continueLoginWithPasskey({ ...proof, pendingToken }), "LOGIN_EXPIRED");
    const next = await pending();
    const replay = auth.passkeys.continueLoginWithPasskey({ ...proof, pendingToken: next.pendingToken });
    await expectDomainError(replay, "PASSKEY_REFUSED");
    const code = recoveryCodes[0] ?? "";
    await auth.logins.continueLogin({ pendingToken: next.pendingToken, code, visitor });
  });

  test("wrong ones count like wrong codes, until the login has ended", async () => {
    await add(new Authenticator());
    const stranger = new Authenticator();
    const { pendingToken, passkey } = await pending();
    const { challenge = "", rpId = "" } = passkey ?? {};
    for (let n = 0; n < 5; n += 1) {
      const proof = stranger.sign({ challenge, rpId, origin });
      await expectDomainError(
        auth.passkeys.continueLoginWithPasskey({ ...proof, origin, pendingToken }),
        "PASSKEY_REFUSED",
      );
    }
    const proof = stranger.sign({ challenge, rpId, origin });
    const call = auth.passkeys.continueLoginWithPasskey({ ...proof, origin, pendingToken });
    await expectDomainError(call, "LOGIN_EXPIRED");
    expect((await trailOf(auth, owner)).filter((action) => action === "login.failed")).toHaveLength(5);
  });

  test("an app and passkeys share the recovery codes, which end with the last of them", async () => {
    const { sessionId, call } = owner;
    const { passkey, recoveryCodes } = await add(new Authenticator());
    const { uri } = await auth.users.beginTotp({ password }, call);
    const secret = fromBase32(new URL(uri).searchParams.get("secret") ?? "");
    const code = totpCode(secret, Math.floor(auth.clock.now().getTime() / 30_000));
    const confirmed = await auth.users.confirmTotp({ code, sessionId }, call);
    expect(confirmed.recoveryCodes).not.toEqual(recoveryCodes);
    expect((await add(new Authenticator(), "Phone")).recoveryCodes).toEqual([]);
    await auth.users.disableTotp({ password, sessionId }, call);
    expect((await auth.users.getOwnUser({}, call)).user?.recoveryCodesLeft).toBe(10);
    await auth.users.replaceRecoveryCodes({ password, sessionId }, call);
    const waiting = await pending();
    const [, phone] = (await auth.passkeys.listPasskeys({}, call)).passkeys;
    for (const passkeyId of [passkey?.id ?? "", phone?.id ?? ""]) {
      await auth.passkeys.removePasskey({ passkeyId, password, sessionId, visitor }, call);
    }
    expect((await auth.users.getOwnUser({}, call)).user).toMatchObject({ recoveryCodesLeft: 0, passkeys: 0 });
    const typed = { pendingToken: waiting.pendingToken, code: confirmed.recoveryCodes[0] ?? "" };
    await expectDomainError(auth.logins.continueLogin(typed), "LOGIN_EXPIRED");
    const { outcome } = await auth.logins.login({ email: owner.email, password, origin });
    expect(outcome.case).toBe("signedIn");
    await expectDomainError(auth.users.replaceRecoveryCodes({ password, sessionId }, call), "TOTP_NOT_ENABLED");
  });
});

describe("adding and removing passkeys", () => {
  test("takes the password, renews the session, and is told in the trail", async () => {
    const { sessionId, call, token } = owner;
    const wrong = { password: "a wrong password", sessionId, origin };
    await expectDomainError(auth.passkeys.beginPasskey(wrong, call), "PASSWORD_WRONG");
    const { passkey, newSessionToken } = await add(new Authenticator(), "Work laptop");
    await expectDomainError(auth.logins.authenticateSession({ sessionToken: token }), "SESSION_ENDED");
    await auth.logins.authenticateSession({ sessionToken: newSessionToken });
    const passkeyId = passkey?.id ?? "";
    const renamed = await auth.passkeys.renamePasskey({ passkeyId, name: " Old laptop " }, call);
    expect(renamed.passkey?.name).toBe("Old laptop");
    for (const name of ["", " ", "a\nb", "x".repeat(101)]) {
      await expectDomainError(auth.passkeys.renamePasskey({ passkeyId, name }, call), "VALIDATION_FAILED");
    }
    const removal = { passkeyId, password: "a wrong password", sessionId };
    await expectDomainError(auth.passkeys.removePasskey(removal, call), "PASSWORD_WRONG");
    await auth.passkeys.removePasskey({ ...removal, password }, call);
    await expectDomainError(auth.passkeys.removePasskey(removal, call), "NOT_FOUND");
    for (const id of ["x", newId()]) {
      await expectDomainError(auth.passkeys.renamePasskey({ passkeyId: id, name: "Key" }, call), "NOT_FOUND");
    }
    const told = (await trailOf(auth, owner)).filter((action) => action.startsWith("passkey."));
    expect(told).toEqual(["passkey.added", "passkey.removed"]);
  });

  test("takes the challenge of this session, once, and a passkey that nobody has", async () => {
    const { sessionId, call } = owner;
    const person = await createPerson(auth, owner);
    const mine = await auth.passkeys.beginPasskey({ password, sessionId, origin }, call);
    const authenticator = new Authenticator();
    const made = { ...authenticator.make({ ...mine, origin }), name: "Laptop", origin };
    const others = { sessionId: person.sessionId };
    await expectDomainError(auth.passkeys.addPasskey({ ...made, ...others }, person.call), "PASSKEY_NOT_ADDED");
    await expectDomainError(auth.passkeys.addPasskey({ ...made, ...others }, call), "PASSKEY_NOT_ADDED");
    const login = await begin();
    const wrong = [
      authenticator.make({ ...mine, origin, challenge: login.challenge }),
      authenticator.make({ ...mine, origin: "https://example.com" }),
      authenticator.make({ ...mine, origin, rpId: "example.com" }),
      { ...made, attestationObject: "bm8" },
      { ...made, clientDataJson: "bm8" },
    ];
    for (const one of wrong) {
      const call1 = auth.passkeys.addPasskey({ ...one, name: "Laptop", origin, sessionId }, call);
      await expectDomainError(call1, "PASSKEY_NOT_ADDED");
    }
    const twice = [1, 2].map(() => auth.passkeys.addPasskey({ ...made, sessionId }, call));
    const outcomes = await Promise.allSettled(twice);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect((await auth.passkeys.listPasskeys({}, call)).passkeys).toHaveLength(1);
    await expectDomainError(addPasskey(auth, owner, authenticator), "PASSKEY_EXISTS");
  });

  test("ends at twenty", async () => {
    for (let n = 0; n < 20; n += 1) await add(new Authenticator(), `Key ${n}`);
    await expectDomainError(add(new Authenticator()), "VALIDATION_FAILED");
  });

  test("goes with the account", async () => {
    const person = await createPerson(auth, owner);
    const authenticator = new Authenticator();
    await addPasskey(auth, person, authenticator);
    await auth.users.removeUser({ userId: person.userId }, owner.call);
    await expectDomainError(enter(authenticator), "PASSKEY_REFUSED");
    const { rows } = await auth.superuser.query("select from auth.passkey where user_id = $1", [person.userId]);
    expect(rows).toEqual([]);
  });
});
