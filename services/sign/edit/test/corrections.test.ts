import { randomUUID } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { RecipientRole, TabType } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { CorrectAgreementRequestSchema } from "#gen/assent/sign/v1/sign_pb.ts";
import type { ErrorCode } from "#platform/errors.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import type { Agreement, Recipient } from "../../agreement/agreement.ts";
import { isChainIntact } from "../../agreement/audit-chain.ts";
import { outcomeOf } from "../../agreement/test/lifecycle-requests.ts";
import { recipientOf, sampleTime } from "../../agreement/test/lifecycle-samples.ts";
import { openSample } from "../../signing/test/signing-samples.ts";
import { pdfOf, type SigningSetup, startSigning, type TestOrganization } from "../../signing/test/signing-setup.ts";

let setup: SigningSetup;
let organization: TestOrganization;
let file: Uint8Array;
beforeAll(async () => {
  setup = await startSigning();
  organization = setup.organization();
  file = await pdfOf(1);
});
afterAll(() => setup.stop());

type Request = Omit<MessageInitShape<typeof CorrectAgreementRequestSchema>, "agreementId" | "$typeName">;
const correct = (agreementId: string, request: Request, who = organization) =>
  organization.client.correctAgreement({ agreementId, ...request }, who.headers);
const eve = { recipientId: "1", name: "Eve", email: "eve@example.com", clientUserId: "9000" };

/** As it is when Ann has opened it and consented. */
const withAnnReady = (agreement: Agreement): Agreement => ({
  ...agreement,
  recipients: agreement.recipients.map(
    (one): Recipient =>
      one.recipientId === "1" ? { ...one, status: "delivered", deliveredAt: sampleTime, consentedAt: sampleTime } : one,
  ),
});

const insert = (given: Partial<Agreement> = {}) =>
  organization.insert({ ...withAnnReady(openSample({}, file)), id: randomUUID(), ...given }, [file]);

/** Ann's open page. */
const openPage = async (agreement: Agreement): Promise<string> =>
  (await setup.signing.openView({ token: await organization.link(agreement, "1") })).sessionToken;

const finish = (agreement: Agreement, sessionToken: string) =>
  setup.signing.finishSigning({
    sessionToken,
    values: recipientOf(agreement, "1")
      .tabs.filter(({ type }) => type === "text")
      .map(({ tabId }) => ({ tabId, value: "Berlin" })),
    signature: { typed: "Ann", font: "cursive" },
  });

const ended = (promise: Promise<unknown>) => expectDomainError(promise, "VIEW_URL_EXPIRED");

describe("CorrectAgreement", () => {
  test("puts somebody else in the place of a recipient, for whom nothing of the former works", async () => {
    const agreement = await insert();
    const unopened = await organization.link(agreement, "1");
    const sessionToken = await openPage(agreement);
    const [tab] = recipientOf(agreement, "1").tabs.filter(({ type }) => type === "text");
    await setup.signing.saveSigningProgress({ sessionToken, values: [{ tabId: tab?.tabId ?? "", value: "Rome" }] });
    const { recipientIds } = await correct(agreement.id, { recipients: [eve], reason: "Ann has left." });
    expect(recipientIds).toEqual(["1"]);

    await ended(setup.signing.openView({ token: unopened }));
    await ended(setup.signing.getCeremony({ sessionToken }));
    await ended(finish(agreement, sessionToken));
    const corrected = await organization.load(agreement.id);
    const now = recipientOf(corrected, "1");
    expect(now).toMatchObject({ name: "Eve", status: "sent", consentedAt: null });
    expect(now.id).not.toBe(recipientOf(agreement, "1").id);
    expect(now.tabs.map(({ tabId, value }) => [tabId, value])).toEqual(
      recipientOf(agreement, "1").tabs.map(({ tabId }) => [tabId, ""]),
    );
    expect(recipientOf(corrected, "2").id).toBe(recipientOf(agreement, "2").id);
    const trail = await organization.trail(agreement.id);
    expect(trail.map(({ action }) => action)).toEqual(["agreement.corrected", "recipient.sent"]);
    expect(trail[0]?.details).toMatchObject({
      reason: "Ann has left.",
      recipientsReplaced: [{ former: { email: "ann@example.com" }, by: { email: "eve@example.com" } }],
    });
    // Each of the two is known by a key of their own.
    expect(new Set(trail[0]?.committed?.subjects).size).toBe(3);
    expect(isChainIntact(agreement.id, trail, corrected.audit)).toBe(true);
    expect((await openEves(corrected)).agreement?.recipients.find(({ id }) => id === now.id)?.name).toBe("Eve");
  });

  const openEves = async (agreement: Agreement) => {
    const { sessionToken } = await setup.signing.openView({ token: await organization.link(agreement, "1") });
    return setup.signing.getCeremony({ sessionToken });
  };

  test("adds, removes, reorders, changes fields, texts and times, and whoever has a page open has to open it anew", async () => {
    const agreement = await insert();
    const sessionToken = await openPage(agreement);
    const [signature] = recipientOf(agreement, "1").tabs;
    const { tabIds } = await correct(agreement.id, {
      emailSubject: "Now",
      notification: { expireEnabled: true, expireAfter: 10, reminderEnabled: true, reminderDelay: 3 },
      removeRecipientIds: ["4"],
      recipients: [
        { recipientId: "2", routingOrder: 3 },
        { role: RecipientRole.SIGNER, name: "Fay", email: "fay@example.com", routingOrder: 1 },
      ],
      tabs: [
        {
          recipientId: "1",
          add: [{ type: TabType.TEXT, documentId: "1", page: 1, x: 10, y: 10, label: "More", required: true }],
          change: [{ tabId: signature?.tabId ?? "", x: 77 }],
        },
      ],
    });
    await ended(finish(agreement, sessionToken));
    const corrected = await organization.load(agreement.id);
    expect(corrected).toMatchObject({
      emailSubject: "Now",
      expiresAt: new Date(sampleTime.getTime() + 10 * 86_400_000),
      remindAt: new Date(setup.deps.clock.now().getTime() + 3 * 86_400_000),
    });
    expect(corrected.recipients.map(({ name, status, routingOrder }) => [name, status, routingOrder])).toEqual([
      ["Ann", "delivered", 1],
      ["Bob", "created", 3],
      ["Cy", "completed", 1],
      ["Fay", "sent", 1],
    ]);
    const { tabs } = recipientOf(corrected, "1");
    expect(tabs.map(({ tabId, x }) => [tabId, x])).toContainEqual([signature?.tabId, 77]);
    expect(tabs.map(({ tabId }) => tabId)).toEqual(expect.arrayContaining(tabIds));
    // What was entered before is there, and the new field as well.
    const page = await openPage(corrected);
    await expectDomainError(finish(agreement, page), "VALIDATION_FAILED");
    expect(await outcomeOf(finish(corrected, page))).toBe("ok");
  });

  test("makes all of it or nothing, and says what is wrong first", async () => {
    const agreement = await insert();
    const { id } = agreement;
    const refusals: [Request, ErrorCode][] = [
      [{ removeRecipientIds: ["1"], recipients: [{ recipientId: "3", name: "Cyd" }] }, "RECIPIENT_ALREADY_SIGNED"],
      [{ emailSubject: "Lost", removeRecipientIds: ["9"] }, "RECIPIENT_NOT_FOUND"],
      [{ recipients: [{ recipientId: "1", email: "nowhere" }] }, "INVALID_EMAIL"],
      [{ recipients: [{ recipientId: "1", email: "BOB@example.com", clientUserId: "2000" }] }, "DUPLICATE_RECIPIENT"],
      [{ recipients: [{ recipientId: "1", role: RecipientRole.APPROVER }] }, "VALIDATION_FAILED"],
      [{ recipients: [{ recipientId: "1", tabs: [{ type: TabType.TEXT }] }] }, "VALIDATION_FAILED"],
      [{ recipients: [{ role: RecipientRole.SIGNER, email: "new@example.com" }] }, "VALIDATION_FAILED"],
      [{ removeRecipientIds: ["1", "2", "4"] }, "RECIPIENTS_REQUIRED"],
      [{ tabs: [{ recipientId: "1", removeTabIds: [randomUUID()] }] }, "TAB_NOT_FOUND"],
      [{ tabs: [{ recipientId: "3", add: [{ type: TabType.TEXT }] }] }, "RECIPIENT_ALREADY_SIGNED"],
      [{ tabs: [{ recipientId: "1", add: [{ type: TabType.TEXT, documentId: "7" }] }] }, "VALIDATION_FAILED"],
      [{ emailSubject: " " }, "VALIDATION_FAILED"],
      [{ ifModifiedAt: timestampFromDate(new Date(0)), emailSubject: "Late" }, "ENVELOPE_CONFLICT"],
    ];
    for (const [request, code] of refusals) await expectDomainError(correct(id, request), code);
    await expectDomainError(correct(id, { emailSubject: "Theirs" }, setup.organization()), "ENVELOPE_NOT_FOUND");
    const ending = await insert({ status: "voided" });
    await expectDomainError(correct(ending.id, { emailSubject: "Late" }), "INVALID_ENVELOPE_STATUS");
    await correct(id, {});
    expect(await organization.load(id)).toEqual(agreement);
    expect(await organization.trail(id)).toEqual([]);
  });

  test("answers a repeated key with what there is, and corrects once", async () => {
    const { id } = await insert();
    const added = { role: RecipientRole.CARBON_COPY, name: "Gil", email: "gil@example.com" };
    const keyed = { recipients: [added], idempotencyKey: randomUUID(), requestHash: Buffer.alloc(32, 1) };
    const answers = await Promise.all([correct(id, keyed), correct(id, keyed)]);
    expect(answers.map(({ replayed }) => replayed).sort()).toEqual([false, true]);
    expect((await organization.load(id)).recipients).toHaveLength(5);
    await expectDomainError(correct(id, { ...keyed, requestHash: Buffer.alloc(32, 2) }), "IDEMPOTENCY_KEY_REUSED");
  });

  test("is refused to the compatible interface as every change is, unless the organization has turned it on", async () => {
    const { id } = await insert();
    const asked = { removeRecipientIds: ["2"], ifTurnedOn: true };
    await expectDomainError(correct(id, asked), "ENVELOPE_CANNOT_BE_MODIFIED");
    const turnedOn = setup.organization({ corrections: true });
    const other = { ...withAnnReady(openSample({}, file)), id: randomUUID() };
    await turnedOn.insert(other, [file]);
    const added = { recipientId: "2", name: "Bob", email: "bob@example.org" };
    await expectDomainError(
      correct(other.id, { recipients: [added], addsOnly: true, ifTurnedOn: true }, turnedOn),
      "VALIDATION_FAILED",
    );
    const { agreement } = await correct(other.id, asked, turnedOn);
    expect(agreement?.recipients.map(({ recipientId }) => recipientId)).toEqual(["1", "3", "4"]);
    const ending = { ...openSample({}, file), id: randomUUID(), status: "voided" as const };
    await turnedOn.insert(ending, [file]);
    await expectDomainError(correct(ending.id, asked, turnedOn), "ENVELOPE_CANNOT_BE_MODIFIED");
  });

  test("completes an agreement when those are removed who had not signed", async () => {
    const agreement = await insert();
    await finish(agreement, await openPage(agreement));
    await correct(agreement.id, { removeRecipientIds: ["2", "4"] });
    expect((await organization.load(agreement.id)).status).toBe("completing");
    await expectDomainError(correct(agreement.id, { emailSubject: "Late" }), "INVALID_ENVELOPE_STATUS");
  });
});

describe("killed half-way", () => {
  /** Ends whatever is being written for organizations, as when the process dies or the database goes over. */
  const cutConnections = () =>
    setup.superuser.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
    );

  test("a correction is there as a whole or not at all, and once when it is asked for again", async () => {
    for (let round = 0; round < 40; round += 1) {
      const agreement = await insert();
      const unopened = await organization.link(agreement, "1");
      const keyed = { recipients: [eve], idempotencyKey: randomUUID(), requestHash: Buffer.alloc(32, 1) };
      const first = outcomeOf(correct(agreement.id, keyed));
      for (let turn = 0; turn < round % 8; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      await cutConnections();
      await first;
      const { recipients } = await organization.load(agreement.id);
      const trail = (await organization.trail(agreement.id)).map(({ action }) => action);
      const isCorrected = recipients[0]?.name === "Eve";
      expect(trail).toEqual(isCorrected ? ["agreement.corrected", "recipient.sent"] : []);
      await correct(agreement.id, keyed);
      const after = (await organization.trail(agreement.id)).map(({ action }) => action);
      expect(after).toEqual(["agreement.corrected", "recipient.sent"]);
      await ended(setup.signing.openView({ token: unopened }));
    }
  });
});

describe("a lock", () => {
  const withToken = (token: string) => ({
    headers: { ...organization.headers.headers, "x-edit-lock": token },
  });
  const lockOf = async (agreementId: string, durationSeconds = 60) => {
    const { lock } = await organization.client.lockAgreement({ agreementId, durationSeconds }, organization.headers);
    if (lock === undefined) throw new Error("a lock is answered");
    return lock;
  };

  test("keeps everybody but its holder from opening, signing and changing, and what was entered", async () => {
    const agreement = await insert();
    const { id } = agreement;
    const unopened = await organization.link(agreement, "1");
    const sessionToken = await openPage(agreement);
    const { token } = await lockOf(id);
    await expectDomainError(setup.signing.openView({ token: unopened }), "ENVELOPE_LOCKED");
    await expectDomainError(setup.signing.getCeremony({ sessionToken }), "ENVELOPE_LOCKED");
    await expectDomainError(setup.signing.getCeremonyDocument({ sessionToken, documentId: "1" }), "ENVELOPE_LOCKED");
    await expectDomainError(finish(agreement, sessionToken), "ENVELOPE_LOCKED");
    await expectDomainError(setup.signing.declineSigning({ sessionToken, reason: "No" }), "ENVELOPE_LOCKED");
    await expectDomainError(correct(id, { emailSubject: "Theirs" }), "ENVELOPE_LOCKED");
    const ending = organization.client.voidAgreement({ agreementId: id, reason: "No" }, withToken(randomUUID()));
    await expectDomainError(ending, "ENVELOPE_LOCKED");
    const [tab] = recipientOf(agreement, "1").tabs.filter(({ type }) => type === "text");
    await setup.signing.saveSigningProgress({ sessionToken, values: [{ tabId: tab?.tabId ?? "", value: "Rome" }] });
    expect(await organization.load(id)).toMatchObject({ modifiedAt: agreement.modifiedAt, status: "sent" });

    await organization.client.correctAgreement({ agreementId: id, emailSubject: "Mine" }, withToken(token));
    const { lock } = await organization.client.unlockAgreement({ agreementId: id }, withToken(token));
    expect(lock?.token).toBe(token);
    expect((await organization.trail(id)).map(({ action }) => action)).toEqual([
      ...["agreement.locked", "agreement.corrected", "agreement.unlocked"],
    ]);
    // The link was not spent.
    await setup.signing.openView({ token: unopened });
    expect(await outcomeOf(openPage(agreement).then((page) => finish(agreement, page)))).toBe("ok");
  });

  test("is one at a time, is over by itself, and belongs to whoever made it", async () => {
    const { id: agreementId } = await insert();
    const locks = await Promise.all([1, 2, 3, 4].map(() => outcomeOf(lockOf(agreementId))));
    expect(locks.sort()).toEqual(["ENVELOPE_LOCKED", "ENVELOPE_LOCKED", "ENVELOPE_LOCKED", "ok"]);
    const { lock } = await organization.client.getAgreementLock({ agreementId }, organization.headers);
    expect(lock?.token).toMatch(/^[0-9a-f-]{36}$/);
    const other = { headers: { ...organization.headers.headers, "x-client-id": "other" } };
    const asOther = { agreementId, durationSeconds: 900 };
    expect((await organization.client.getAgreementLock({ agreementId }, other)).lock?.token).toBe("");
    await expectDomainError(organization.client.extendAgreementLock(asOther, other), "ENVELOPE_LOCKED");
    await expectDomainError(organization.client.unlockAgreement({ agreementId }, other), "ENVELOPE_LOCKED");
    await expectDomainError(
      organization.client.unlockAgreement({ agreementId }, setup.organization().headers),
      "ENVELOPE_NOT_FOUND",
    );
    const extended = await organization.client.extendAgreementLock(asOther, organization.headers);
    expect(extended.lock).toMatchObject({ token: lock?.token, durationSeconds: 900 });
    setup.advance(899_000);
    await expectDomainError(correct(agreementId, { emailSubject: "Early" }), "ENVELOPE_LOCKED");
    setup.advance(2_000);
    await correct(agreementId, { emailSubject: "After" });
    await expectDomainError(
      organization.client.getAgreementLock({ agreementId }, organization.headers),
      "ENVELOPE_NOT_LOCKED",
    );
    await lockOf(agreementId);
  });

  test("is for what can be changed, and in the compatible interface where corrections are turned on", async () => {
    const ended = await insert({ status: "voided" });
    await expectDomainError(lockOf(ended.id), "INVALID_ENVELOPE_STATUS");
    const { id: agreementId } = await insert();
    const asked = { agreementId, ifTurnedOn: true };
    await expectDomainError(
      organization.client.lockAgreement(asked, organization.headers),
      "ENVELOPE_CANNOT_BE_MODIFIED",
    );
    const draft = await insert({ status: "created" });
    await organization.client.lockAgreement({ ...asked, agreementId: draft.id }, organization.headers);
  });
});

describe("at the same moment", () => {
  const rounds = 200;
  const atOnce = 4;

  /** How often each pair of outcomes came of two acts at the same moment. */
  async function race(one: (agreement: Agreement) => Promise<() => Promise<unknown>>, other: typeof one) {
    const seen = new Map<string, number>();
    const run = async (): Promise<void> => {
      const agreement = await insert();
      const acts = [await one(agreement), await other(agreement)];
      const outcomes = await Promise.all(acts.map((act) => outcomeOf(act())));
      const after = await organization.load(agreement.id);
      const trail = await organization.trail(agreement.id);
      expect(isChainIntact(agreement.id, trail, after.audit)).toBe(true);
      const told = `${outcomes.join(" + ")}: ${after.status}, ${recipientOf(after, "1").name} ${recipientOf(after, "1").status}`;
      seen.set(told, (seen.get(told) ?? 0) + 1);
    };
    for (let left = rounds; left > 0; left -= atOnce) await Promise.all(Array.from({ length: atOnce }, run));
    return seen;
  }

  const replaceAnn = async (agreement: Agreement) => () => correct(agreement.id, { recipients: [eve] });

  test("a recipient signs or is replaced, never both", async () => {
    const sign = async (agreement: Agreement) => {
      const page = await openPage(agreement);
      return () => finish(agreement, page);
    };
    const seen = await race(replaceAnn, sign);
    expect(["RECIPIENT_ALREADY_SIGNED + ok: sent, Ann completed", "ok + VIEW_URL_EXPIRED: sent, Eve sent"]).toEqual(
      expect.arrayContaining([...seen.keys()]),
    );
    expect([...seen.values()].reduce((sum, count) => sum + count, 0)).toBe(rounds);
  });

  test("nobody signs fields that were changed after the page was opened", async () => {
    const sign = async (agreement: Agreement) => {
      const page = await openPage(agreement);
      return () => finish(agreement, page);
    };
    const change = async (agreement: Agreement) => () =>
      correct(agreement.id, {
        tabs: [
          { recipientId: "1", add: [{ type: TabType.TEXT, documentId: "1", page: 1, value: "100", locked: true }] },
        ],
      });
    const seen = await race(change, sign);
    expect([
      "RECIPIENT_ALREADY_SIGNED + ok: sent, Ann completed",
      "ok + VIEW_URL_EXPIRED: sent, Ann delivered",
    ]).toEqual(expect.arrayContaining([...seen.keys()]));
  });

  test("what is being signed is locked before or after", async () => {
    const sign = async (agreement: Agreement) => {
      const page = await openPage(agreement);
      return () => finish(agreement, page);
    };
    const lock = async (agreement: Agreement) => () =>
      organization.client.lockAgreement({ agreementId: agreement.id }, organization.headers);
    const seen = await race(lock, sign);
    expect(["ok + ok: sent, Ann completed", "ok + ENVELOPE_LOCKED: sent, Ann delivered"]).toEqual(
      expect.arrayContaining([...seen.keys()]),
    );
  });

  test("what is voided is corrected before or not at all", async () => {
    const end = async (agreement: Agreement) => () =>
      organization.client.voidAgreement({ agreementId: agreement.id, reason: "A mistake" }, organization.headers);
    const seen = await race(replaceAnn, end);
    expect(["INVALID_ENVELOPE_STATUS + ok: voided, Ann delivered", "ok + ok: voided, Eve sent"]).toEqual(
      expect.arrayContaining([...seen.keys()]),
    );
  });
});
