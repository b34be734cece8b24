import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { UserRole } from "#gen/assent/auth/v1/users_pb.ts";
import { type Mail, MailRefusedError } from "#platform/mail/mail.ts";
import { Authenticator } from "#platform/testing/authenticator.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { type AuthHarness, type AuthProcess, createOrganization, startAuth } from "./harness.ts";
import {
  addPasskey,
  createOwner,
  logIn,
  type Person,
  password,
  someEmail,
  tokenOf,
  trailOf,
  visitor,
} from "./people.ts";

let auth: AuthHarness;
let owner: Person;
let sent: Mail[];
let refuse: (mail: Mail) => Error | undefined;

beforeAll(async () => {
  const send = async (mail: Mail): Promise<void> => {
    const error = refuse(mail);
    if (error !== undefined) throw error;
    sent.push(mail);
  };
  auth = await startAuth({
    mailer: { send, close: async () => undefined },
    publicUrl: () => "https://sign.example.com",
  });
});
afterAll(() => auth.stop());
beforeEach(async () => {
  sent = [];
  refuse = () => undefined;
  owner = await createOwner(auth, await createOrganization(auth));
});

const waiting = async (): Promise<number> =>
  (
    await auth.superuser.query("select count(*)::integer as n from auth.mail_job where run_at <= $1", [
      auth.clock.now(),
    ])
  ).rows[0].n;

/** Sends what is due. */
async function deliver(process: AuthProcess = auth): Promise<void> {
  const worker = process.service.workers.find(({ name }) => name === "auth-mails");
  await worker?.start();
  await until(async () => (await waiting()) === 0);
  await worker?.stop();
}

const linkIn = ({ text }: Mail): string => /https:\S+/.exec(text)?.[0] ?? "";
const invite = (email: string, locale = "") =>
  auth.users.inviteUser({ email, name: "Ivy Invited", role: UserRole.VIEWER, locale }, owner.call);
const forget = (email: string) => auth.logins.requestPasswordReset({ email, visitor });

describe("mails about accounts", () => {
  test("an invitation is mailed with its link, in the language of the person, and the answer has none", async () => {
    const email = someEmail();
    expect((await invite(email, "de-AT")).inviteUrl).toBe("");
    await deliver();
    expect(sent).toMatchObject([{ to: { address: email }, subject: "Ihre Einladung zu Acme" }]);
    const link = linkIn(sent[0] as Mail);
    expect(link).toMatch(/^https:\/\/sign\.example\.com\/dashboard\/invitation#[\w-]{43}$/);
    expect(sent[0]?.html).toContain(link);
    await auth.logins.acceptInvitation({ token: tokenOf(link), password });
    await logIn(auth, { email });
  });

  test("a reset is mailed to those who exist, and its link sets the password once", async () => {
    expect(await forget(owner.email)).toEqual(await forget("nobody@example.com"));
    await forget("no address");
    await deliver();
    expect(sent.map(({ to }) => to.address)).toEqual([owner.email]);
    const token = tokenOf(linkIn(sent[0] as Mail));
    const reset = (chosen: string) => auth.logins.resetPassword({ token, password: chosen });
    await expectDomainError(reset("short"), "VALIDATION_FAILED");
    const outcomes = await Promise.allSettled([reset("the first password"), reset("the second password")]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await expectDomainError(auth.logins.authenticateSession({ sessionToken: owner.token }), "SESSION_ENDED");
    await expectDomainError(logIn(auth, owner), "LOGIN_FAILED");
  });

  test("a passkey that was added or removed is told of, by its name", async () => {
    const { passkey } = await addPasskey(auth, owner, new Authenticator(), "Work <laptop>");
    const { sessionId, call } = owner;
    await auth.passkeys.removePasskey({ passkeyId: passkey?.id ?? "", password, sessionId, visitor }, call);
    await deliver();
    expect(sent.map(({ subject, to }) => [subject, to.address])).toEqual([
      ["A passkey was added to your account at Acme", owner.email],
      ["A passkey was removed from your account at Acme", owner.email],
    ]);
    for (const { text, html } of sent) {
      expect(text).toContain("The passkey “Work <laptop>” was");
      expect(html).toContain("Work &lt;laptop&gt;");
      expect(html).toContain('href="https://sign.example.com/dashboard/account"');
    }
  });

  test("a reset link is over after an hour, and more than three at a time are not sent", async () => {
    for (let n = 0; n < 5; n += 1) await forget(owner.email);
    await deliver();
    expect(sent).toHaveLength(3);
    auth.clock.advance(60 * 60_000);
    const token = tokenOf(linkIn(sent[0] as Mail));
    await expectDomainError(auth.logins.resetPassword({ token, password }), "LINK_INVALID");
    await forget(owner.email);
    await deliver();
    expect(sent).toHaveLength(4);
  });

  test("a reset lifts a lock, and a change of the password voids the link", async () => {
    for (let n = 0; n < 10; n += 1) {
      await expectDomainError(logIn(auth, { ...owner, password: "a wrong password" }), "LOGIN_FAILED");
    }
    await forget(owner.email);
    await deliver();
    const [lockout, reset] = sent;
    expect([lockout?.subject, reset?.subject]).toEqual([
      "Your account at Acme is locked for 15 minutes",
      "Your password for Acme",
    ]);
    const token = tokenOf(linkIn(reset as Mail));
    await auth.logins.resetPassword({ token, password: "a brand new password" });
    owner = await logIn(auth, { ...owner, password: "a brand new password" });
    await forget(owner.email);
    await deliver();
    const { sessionId } = owner;
    const change = { currentPassword: "a brand new password", newPassword: password, sessionId };
    await auth.users.changePassword(change, owner.call);
    const late = { token: tokenOf(linkIn(sent[2] as Mail)), password };
    await expectDomainError(auth.logins.resetPassword(late), "LINK_INVALID");
  });

  test("a mail that could not be sent is sent later with the same id, by whichever process", async () => {
    const ids: string[] = [];
    refuse = ({ messageId }) => {
      ids.push(messageId);
      return ids.length === 1 ? new Error("the server is away") : undefined;
    };
    await invite(someEmail());
    await deliver();
    expect(sent).toEqual([]);
    auth.clock.advance(1_000);
    await deliver(await auth.another());
    expect(sent).toHaveLength(1);
    expect(ids[1]).toBe(ids[0]);
  });

  test("one for an address that the server refuses is given up, and the trail says so", async () => {
    refuse = () => new MailRefusedError("no such mailbox");
    await invite(someEmail());
    await deliver();
    expect((await trailOf(auth, owner)).at(-1)).toBe("mail.failed");
    refuse = () => undefined;
    await deliver();
    expect(sent).toEqual([]);
  });

  test("the token of a link is stored neither as it is nor when the mail is gone", async () => {
    await invite(someEmail());
    const stored = async () => JSON.stringify((await auth.superuser.query("select * from auth.mail_job")).rows);
    const before = await stored();
    await deliver();
    const token = tokenOf(linkIn(sent[0] as Mail));
    expect(before).not.toContain(token);
    expect(before).not.toContain(Buffer.from(token).toString("hex"));
    expect(JSON.parse(await stored())).toEqual([]);
  });
});
