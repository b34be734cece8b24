import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SenderViewKind } from "#gen/assent/sign/v1/sign_pb.ts";
import { ViewKind } from "#gen/assent/sign/v1/signing_pb.ts";
import { dumpTables, findIn } from "#platform/testing/database-dump.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import type { Agreement } from "../../agreement/agreement.ts";
import { recipientOf } from "../../agreement/test/lifecycle-samples.ts";
import { openSample, sampleSigners } from "./signing-samples.ts";
import { pdfOf, type SigningSetup, startSigning, type TestOrganization } from "./signing-setup.ts";

let setup: SigningSetup;
let organization: TestOrganization;
beforeAll(async () => {
  setup = await startSigning();
  organization = setup.organization();
});
afterAll(() => setup.stop());

const minutes = (count: number): number => count * 60_000;
const expired = (promise: Promise<unknown>) => expectDomainError(promise, "VIEW_URL_EXPIRED");
const open = (token: string) => setup.signing.openView({ token });
const ceremony = (sessionToken: string) => setup.signing.getCeremony({ sessionToken });
const sent = (given: Partial<Agreement> = {}): Promise<Agreement> => organization.insert(openSample(given));

describe("asking for the link of a recipient", () => {
  const person = { email: "ANN@example.com", userName: "Ann", clientUserId: "1000" };
  const ask = (agreementId: string, given: object = {}, who = organization) =>
    organization.client.createRecipientView(
      { agreementId, ...person, returnUrl: "https://app.example/", ...given },
      who.headers,
    );

  test("gives a link for 5 minutes and notes that in the trail", async () => {
    const { id } = await sent();
    const observed = { ip: "192.0.2.7", userAgent: "backend" };
    const { token, expiresAt } = await ask(id, { authenticationMethod: "password", observed });
    expect(Number(expiresAt?.seconds) * 1000 - setup.deps.clock.now().getTime()).toBe(minutes(5));
    const [event] = await organization.trail(id);
    expect(event).toMatchObject({
      action: "recipient.link-made",
      actor: { source: "api", id: "client", ip: "192.0.2.7", userAgent: "backend" },
      details: { recipientId: "1", email: "ann@example.com", authenticationMethod: "password" },
    });
    expect((await open(token)).kind).toBe(ViewKind.RECIPIENT);
  });

  test("is refused with the code of the first thing that is wrong, and leaves nothing behind", async () => {
    const { id } = await sent();
    const created = await organization.insert(sampleSigners());
    await expectDomainError(ask(randomUUID(), { returnUrl: "" }), "ENVELOPE_NOT_FOUND");
    await expectDomainError(ask(id, {}, setup.organization()), "ENVELOPE_NOT_FOUND");
    await expectDomainError(ask(created.id, { returnUrl: "http://app.example" }), "INVALID_RETURN_URL");
    await expectDomainError(ask(id, { returnUrl: "http://localhost:3000/" }), "INVALID_RETURN_URL");
    await expectDomainError(ask(id, { frameAncestors: ["*"] }), "VALIDATION_FAILED");
    await expectDomainError(ask(created.id, { clientUserId: "1" }), "RECIPIENT_NOT_FOUND");
    await expectDomainError(ask(created.id, { email: "cy@example.com", userName: "Cy" }), "RECIPIENT_NOT_EMBEDDED");
    await expectDomainError(ask(created.id), "INVALID_ENVELOPE_STATUS");
    await expectDomainError(ask(id, { recipientId: "4", clientUserId: "4000" }), "RECIPIENT_NOT_IN_SEQUENCE");
    expect(await organization.trail(id)).toEqual([]);
    expect(await organization.trail(created.id)).toEqual([]);
  });

  test("may lead to the developer's own machine in a sandbox", async () => {
    const sandbox = setup.organization({ sandbox: true });
    const { id } = await sandbox.insert(openSample());
    const given = { returnUrl: "http://localhost:3000/back", frameAncestors: ["http://localhost:3000"] };
    const { token } = await ask(id, given, sandbox);
    const { sessionToken } = await open(token);
    expect(await ceremony(sessionToken)).toMatchObject(given);
  });
});

describe("a link", () => {
  test("opens exactly once, however many open it at the same time", async () => {
    const agreement = await sent();
    const token = await organization.link(agreement, "1");
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => open(token)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") await expired(Promise.reject(outcome.reason));
    }
    expect(await organization.trail(agreement.id)).toEqual([]);
    const returnUrl = "https://app.example/back?state=1&event=ttl_expired";
    expect((await expired(open(token))).metadata).toMatchObject({ returnUrl, event: "ttl_expired" });
  });

  test("says nothing of its person before a document is sent to them, and then once, however often that is", async () => {
    const file = await pdfOf(1);
    const sample = openSample({}, file);
    const recipients = sample.recipients.map((one) =>
      one.recipientId === "1" ? { ...one, role: "certified-delivery" as const, tabs: [] } : one,
    );
    const agreement = await organization.insert({ ...sample, recipients }, [file]);
    const { sessionToken } = await open(await organization.link(agreement, "1"));
    const statusNow = async () => recipientOf(await organization.load(agreement.id), "1").status;
    // What makes the page itself, which programs that follow links get too.
    await ceremony(sessionToken);
    expect([await statusNow(), await organization.trail(agreement.id)]).toEqual(["sent", []]);
    const visitor = { ip: "192.0.2.55", userAgent: "Browser/1.0", requestId: "request-9", traceparent: "" };
    expect((await ceremony(sessionToken)).canAct).toBe(false);
    const sent = await Promise.all(
      Array.from({ length: 10 }, () => setup.signing.getCeremonyDocument({ sessionToken, documentId: "1", visitor })),
    );
    expect(sent.map(({ content }) => file.length === content.length)).toEqual(Array<boolean>(10).fill(true));
    const trail = await organization.trail(agreement.id);
    expect(trail.map(({ action }) => action)).toEqual(["recipient.opened", "recipient.viewed"]);
    expect(trail[0]?.actor).toMatchObject({ source: "signer", ip: "192.0.2.55", userAgent: "Browser/1.0" });
    expect(await statusNow()).toBe("completed");
  });

  test("is over after 5 minutes", async () => {
    const agreement = await sent();
    const [inTime, late] = [await organization.link(agreement, "1"), await organization.link(agreement, "1")];
    setup.advance(minutes(5) - 1);
    await open(inTime);
    setup.advance(1);
    expect((await expired(open(late))).metadata.event).toBe("ttl_expired");
  });

  test("that nobody has made says nothing, whatever organization it names", async () => {
    const token = await organization.link(await sent(), "1");
    const bytes = Buffer.from(token, "base64url");
    const stranger = Buffer.from(setup.organization().orgId.replaceAll("-", ""), "hex");
    const forged = [
      Buffer.concat([stranger, bytes.subarray(16)]),
      Buffer.concat([bytes.subarray(0, 16), randomBytes(32)]),
      Buffer.concat([randomBytes(16), bytes.subarray(16)]),
    ].map((one) => one.toString("base64url"));
    const seen = new Set<string>();
    for (const one of [...forged, "", "x", `${token}=`]) {
      const { message, metadata } = await expired(open(one));
      seen.add(JSON.stringify({ message, metadata }));
    }
    expect([...seen]).toHaveLength(1);
    expect([...seen][0]).toContain('"metadata":{}');
    await expired(ceremony(token));
    const { sessionToken } = await open(token);
    await expired(open(sessionToken));
    await ceremony(sessionToken);
  });

  test("and its session are not kept in a form that anybody could use", async () => {
    const token = await organization.link(await sent(), "1");
    const { sessionToken } = await open(token);
    expect(findIn(await dumpTables(setup.superuser), [token, sessionToken])).toEqual([]);
  });

  test("is over when the agreement has ended, and still lets people look at what was completed", async () => {
    for (const status of ["declined", "voided", "expired"] as const) {
      const token = await organization.link(await sent({ status }), "1");
      expect((await expired(open(token))).metadata.event).toBe("ttl_expired");
    }
    const completedAt = setup.deps.clock.now();
    const done = await sent({ status: "completed", completedAt, statusChangedAt: completedAt });
    const { sessionToken } = await open(await organization.link(done, "1"));
    await ceremony(sessionToken);
    expect(await organization.trail(done.id)).toEqual([]);
    const visitor = { ip: "192.0.2.1" };
    await expectDomainError(setup.signing.declineSigning({ sessionToken, visitor }), "INVALID_ENVELOPE_STATUS");
    const { returnUrl } = await setup.signing.leaveSigning({ sessionToken });
    expect(returnUrl).toBe("https://app.example/back?state=1&event=viewing_complete");
    await expired(ceremony(sessionToken));
  });
});

describe("a session", () => {
  test("ends 60 minutes after it was used last, and that is written at most once a minute", async () => {
    const { sessionToken } = await open(await organization.link(await sent(), "1"));
    const expiry = async () => Number((await ceremony(sessionToken)).sessionExpiresAt?.seconds) * 1000;
    const first = await expiry();
    setup.advance(59_000);
    expect(await expiry()).toBe(first);
    setup.advance(minutes(58));
    expect(await expiry()).toBe(setup.deps.clock.now().getTime() + minutes(60));
    setup.advance(minutes(60) - 1);
    await ceremony(sessionToken);
    setup.advance(minutes(60));
    const { metadata } = await expired(ceremony(sessionToken));
    expect(metadata).toMatchObject({
      returnUrl: "https://app.example/back?state=1&event=session_timeout",
      event: "session_timeout",
    });
  });
});

describe("the view of a sender", () => {
  const ask = (agreementId: string, kind: SenderViewKind, returnUrl = "https://app.example/") =>
    organization.client.createSenderView({ agreementId, kind, returnUrl }, organization.headers);

  test("is for drafts, but for looking, which may be at anything or at nothing", async () => {
    const [draft, running] = [await organization.insert(sampleSigners()), await sent()];
    const { SEND, EDIT, LOOK, UNSPECIFIED } = SenderViewKind;
    for (const kind of [SEND, EDIT]) {
      await ask(draft.id, kind);
      await expectDomainError(ask(running.id, kind), "INVALID_ENVELOPE_STATUS");
      await expectDomainError(ask("", kind), "VALIDATION_FAILED");
      await expectDomainError(ask(draft.id, kind, ""), "INVALID_RETURN_URL");
    }
    await expectDomainError(ask(draft.id, UNSPECIFIED), "VALIDATION_FAILED");
    await expectDomainError(ask("no id", LOOK), "ENVELOPE_NOT_FOUND");
    await expectDomainError(ask(randomUUID(), LOOK), "ENVELOPE_NOT_FOUND");
    await expectDomainError(ask(running.id, LOOK, "ftp://x"), "INVALID_RETURN_URL");
    const { sessionToken } = await open((await ask(running.id, LOOK)).token);
    expect((await ceremony(sessionToken)).agreement?.id).toBe(running.id);
    const nothing = await open((await ask("", LOOK, "")).token);
    expect((await ceremony(nothing.sessionToken)).agreement).toBeUndefined();
    const document = setup.signing.getCeremonyDocument({ sessionToken: nothing.sessionToken, documentId: "1" });
    await expectDomainError(document, "DOCUMENT_NOT_FOUND");
  });

  test("ends when somebody else sends the draft", async () => {
    const draft = await organization.insert(sampleSigners());
    const { sessionToken } = await open((await ask(draft.id, SenderViewKind.EDIT)).token);
    const late = (await ask(draft.id, SenderViewKind.EDIT)).token;
    const update = "update sign.agreement set status = 'sent', sent_at = now() where id = $1";
    await setup.superuser.query(update, [draft.id]);
    await expired(ceremony(sessionToken));
    await expired(open(late));
  });
});
