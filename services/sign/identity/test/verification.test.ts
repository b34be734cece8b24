import type { ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  AgreementStatus,
  Assurance,
  type Recipient,
  VerificationMethod,
  VerificationMoment,
  VerificationState,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import { VerificationOutcome } from "#gen/assent/sign/v1/signing_pb.ts";
import { ErrorInfoSchema } from "#gen/google/rpc/error_details_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { smallestPdf } from "../../intake/merge-pdfs.ts";
import type { Organization } from "../../test/harness.ts";
import { type MailSystem, person, startMailSystem, visitor } from "../../test/mail-system.ts";

const { ACCESS_CODE, EMAIL_CODE } = VerificationMethod;
const { PASSED, WRONG, NO_CODE, LOCKED } = VerificationOutcome;
const accessCode = "Lighthouse 42";

let system: MailSystem;
let organization: Organization;
let round = 0;
const address = (name: string): string => `${name}-${round}@example.com`;

beforeAll(async () => {
  system = await startMailSystem();
});
beforeEach(() => {
  round += 1;
  organization = system.organization();
});
afterAll(() => system.stop());

const coded = { method: ACCESS_CODE, accessCode };
const asks = (...checks: object[]) => ({ verification: { checks } });

async function invite(checks: object[], name = "ann") {
  const { id } = await system.send(organization, { recipients: [person("1", address(name), asks(...checks))] });
  const [invitation] = await system.mailsTo(address(name), 1);
  return { id, invitation, session: await system.open(invitation) };
}

const answer = (sessionToken: string, code: string, method: VerificationMethod = ACCESS_CODE) =>
  system.signing.answerVerification({ sessionToken, method, code, visitor });
const outcome = async (...given: Parameters<typeof answer>): Promise<VerificationOutcome> =>
  (await answer(...given)).outcome;
const ask = (sessionToken: string) =>
  system.signing.sendVerificationCode({ sessionToken, method: EMAIL_CODE, visitor });
const load = (sessionToken: string) => system.signing.getCeremonyDocument({ sessionToken, documentId: "1", visitor });

async function recipientOf(agreementId: string): Promise<Recipient | undefined> {
  const { agreement } = await organization.getAgreement({
    target: { id: { case: "agreementId", value: agreementId } },
  });
  return agreement?.recipients[0];
}

/** The newest code that was mailed, once there are so many. */
async function codeMailedTo(to: string, count: number): Promise<string> {
  const mails = await until(() => {
    const found = system.server.mails.filter((mail) => mail.to === to && mail.subject.includes("code from"));
    return found.length >= count && found;
  });
  return /\b\d{6}\b/.exec(mails.at(-1)?.text ?? "")?.[0] ?? "";
}

const documentOf = (documentId: string) => ({
  ...{ documentId, name: "NDA.pdf", fileExtension: "pdf" },
  source: { case: "content" as const, value: smallestPdf },
});

const wrong = (code: string): string => (code === "000000" ? "000001" : "000000");

describe("an access code", () => {
  test("shows nothing of the agreement before it is passed, in the session that passed it alone", async () => {
    const { id, invitation, session } = await invite([coded]);
    expect(invitation?.text).not.toContain("NDA.pdf");
    const hidden = await system.signing.getCeremony({ sessionToken: session });
    expect(hidden).toMatchObject({ canAct: false, recipientId: "", consentTexts: [] });
    expect(hidden.agreement).toBeUndefined();
    expect(hidden.verification).toMatchObject([{ method: ACCESS_CODE, isLocked: false, triesLeft: 5, hint: "" }]);
    const gated = [
      load(session),
      system.signing.giveConsent({ sessionToken: session, textSha256: Buffer.alloc(32), locale: "en", visitor }),
      system.signing.saveSigningProgress({ sessionToken: session, values: [] }),
      system.signing.finishSigning({ sessionToken: session, values: [], visitor }),
      system.signing.declineSigning({ sessionToken: session, reason: "no", visitor }),
      system.signing.leaveSigning({ sessionToken: session, values: [], visitor }),
    ];
    for (const refused of gated) await expectDomainError(refused, "VERIFICATION_REQUIRED");
    expect((await recipientOf(id))?.assurance).toBe(Assurance.UNSPECIFIED);

    expect(await answer(session, "lighthouse 42")).toMatchObject({ outcome: WRONG, triesLeft: 4 });
    // Spaces come from copying.
    expect(await answer(session, ` ${accessCode} `)).toMatchObject({ outcome: PASSED, triesLeft: 5 });
    const shown = await system.signing.getCeremony({ sessionToken: session });
    expect([shown.agreement?.emailSubject, shown.verification]).toEqual(["NDA", []]);
    const other = await system.open(invitation);
    await expectDomainError(load(other), "VERIFICATION_REQUIRED");

    await system.sign(session);
    await until(async () => (await system.statusOf(organization, id)) === AgreementStatus.COMPLETED, 30_000);
    expect(await recipientOf(id)).toMatchObject({
      assurance: Assurance.SHARED_SECRET,
      verification: [{ method: ACCESS_CODE, state: VerificationState.PASSED, failures: 1 }],
    });
    const { events } = await organization.listAuditEvents({ agreementId: id });
    const told = events.map(({ action, detailsJson }) => [action, JSON.parse(detailsJson || "{}")] as const);
    expect(told).toContainEqual(["recipient.verification-failed", expect.objectContaining({ method: "access_code" })]);
    expect(told).toContainEqual(["recipient.verified", expect.objectContaining({ method: "access_code" })]);
    expect(told).toContainEqual(["recipient.signed", expect.objectContaining({ verified: ["access_code"] })]);
  });

  test("is kept as a hash alone, wherever it came from", async () => {
    const { id } = await invite([coded]);
    const { rows } = await system.superuser.query<{ all: string }>(
      "select json_agg(r)::text as all from sign.recipient r where agreement_id = $1",
      [id],
    );
    expect(rows[0]?.all).toContain("argon2id");
    expect(rows[0]?.all).not.toContain("Lighthouse");
    const { rows: events } = await system.superuser.query("select * from sign.audit_event where agreement_id = $1", [
      id,
    ]);
    expect(JSON.stringify(events)).not.toContain("Lighthouse");
  });

  test("cannot be tried on what is kept of the request that set it", async () => {
    const keyed = { idempotencyKey: "once", requestHash: Buffer.alloc(32, 7) };
    const create = () => organization.createAgreement({ definition: {}, ...keyed });
    const first = await create();
    const kept = await system.superuser.query("select request_hash from sign.idempotency_key where agreement_id = $1", [
      first.agreement?.id,
    ]);
    expect(kept.rows[0].request_hash).toHaveLength(32);
    expect(kept.rows[0].request_hash.equals(keyed.requestHash)).toBe(false);
    expect((await create()).agreement?.id).toBe(first.agreement?.id);
    // As the release before has written it.
    const former = [keyed.requestHash, first.agreement?.id];
    await system.superuser.query("update sign.idempotency_key set request_hash = $1 where agreement_id = $2", former);
    expect((await create()).agreement?.id).toBe(first.agreement?.id);
    const other = organization.createAgreement({ definition: {}, ...keyed, requestHash: Buffer.alloc(32, 8) });
    await expectDomainError(other, "IDEMPOTENCY_KEY_REUSED");
  });

  test("keeps the subject of an agreement that has ended from those who have not passed it", async () => {
    const { id, invitation, session } = await invite([coded]);
    const passed = await system.open(invitation);
    expect(await outcome(passed, accessCode)).toBe(PASSED);
    await organization.voidAgreement({ agreementId: id, reason: "Enough" });
    const subjectFor = async (sessionToken: string): Promise<unknown> => {
      const error = await system.signing.getCeremony({ sessionToken }).catch((thrown: unknown) => thrown);
      const [info] = (error as ConnectError).findDetails(ErrorInfoSchema);
      return [info?.metadata.outcome, info?.metadata.subject !== undefined];
    };
    expect(await subjectFor(session)).toEqual(["voided", false]);
    expect(await subjectFor(passed)).toEqual(["voided", true]);
    // One of two checks is not all of them.
    const half = await invite([coded, { method: EMAIL_CODE }], "bob");
    expect(await outcome(half.session, accessCode)).toBe(PASSED);
    await organization.voidAgreement({ agreementId: half.id, reason: "Enough" });
    expect(await subjectFor(half.session)).toEqual(["voided", false]);
  });

  test("is locked by the fifth wrong answer, however many come at once, until the sender unlocks it", async () => {
    const { id, session } = await invite([coded]);
    const answers = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) => answer(session, `wrong ${index}`)),
    );
    const outcomes = answers.flatMap((one) => (one.status === "fulfilled" ? one.value.outcome : []));
    expect(outcomes.toSorted()).toEqual([WRONG, WRONG, WRONG, WRONG, LOCKED]);
    await expectDomainError(answer(session, accessCode), "VERIFICATION_LOCKED");
    await expectDomainError(load(session), "VERIFICATION_REQUIRED");
    expect(await recipientOf(id)).toMatchObject({ verification: [{ state: VerificationState.LOCKED, failures: 5 }] });
    const { rows } = await system.superuser.query(
      "select 1 from sign.outbox where organization_id = $1 and subject = 'assent.sign.recipient.locked'",
      [organization.orgId],
    );
    expect(rows).toHaveLength(1);
    const stranger = system.organization();
    const unlocking = { agreementId: id, recipientId: "1" };
    await expectDomainError(stranger.unlockVerification(unlocking), "ENVELOPE_NOT_FOUND");
    await expectDomainError(organization.unlockVerification({ ...unlocking, recipientId: "9" }), "RECIPIENT_NOT_FOUND");
    await organization.unlockVerification(unlocking);
    await organization.unlockVerification(unlocking);
    expect(await outcome(session, accessCode)).toBe(PASSED);
    const actions = await system.actionsOf(id);
    expect(actions.filter((action) => action === "recipient.verification-failed")).toHaveLength(5);
    expect(actions.filter((action) => action === "recipient.verification-locked")).toHaveLength(1);
    expect(actions.filter((action) => action === "recipient.verification-unlocked")).toHaveLength(1);
  });

  test("that the sender sets anew is asked for again, of those who passed the former one, too", async () => {
    const { id, session } = await invite([coded]);
    expect(await outcome(session, accessCode)).toBe(PASSED);
    await load(session);
    await expectDomainError(
      organization.unlockVerification({ agreementId: id, recipientId: "1", accessCode: "12" }),
      "VALIDATION_FAILED",
    );
    await organization.unlockVerification({ agreementId: id, recipientId: "1", accessCode: "Harbour 7" });
    await expectDomainError(load(session), "VERIFICATION_REQUIRED");
    expect(await outcome(session, accessCode)).toBe(WRONG);
    expect(await outcome(session, "Harbour 7")).toBe(PASSED);
    await load(session);
  });

  test("holds for a session for four hours", async () => {
    const { session } = await invite([coded]);
    expect(await outcome(session, accessCode)).toBe(PASSED);
    for (const _ of Array(5)) {
      await load(session);
      system.clock.advance(50 * 60_000);
    }
    await expectDomainError(load(session), "VERIFICATION_REQUIRED");
  });

  test("comes from a template, stays with a draft whose recipients are replaced, and is never part of a list", async () => {
    const { agreement: template } = await organization.createAgreement({
      isTemplate: true,
      definition: { name: "T", recipients: [{ recipientId: "1", roleName: "Buyer", ...asks(coded) }] },
    });
    const buyer = { recipientId: "1", roleName: "Buyer", name: "Ann", email: address("ann") };
    const layers = [{ source: { case: "templateId" as const, value: template?.id ?? "" } }];
    const { agreement: draft } = await organization.createAgreement({
      compositions: [{ layers }],
      definition: { emailSubject: "NDA", documents: [documentOf("1")], recipients: [buyer] },
    });
    const agreementId = draft?.id ?? "";
    const replacing = (checks: object) =>
      organization.updateAgreement({
        target: { id: { case: "agreementId", value: agreementId } },
        changes: { recipients: [{ ...buyer, ...checks }] },
        replaceRecipients: true,
      });
    await replacing(asks({ method: ACCESS_CODE }));
    await organization.sendAgreement({ agreementId });
    const [invitation] = await system.mailsTo(address("ann"), 1);
    const session = await system.open(invitation);
    await expectDomainError(load(session), "VERIFICATION_REQUIRED");
    expect(await outcome(session, accessCode)).toBe(PASSED);
    const copies = [{ recipients: [{ ...buyer, ...asks(coded) }] }];
    await expectDomainError(organization.createBulkList({ name: "L", copies }), "VALIDATION_FAILED");
  });

  test("stays with the place of a recipient who is replaced, and what the former one proved is worth nothing", async () => {
    const { id, session } = await invite([coded]);
    expect(await outcome(session, accessCode)).toBe(PASSED);
    await organization.correctAgreement({ agreementId: id, recipients: [person("1", address("eve"))] });
    await expectDomainError(load(session), "VIEW_URL_EXPIRED");
    const [invitation] = await system.mailsTo(address("eve"), 1);
    const next = await system.open(invitation);
    await expectDomainError(load(next), "VERIFICATION_REQUIRED");
    expect((await recipientOf(id))?.verification).toMatchObject([{ state: VerificationState.PENDING, failures: 0 }]);
  });

  test("is refused where it could not be asked for", async () => {
    const draft = (...checks: object[]) =>
      organization.createAgreement({ definition: { recipients: [person("1", address("ann"), asks(...checks))] } });
    for (const checks of [
      [{ method: ACCESS_CODE }],
      [{ method: ACCESS_CODE, accessCode: "12" }],
      [{ method: ACCESS_CODE, accessCode: " spaced " }],
      [{ ...coded, email: "ann@example.com" }],
      [coded, coded],
      [{ method: EMAIL_CODE, accessCode }],
      [{ method: EMAIL_CODE, email: "nobody" }],
      [{}],
    ]) {
      await expectDomainError(draft(...checks), "VALIDATION_FAILED");
    }
  });
});

describe("a code by email", () => {
  test("is the newest one only, of the session that asked for it, for ten minutes and once", async () => {
    const { id, invitation, session } = await invite([{ method: EMAIL_CODE, email: address("ann.work") }]);
    const { verification } = await system.signing.getCeremony({ sessionToken: session });
    expect(verification).toMatchObject([{ hint: "a•••@example.com", isSent: false, waitSeconds: 0 }]);
    expect(await outcome(session, "123456", EMAIL_CODE)).toBe(NO_CODE);
    expect(await ask(session)).toMatchObject({ sent: true, verification: { isSent: true, waitSeconds: 30 } });
    const first = await codeMailedTo(address("ann.work"), 1);
    expect(await ask(session)).toMatchObject({ sent: false });
    const other = await system.open(invitation);
    expect(await outcome(other, first, EMAIL_CODE)).toBe(NO_CODE);
    system.clock.advance(31_000);
    await ask(session);
    const second = await codeMailedTo(address("ann.work"), 2);
    if (first !== second) expect(await outcome(session, first, EMAIL_CODE)).toBe(WRONG);
    system.clock.advance(10 * 60_000);
    expect(await outcome(session, second, EMAIL_CODE)).toBe(NO_CODE);
    await ask(session);
    const third = await codeMailedTo(address("ann.work"), 3);
    const arabic = [...third].map((digit) => String.fromCodePoint(0x660 + Number(digit))).join(" ");
    const [one, two] = await Promise.all([answer(session, arabic, EMAIL_CODE), answer(session, third, EMAIL_CODE)]);
    expect([one.outcome, two.outcome].toSorted()).toEqual([PASSED, NO_CODE]);
    await system.sign(session);
    expect(await recipientOf(id)).toMatchObject({ assurance: Assurance.MAILBOX });
    // Nothing that was mailed or asked stands in the database as a code.
    const { rows } = await system.superuser.query("select * from sign.recipient where agreement_id = $1", [id]);
    expect(JSON.stringify(rows)).not.toContain(third);
  });

  test("is sent five times in an hour at most, and locked by five wrong answers to several of them", async () => {
    const { session } = await invite([{ method: EMAIL_CODE }]);
    for (let sent = 1; sent <= 5; sent += 1) {
      expect(await ask(session)).toMatchObject({ sent: true });
      const code = await codeMailedTo(address("ann"), sent);
      expect(await outcome(session, wrong(code), EMAIL_CODE)).toBe(sent === 5 ? LOCKED : WRONG);
      if (sent < 5) system.clock.advance(60_000);
    }
    await expectDomainError(ask(session), "VERIFICATION_LOCKED");
    const { session: another } = await invite([{ method: EMAIL_CODE }], "bob");
    for (let sent = 1; sent <= 6; sent += 1) {
      expect((await ask(another)).sent).toBe(sent <= 5);
      system.clock.advance(31_000);
    }
  });

  test("before signing lets people read, and asks before they finish", async () => {
    const { id, session } = await invite([{ method: EMAIL_CODE, before: VerificationMoment.SIGNING }, coded]);
    expect(await outcome(session, accessCode)).toBe(PASSED);
    await load(session);
    await expectDomainError(system.sign(session), "VERIFICATION_REQUIRED");
    const refused = await invite([{ ...coded, before: VerificationMoment.SIGNING }], "bob");
    await system.signing.declineSigning({ sessionToken: refused.session, reason: "no", visitor });
    const { rows: told } = await system.superuser.query(
      "select details from sign.audit_event where agreement_id = $1 and action = 'recipient.declined'",
      [refused.id],
    );
    expect(told).toEqual([{ details: expect.objectContaining({ verified: [] }) }]);
    await ask(session);
    expect(await outcome(session, await codeMailedTo(address("ann"), 1), EMAIL_CODE)).toBe(PASSED);
    await system.sign(session);
    expect(await recipientOf(id)).toMatchObject({ assurance: Assurance.COMBINED });
  });
});
