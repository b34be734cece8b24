import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { AgreementStatus, TabType } from "#gen/assent/sign/v1/agreement_pb.ts";
import { SenderViewKind } from "#gen/assent/sign/v1/sign_pb.ts";
import { type GetCeremonyResponse, SenderDecision } from "#gen/assent/sign/v1/signing_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import type { Agreement } from "../../agreement/agreement.ts";
import { recipientOf } from "../../agreement/test/lifecycle-samples.ts";
import { consentTexts } from "../consent-text.ts";
import { newViewToken } from "../view.ts";
import { openSample, sampleSigners } from "./signing-samples.ts";
import { pdfOf, type SigningSetup, startSigning, type TestOrganization } from "./signing-setup.ts";

let setup: SigningSetup;
let organization: TestOrganization;
let file: Uint8Array;
let agreement: Agreement;
beforeAll(async () => {
  setup = await startSigning();
  organization = setup.organization();
  file = await pdfOf(1);
});
afterAll(() => setup.stop());
beforeEach(async () => {
  // So that nothing of one test happens in the same instant as something of another.
  setup.advance(1_000);
  agreement = await organization.insert(openSample({}, file), [file]);
});

const visitor = { ip: "192.0.2.55", userAgent: "Browser/1.0", requestId: "request-9", traceparent: "" };
const signature = { typed: "Ann", font: "cursive" };
const returnedWith = (event: string): string => `https://app.example/back?state=1&event=${event}`;
const expired = (promise: Promise<unknown>) => expectDomainError(promise, "VIEW_URL_EXPIRED");

async function enter(recipientId: string): Promise<string> {
  const token = await organization.link(agreement, recipientId);
  return (await setup.signing.openView({ token, visitor })).sessionToken;
}

const ceremony = (sessionToken: string): Promise<GetCeremonyResponse> => setup.signing.getCeremony({ sessionToken });
const load = (sessionToken: string) => setup.signing.getCeremonyDocument({ sessionToken, documentId: "1", visitor });
/** Of the organization of these tests, which is called Acme. */
const [text] = consentTexts("Acme");
const textSha256 = text?.sha256 ?? Buffer.alloc(0);
const consent = (sessionToken: string) =>
  setup.signing.giveConsent({ sessionToken, textSha256, locale: "en", visitor });

/** What the person of the session sees of the own text tab. */
async function textTabOf(sessionToken: string) {
  const seen = await ceremony(sessionToken);
  const own = seen.agreement?.recipients.find(({ id }) => id === seen.recipientId);
  return own?.tabs.find(({ type }) => type === TabType.TEXT);
}

async function finish(sessionToken: string) {
  const tabId = (await textTabOf(sessionToken))?.tabId ?? "";
  const values = [{ tabId, value: "Berlin" }];
  return setup.signing.finishSigning({ sessionToken, values, signature, visitor });
}

async function consentAndFinish(sessionToken: string) {
  await load(sessionToken);
  await consent(sessionToken);
  return finish(sessionToken);
}

const actions = async (): Promise<string[]> => (await organization.trail(agreement.id)).map(({ action }) => action);

describe("a signing", () => {
  test("shows the own tabs, takes the consent once, checks all values, and ends the session", async () => {
    const session = await enter("1");
    const seen = await ceremony(session);
    expect(seen).toMatchObject({ organizationName: "Acme", recipientId: recipientOf(agreement, "1").id });
    expect(seen.consentedAt).toBeUndefined();
    expect(seen.agreement?.recipients.map(({ name, email, tabs }) => [name, email, tabs.length])).toEqual([
      ["Ann", "ann@example.com", 2],
      ["Bob", "", 0],
      ["Cy", "", 0],
      ["Di", "", 0],
    ]);
    const document = await load(session);
    expect(Buffer.from(document.content).equals(file)).toBe(true);
    const unknown = setup.signing.getCeremonyDocument({ sessionToken: session, documentId: "2" });
    await expectDomainError(unknown, "DOCUMENT_NOT_FOUND");

    await expectDomainError(finish(session), "CONSENT_REQUIRED");
    for (const [bad, field] of [
      [{ textSha256: Buffer.alloc(31), locale: "en" }, "textSha256"],
      [{ textSha256: Buffer.alloc(32), locale: "en" }, "textSha256"],
      [{ textSha256: consentTexts("Another")[0]?.sha256 ?? Buffer.alloc(0), locale: "en" }, "textSha256"],
      [{ textSha256, locale: "de" }, "locale"],
    ] as const) {
      const told = setup.signing.giveConsent({ sessionToken: session, ...bad, visitor });
      expect((await expectDomainError(told, "VALIDATION_FAILED")).details[0]?.field).toBe(field);
    }
    expect((await ceremony(session)).consentedAt).toBeUndefined();
    const { consentedAt } = await consent(session);
    setup.advance(1_000);
    expect((await consent(session)).consentedAt).toEqual(consentedAt);
    expect((await ceremony(session)).consentedAt).toEqual(consentedAt);

    const empty = setup.signing.finishSigning({ sessionToken: session, signature, visitor });
    const { details } = await expectDomainError(empty, "VALIDATION_FAILED");
    expect(details.map(({ field }) => field)).toEqual([(await textTabOf(session))?.tabId]);
    const answer = await finish(session);
    expect(answer).toMatchObject({
      returnUrl: returnedWith("signing_complete"),
      agreementStatus: AgreementStatus.SENT,
    });
    expect((await expired(ceremony(session))).metadata.returnUrl).toBe(returnedWith("ttl_expired"));
    expect(await actions()).toEqual(["recipient.opened", "recipient.consented", "recipient.signed"]);
    const [opened, consented] = await organization.trail(agreement.id);
    const actor = { source: "signer", id: recipientOf(agreement, "1").id, name: "Ann", email: "ann@example.com" };
    expect(opened?.actor).toEqual({ ...actor, ip: "192.0.2.55", userAgent: "Browser/1.0" });
    expect(consented?.details).toMatchObject({ textSha256: textSha256.toString("hex"), locale: "en" });
  });

  test("is done once, also by somebody who has two sessions, and goes on to the next routing order", async () => {
    const [first, second, bob] = [await enter("1"), await enter("1"), await enter("2")];
    await load(first);
    await consent(first);
    const outcomes = await Promise.allSettled([finish(first), finish(second)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    await expectDomainError(Promise.reject(failed?.reason), "RECIPIENT_ALREADY_SIGNED");
    const { returnUrl } = await setup.signing.leaveSigning({
      sessionToken: outcomes[0]?.status === "rejected" ? first : second,
    });
    expect(returnUrl).toBe(returnedWith("viewing_complete"));
    await consentAndFinish(bob);
    const last = await consentAndFinish(await enter("4"));
    expect(last.agreementStatus).toBe(AgreementStatus.COMPLETING);
    expect((await actions()).filter((action) => action === "agreement.completing")).toHaveLength(1);
  });

  test("that is declined ends the sessions and the links of everybody", async () => {
    const [ann, bob, link] = [await enter("1"), await enter("2"), await organization.link(agreement, "2")];
    setup.advance(1);
    const { returnUrl } = await setup.signing.declineSigning({ sessionToken: ann, reason: "No.", visitor });
    expect(returnUrl).toBe(returnedWith("decline"));
    expect(recipientOf(await organization.load(agreement.id), "1").declineReason).toBe("No.");
    const open = () => setup.signing.openView({ token: link });
    for (const attempt of [() => ceremony(ann), () => ceremony(bob), () => finish(bob), open]) {
      expect((await expired(attempt())).metadata.event).toBe("ttl_expired");
    }
  });

  test("leaves whoever is led nowhere back at the page, which says what became of the agreement", async () => {
    const enterByMail = async (recipientId: string): Promise<string> => {
      const token = await organization.link(agreement, recipientId, "");
      return (await setup.signing.openView({ token, visitor })).sessionToken;
    };
    const [ann, bob, link] = [
      await enterByMail("1"),
      await enterByMail("2"),
      await organization.link(agreement, "2", ""),
    ];
    expect((await consentAndFinish(ann)).returnUrl).toBe("");
    expect(await ceremony(ann)).toMatchObject({ canAct: false });
    await expectDomainError(finish(ann), "RECIPIENT_ALREADY_SIGNED");
    await setup.signing.declineSigning({ sessionToken: bob, reason: "No.", visitor });
    const subject = agreement.emailSubject;
    expect((await expired(ceremony(bob))).metadata).toEqual({
      ...{ outcome: "declined-by-you", subject },
      ...{ organizationId: organization.orgId, agreementId: agreement.id },
    });
    expect((await expired(setup.signing.openView({ token: link }))).metadata.outcome).toBe("declined-by-you");
    expect((await expired(ceremony(ann))).metadata).toMatchObject({ outcome: "declined", subject });
    // A link that nobody has made tells nothing.
    expect((await expired(setup.signing.openView({ token: newViewToken(organization.orgId) }))).metadata).toEqual({});
  });

  test("that came by mail and was left or not used for long says that the link in the mail goes on", async () => {
    const enterByMail = async (): Promise<string> =>
      (await setup.signing.openView({ token: await organization.link(agreement, "1", ""), visitor })).sessionToken;
    const [left, idle] = [await enterByMail(), await enterByMail()];
    await setup.signing.leaveSigning({ sessionToken: left, values: [], visitor });
    const closed = { outcome: "closed", subject: agreement.emailSubject };
    expect((await expired(ceremony(left))).metadata).toMatchObject(closed);
    setup.advance(61 * 60_000);
    expect((await expired(ceremony(idle))).metadata).toMatchObject(closed);
  });

  test("can be left and gone on with by a new link, with the values so far", async () => {
    const session = await enter("1");
    await load(session);
    const tabId = (await textTabOf(session))?.tabId ?? "";
    const values = [{ tabId, value: "Par" }];
    const { returnUrl } = await setup.signing.leaveSigning({ sessionToken: session, values, visitor });
    expect(returnUrl).toBe(returnedWith("cancel"));
    await expired(ceremony(session));
    const again = await enter("1");
    await load(again);
    expect((await textTabOf(again))?.value).toBe("Par");
    expect(await actions()).toEqual(["recipient.opened", "recipient.left", "recipient.opened"]);
    const twice = { sessionToken: await enter("1"), values: [...values, ...values] };
    await expectDomainError(setup.signing.leaveSigning(twice), "VALIDATION_FAILED");
  });
});

describe("a consent", () => {
  test("is given to a text that was served, which is kept and can be read by its hash", async () => {
    const session = await enter("1");
    const served = (await ceremony(session)).consentTexts;
    expect(served.map(({ locale }) => locale)).toEqual([
      ...["en", "de", "fr", "es", "pt-BR", "ja", "it", "pt-PT", "nl", "pl", "zh-Hans", "ar", "he"],
    ]);
    for (const { introduction, points, agreement: agreed, sha256 } of served) {
      const shown = [introduction, ...points, agreed].join("\n");
      expect(shown).toContain("Acme");
      expect(createHash("sha256").update(shown).digest().equals(sha256)).toBe(true);
    }
    const german = served[1];
    await setup.signing.giveConsent({
      ...{ sessionToken: session, textSha256: german?.sha256 ?? new Uint8Array(), locale: "de", visitor },
    });
    expect((await ceremony(session)).consentTexts).toEqual([]);
    const kept = await organization.client.listConsentTexts({ agreementId: agreement.id }, organization.headers);
    expect(kept.texts.map(({ locale }) => locale)).toEqual(["de"]);
    const [{ content, sha256 } = { content: "", sha256: new Uint8Array() }] = kept.texts;
    expect(content.split("\n")).toEqual([german?.introduction, ...(german?.points ?? []), german?.agreement]);
    expect(createHash("sha256").update(content).digest().equals(sha256)).toBe(true);
    const [event] = (await organization.trail(agreement.id)).slice(-1);
    expect(event?.details).toMatchObject({ textSha256: Buffer.from(sha256).toString("hex"), locale: "de" });
  });

  test("without a document opens nothing, and nobody finishes what was never sent to them", async () => {
    const session = await enter("1");
    await ceremony(session);
    await consent(session);
    expect(await actions()).toEqual(["recipient.consented"]);
    expect(recipientOf(await organization.load(agreement.id), "1")).toMatchObject({
      status: "sent",
      deliveredAt: null,
    });
    await expectDomainError(finish(session), "DOCUMENTS_NOT_OPENED");
    await load(session);
    await load(session);
    await finish(session);
    expect(await actions()).toEqual(["recipient.consented", "recipient.opened", "recipient.signed"]);
  });

  test("keeps what a browser calls itself to 300 characters", async () => {
    const session = await enter("1");
    const boasting = { ...visitor, userAgent: "x".repeat(1_000) };
    await setup.signing.getCeremonyDocument({ sessionToken: session, documentId: "1", visitor: boasting });
    expect((await organization.trail(agreement.id)).at(-1)?.actor.userAgent).toBe("x".repeat(300));
  });
});

describe("the session of a sender", () => {
  async function enterDraft(kind: SenderViewKind) {
    const draft = await organization.insert(sampleSigners(file), [file]);
    const request = { agreementId: draft.id, kind, returnUrl: "https://app.example/" };
    const { token } = await organization.client.createSenderView(request, organization.headers);
    return { id: draft.id, sessionToken: (await setup.signing.openView({ token, visitor })).sessionToken };
  }
  const end = (sessionToken: string, decision: SenderDecision) =>
    setup.signing.endSenderView({ sessionToken, decision, visitor });

  test("sends the draft, once", async () => {
    const { id, sessionToken } = await enterDraft(SenderViewKind.SEND);
    await expired(setup.signing.leaveSigning({ sessionToken }));
    const answer = await end(sessionToken, SenderDecision.SEND);
    expect(answer).toMatchObject({
      agreementId: id,
      returnUrl: `https://app.example/?event=send&envelopeId=${id}`,
    });
    expect((await organization.load(id)).status).toBe("sent");
    const [event] = await organization.trail(id);
    expect(event?.actor).toMatchObject({ source: "sender", id: "client", name: "Acme", ip: "192.0.2.55" });
    await expired(end(sessionToken, SenderDecision.SEND));
  });

  test("sends nothing when the link was not for that, or the draft is not ready", async () => {
    const edited = await enterDraft(SenderViewKind.EDIT);
    await expectDomainError(end(edited.sessionToken, SenderDecision.SEND), "INVALID_ENVELOPE_STATUS");
    await expectDomainError(end(edited.sessionToken, SenderDecision.UNSPECIFIED), "VALIDATION_FAILED");
    const { returnUrl } = await end(edited.sessionToken, SenderDecision.SAVE);
    expect(returnUrl).toBe(`https://app.example/?event=save&envelopeId=${edited.id}`);
    expect((await organization.load(edited.id)).status).toBe("created");
    const empty = await organization.insert({ ...sampleSigners(file), id: randomUUID(), documents: [] });
    const request = { agreementId: empty.id, kind: SenderViewKind.SEND, returnUrl: "https://app.example/" };
    const { token } = await organization.client.createSenderView(request, organization.headers);
    const { sessionToken } = await setup.signing.openView({ token });
    await expectDomainError(end(sessionToken, SenderDecision.SEND), "DOCUMENTS_REQUIRED");
    await end(sessionToken, SenderDecision.CANCEL);
    await expired(end(sessionToken, SenderDecision.CANCEL));
  });

  test("is no session of a recipient, and the other way round", async () => {
    const { sessionToken } = await enterDraft(SenderViewKind.SEND);
    await expired(consent(sessionToken));
    await expired(setup.signing.finishSigning({ sessionToken }));
    await expired(end(await enter("1"), SenderDecision.CANCEL));
  });
});
