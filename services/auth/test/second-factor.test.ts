import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { newSecret } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { totpCode } from "../domain/second-factor.ts";
import { type AuthHarness, createOrganization, startAuth } from "./harness.ts";
import { createOwner, fromBase32, type Person, password, personOf, trailOf, visitor } from "./people.ts";

let auth: AuthHarness;
let owner: Person;
let secret: Buffer;
let recoveryCodes: readonly string[];

beforeAll(async () => {
  auth = await startAuth();
});
afterAll(() => auth.stop());
beforeEach(async () => {
  owner = await createOwner(auth, await createOrganization(auth));
  secret = await begin();
  const { sessionId } = owner;
  const confirmed = await auth.users.confirmTotp({ code: code(), sessionId, visitor }, owner.call);
  recoveryCodes = confirmed.recoveryCodes;
  owner = { ...owner, token: confirmed.newSessionToken };
  auth.clock.advance(60_000);
});

async function begin(): Promise<Buffer> {
  const { secret: shown, uri } = await auth.users.beginTotp({ password, visitor }, owner.call);
  expect(uri).toContain(`secret=${shown}&issuer=Assent%20(Acme)`);
  return fromBase32(shown);
}

const code = (steps = 0): string => totpCode(secret, Math.floor(auth.clock.now().getTime() / 30_000) + steps);
const wrongCode = (): string => String((Number(code()) + 500_000) % 1_000_000).padStart(6, "0");

async function pending(): Promise<string> {
  const { outcome } = await auth.logins.login({ email: owner.email, password, visitor });
  if (outcome.case !== "secondFactor") throw new Error(`the login ended with ${outcome.case}`);
  return outcome.value.pendingToken;
}
const proceed = (pendingToken: string, typed: string) =>
  auth.logins.continueLogin({ pendingToken, code: typed, visitor });

describe("the second factor", () => {
  test("a login needs it, and its code works once", async () => {
    const token = await pending();
    const used = code();
    const { signedIn } = await proceed(token, used);
    expect(signedIn?.principal?.user).toMatchObject({ id: owner.userId, totpEnabled: true, recoveryCodesLeft: 10 });
    await expectDomainError(proceed(token, code(1)), "LOGIN_EXPIRED");
    await expectDomainError(proceed(await pending(), used), "LOGIN_CODE_INVALID");
    await expectDomainError(proceed(await pending(), code(-1)), "LOGIN_CODE_INVALID");
    await proceed(await pending(), code(1));
  });

  test("a code that two use at the same time lets one of them in", async () => {
    const tokens = [await pending(), await pending()];
    const outcomes = await Promise.allSettled(tokens.map((token) => proceed(token, code())));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("codes of one step before and after are taken, others not", async () => {
    await expectDomainError(proceed(await pending(), code(2)), "LOGIN_CODE_INVALID");
    await expectDomainError(proceed(await pending(), code(-2)), "LOGIN_CODE_INVALID");
    await proceed(await pending(), code(-1));
    await proceed(await pending(), code());
    await proceed(await pending(), code(1));
  });

  test("a recovery code stands in for it once, however it is typed", async () => {
    const [first = "", second = ""] = recoveryCodes;
    await proceed(await pending(), first);
    await expectDomainError(proceed(await pending(), first), "LOGIN_CODE_INVALID");
    const { signedIn } = await proceed(await pending(), ` ${second.replaceAll("-", "").toUpperCase()} `);
    expect(signedIn?.principal?.user?.recoveryCodesLeft).toBe(8);
  });

  test("the pending login ends after five minutes and after five wrong codes", async () => {
    const late = await pending();
    auth.clock.advance(5 * 60_000);
    await expectDomainError(proceed(late, code()), "LOGIN_EXPIRED");
    const guessed = await pending();
    for (let n = 0; n < 5; n += 1) await expectDomainError(proceed(guessed, wrongCode()), "LOGIN_CODE_INVALID");
    await expectDomainError(proceed(guessed, code()), "LOGIN_EXPIRED");
    for (const token of ["", "x", newSecret()]) await expectDomainError(proceed(token, code()), "LOGIN_EXPIRED");
  });

  test("ten wrong codes lock the user, although each password was right", async () => {
    for (let round = 0; round < 2; round += 1) {
      const token = await pending();
      for (let n = 0; n < 5; n += 1) await expectDomainError(proceed(token, wrongCode()), "LOGIN_CODE_INVALID");
    }
    const login = auth.logins.login({ email: owner.email, password, visitor });
    await expectDomainError(login, "LOGIN_FAILED");
    expect(await trailOf(auth, owner)).toContain("login.locked");
  });

  test("guesses at the same time count one after the other", async () => {
    const tokens = [await pending(), await pending(), await pending()];
    await Promise.allSettled(tokens.flatMap((token) => Array.from({ length: 5 }, () => proceed(token, wrongCode()))));
    expect((await trailOf(auth, owner)).filter((action) => action === "login.failed")).toHaveLength(10);
  });

  test("switching it on and off and new recovery codes need the password and renew the session", async () => {
    const { sessionId, call } = owner;
    const ended = (sessionToken: string) =>
      expectDomainError(auth.logins.authenticateSession({ sessionToken }), "SESSION_ENDED");
    const typed = { password: "a wrong password", sessionId };
    await expectDomainError(auth.users.replaceRecoveryCodes(typed, call), "PASSWORD_WRONG");
    await expectDomainError(auth.users.disableTotp(typed, call), "PASSWORD_WRONG");
    await expectDomainError(auth.users.beginTotp({ password }, call), "TOTP_ALREADY_ENABLED");
    await expectDomainError(auth.users.confirmTotp({ code: code(), sessionId }, call), "TOTP_ALREADY_ENABLED");
    const fresh = await auth.users.replaceRecoveryCodes({ password, sessionId }, call);
    await ended(owner.token);
    await expectDomainError(proceed(await pending(), recoveryCodes[0] ?? ""), "LOGIN_CODE_INVALID");
    const waiting = await pending();
    const off = await auth.users.disableTotp({ password, sessionId }, call);
    await ended(fresh.newSessionToken);
    await auth.logins.authenticateSession({ sessionToken: off.newSessionToken });
    await expectDomainError(proceed(waiting, fresh.recoveryCodes[0] ?? ""), "LOGIN_EXPIRED");
    await expectDomainError(auth.users.disableTotp({ password, sessionId }, call), "TOTP_NOT_ENABLED");
    const { outcome } = await auth.logins.login({ email: owner.email, password });
    expect(personOf(outcome.case === "signedIn" ? outcome.value : undefined, owner.email).userId).toBe(owner.userId);
  });

  test("it takes effect only when a code of its secret was shown", async () => {
    const person = await createOwner(auth, await createOrganization(auth));
    const { sessionId, call } = person;
    const confirm = (typed: string) => auth.users.confirmTotp({ code: typed, sessionId }, call);
    await expectDomainError(confirm("000000"), "TOTP_NOT_BEGUN");
    owner = person;
    secret = await begin();
    await expectDomainError(confirm(wrongCode()), "TOTP_CODE_INVALID");
    const { outcome } = await auth.logins.login({ email: person.email, password });
    expect(outcome.case).toBe("signedIn");
  });

  test("neither its secret nor codes, tokens and passwords are stored as they are", async () => {
    const token = await pending();
    const { rows } = await auth.superuser.query(
      `select (select json_agg(u) from auth.user_account u)::text || (select json_agg(c) from auth.recovery_code c)::text ||
        (select json_agg(c) from auth.login_challenge c)::text || (select json_agg(s) from auth.user_session s)::text ||
        (select json_agg(a) from auth.audit_event a)::text as everything`,
    );
    const { everything } = rows[0] as { everything: string };
    const texts = [password, token, owner.token, ...recoveryCodes, ...recoveryCodes.map((c) => c.replaceAll("-", ""))];
    const secrets = [...texts.map((text) => Buffer.from(text)), secret, Buffer.from(owner.token, "base64url")];
    for (const text of texts) expect(everything).not.toContain(text);
    for (const bytes of secrets) expect(everything).not.toContain(bytes.toString("hex"));
  });
});
