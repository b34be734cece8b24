import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import { until } from "#platform/testing/until.ts";
import { eventSources, eventTypes } from "../../services/webhooks/domain/event-types.ts";
import { onePage } from "../isolation/sign-resources.ts";
import type { Api } from "../support/api.ts";
import { Browser } from "../support/browser-people.ts";
import { type Hook, type HookEndpoint, registerEndpoint, type SeenEvents, watchEvents } from "../support/hooks.ts";
import { bodyOf, consentTemplate, consentText, publishText, republish } from "../support/journeys.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { visitPage } from "../support/signing-page.ts";
import { type System, scenario } from "../support/system.ts";

const sessions = "/v1/click/sessions";
const templates = "/v1/click/templates";
const agreements = "/v1/sign/agreements";
const agreementTemplates = "/v1/sign/templates";
const endpoints = "/v1/webhooks/endpoints";
const deliveries = "/v1/webhooks/deliveries";

/** These copies send no mails: the tests of sign's mail jobs tell it, those of webhooks write its body. */
const ofMails: readonly string[] = ["assent.sign.recipient.undelivered"];

const ann = {
  ...{ recipientId: "1", name: "Ann Example", email: "ann@example.com", clientUserId: "1000" },
  tabs: [{ type: "signature", documentId: "1", page: 1, x: 10, y: 10 }],
};
const nda = {
  emailSubject: "Please sign the NDA",
  documents: [{ documentId: "1", name: "NDA.pdf", documentBase64: onePage }],
  recipients: { signers: [ann] },
  customFields: [{ name: "orderId", value: "42" }],
};

export const webhookEvents = scenario("webhooks", (_mode, running) => {
  let system: System;
  let receiver: Receiver;
  let database: pg.Pool;
  let owner: Api;
  let stranger: Api;
  /** Of the owner, for everything. */
  let all: HookEndpoint;
  /** Of the owner, for one type. */
  let chosen: HookEndpoint;
  /** Of the owner, for the audit trail. */
  let watching: HookEndpoint;
  /** Of another organization, for everything. */
  let elsewhere: HookEndpoint;
  let seen: SeenEvents;
  let audited: SeenEvents;
  /** Events that somebody had sent once more. */
  const resent = new Set<string>();

  beforeAll(async () => {
    system = running();
    receiver = await startReceiver();
    database = new pg.Pool({ connectionString: system.inspectUrl, max: 1 });
    database.on("error", () => {});
    [owner, stranger] = [await system.newOrganization(), await system.newOrganization()];
    all = await registerEndpoint(owner, receiver, "all");
    seen = watchEvents(all);
    chosen = await registerEndpoint(owner, receiver, "chosen", { eventTypes: ["agreement.completed"] });
    elsewhere = await registerEndpoint(stranger, receiver, "elsewhere");
    watching = await registerEndpoint(owner, receiver, "watching", { eventTypes: ["assent.audit.*"] });
    audited = watchEvents(watching);
  });
  afterAll(async () => {
    await database?.end();
    await receiver?.close();
  });

  const read = async (path: string) => bodyOf(200, await owner.get(path));
  const createAgreement = async (changes: object = {}): Promise<string> =>
    bodyOf(201, await owner.post(agreements, { ...nda, ...changes })).id;

  test("tell of a session from its creation to its end, and of the receipt as it is read", async () => {
    const { templateId } = await owner.publishTemplate();
    const wish = { templateId, userRef: "user-1042", metadata: { orderId: "42" } };
    const session = bodyOf(201, await owner.post(sessions, wish));
    await seen.arrivedOf("assent.click.session.created", "session", session.id);
    await fetch(new URL(session.renderUrl, owner.baseUrl), { headers: { accept: "text/html" } });
    await seen.arrivedOf("assent.click.session.presented", "session", session.id);
    const { receiptId } = bodyOf(201, await owner.accept(randomUUID(), { sessionId: session.id }));
    const recorded = await seen.arrived(
      "assent.click.acceptance.recorded",
      ({ receipt }) => receipt.receiptId === receiptId,
    );
    expect(recorded.receipt).toEqual(await read(`/v1/click/receipts/${receiptId}`));
    bodyOf(200, await owner.post(`${sessions}/${session.id}/complete`, { outcome: "ACCEPTED" }));
    const completed = await seen.arrivedOf("assent.click.session.completed", "session", session.id);
    expect(completed).toMatchObject({
      ...{ templateId, userRef: "user-1042", metadata: { orderId: "42" } },
      ...{ status: "COMPLETED", outcome: "ACCEPTED", receiptIds: [receiptId] },
    });
    expect(await read(`${sessions}/${session.id}`)).toMatchObject(completed);
  });

  test("tell of sessions that are declined, cancelled or too late", async () => {
    const policyFlags = { allowDecline: true };
    const { templateId } = await publishText(owner, { name: "D", type: "STATIC", policyFlags }, "<p>Be kind.</p>");
    const open = async (): Promise<string> =>
      bodyOf(201, await owner.post(sessions, { templateId, userRef: "ben-7" })).id;
    const declined = await open();
    const { receiptId } = bodyOf(201, await owner.accept(randomUUID(), { sessionId: declined, decision: "DECLINE" }));
    expect(await seen.arrivedOf("assent.click.session.declined", "session", declined)).toMatchObject({
      outcome: "DECLINED",
    });
    const { receipt } = await seen.arrived(
      "assent.click.acceptance.recorded",
      (data) => data.receipt.receiptId === receiptId,
    );
    expect(receipt).toEqual(await read(`/v1/click/receipts/${receiptId}`));
    expect(receipt.decision).toBe("DECLINE");
    const cancelled = await open();
    bodyOf(200, await owner.call("DELETE", `${sessions}/${cancelled}`));
    expect(await seen.arrivedOf("assent.click.session.cancelled", "session", cancelled)).toMatchObject({
      status: "CANCELLED",
    });
    const late = await open();
    await database.query("update click.session set expires_at = now() - interval '1 second' where id = $1", [late]);
    await database.query("update click.session_deadline set expires_at = now() where session_id = $1", [late]);
    expect(await seen.arrivedOf("assent.click.session.expired", "session", late)).toMatchObject({ status: "EXPIRED" });
  });

  test("tell of campaigns that begin, remind, end and are cancelled, with counts and without names", async () => {
    const { templateId } = await publishText(owner, { name: "Asked for", type: "STATIC" }, "<p>Be kind.</p>");
    const campaigns = "/v1/click/campaigns";
    const reminders = { daysBefore: [30, 3], at: "09:00", timeZone: "Europe/Berlin" };
    const wish = { name: "Terms", templateId, dueAt: "2199-12-31T23:00:00Z", reminders };
    const { id } = bodyOf(201, await owner.post(campaigns, wish));
    const people = { userRefs: ["dora-1", "dora-2", "dora-3"] };
    expect(bodyOf(200, await owner.post(`${campaigns}/${id}/people`, people)).added).toBe(3);
    bodyOf(200, await owner.post(`${campaigns}/${id}/start`, {}));
    const started = await seen.arrivedOf("assent.click.campaign.started", "campaign", id);
    expect(started.counts).toMatchObject({ people: 3, unchecked: 0, asked: 3, outstanding: 3 });
    expect(bodyOf(200, await owner.get(started.outstandingUrl))).toHaveLength(3);
    bodyOf(201, await owner.accept(randomUUID(), { templateId, userRef: "dora-1" }));
    const whenAccepted = async () => (await read(`${campaigns}/${id}`)).counts.accepted === 1;
    await until(whenAccepted);
    await database.query("update click.campaign set next_at = now() where id = $1", [id]);
    const reminder = await seen.arrivedOf("assent.click.campaign.reminder", "campaign", id);
    expect(reminder).toMatchObject({ remindersSent: 1, counts: { accepted: 1, asked: 2 } });
    await database.query("update click.campaign set due_at = now(), next_at = now() where id = $1", [id]);
    await seen.arrivedOf("assent.click.campaign.ended", "campaign", id);
    const states = (await read(`${campaigns}/${id}/people`)).map(({ state }: { state: string }) => state);
    expect(states.sort()).toEqual(["ACCEPTED", "OVERDUE", "OVERDUE"]);
    bodyOf(200, await owner.post(`${campaigns}/${id}/cancel`, {}));
    const cancelled = await seen.arrivedOf("assent.click.campaign.cancelled", "campaign", id);
    expect(JSON.stringify([started, reminder, cancelled])).not.toContain("dora");
  });

  test("tell of consent that is granted, refused, withdrawn and over, and whose it is until they are erased", async () => {
    const userRef = `cleo-${randomUUID()}`;
    const [analytics, marketing] = consentTemplate.typeConfig.purposes;
    const purposes = [{ ...analytics, expiresAfterDays: 30 }, marketing];
    const fields = { ...consentTemplate, typeConfig: { ...consentTemplate.typeConfig, purposes } };
    const { templateId } = await publishText(owner, fields, consentText);
    const choices = [
      { purpose: "analytics", granted: true },
      { purpose: "marketing", granted: false },
    ];
    const body = { templateId, userRef, purposes: choices };
    const { receiptId } = bodyOf(201, await owner.accept(randomUUID(), body));
    const about = (purpose: string) => (data: Hook["data"]) =>
      data.consent?.purpose === purpose && data.consent.userRef === userRef;
    const { consent } = await seen.arrived("assent.click.consent.granted", about("analytics"));
    expect(consent).toMatchObject({ receiptId, templateId, revision: 1, renewed: false });
    await seen.arrived("assent.click.consent.denied", about("marketing"));
    await database.query(
      "update click.consent_event set expires_at = recorded_at + interval '1 second' where organization_id = $1 and expires_at is not null",
      [owner.organizationId],
    );
    await database.query("update click.consent_deadline set expires_at = now() where organization_id = $1", [
      owner.organizationId,
    ]);
    await seen.arrived("assent.click.consent.expired", about("analytics"));
    const change = (decision: string) => ({ purposes: [{ purpose: "marketing", decision }] });
    bodyOf(200, await owner.post(`/v1/click/consent/${userRef}`, change("GRANT")));
    await seen.arrived("assent.click.consent.granted", about("marketing"));
    bodyOf(200, await owner.post(`/v1/click/consent/${userRef}`, change("WITHDRAW")));
    await seen.arrived("assent.click.consent.withdrawn", about("marketing"));

    const { erasureId } = bodyOf(200, await owner.call("DELETE", `/v1/click/users/${userRef}`));
    const { receiptIds } = await seen.arrivedOf("assent.click.user.erased", "erasure", erasureId);
    expect(receiptIds).toContain(receiptId);
    const isAbout = ({ data }: Hook) => data.receipt?.receiptId === receiptId;
    const { id: eventId = "" } = all.hooks().find(isAbout) ?? {};
    resent.add(eventId);
    const [delivery] = await read(`${deliveries}?eventId=${eventId}`);
    bodyOf(202, await owner.call("POST", `${deliveries}/${delivery.id}/resend`));
    const twice = await until(() => all.hooks().filter(isAbout).length === 2 && all.hooks().filter(isAbout));
    expect(twice[0]?.data.receipt).toMatchObject({ userRef, erased: false });
    expect(twice[1]?.data.receipt).toEqual(await read(`/v1/click/receipts/${receiptId}`));
    expect(twice[1]?.data.receipt).toMatchObject({ userRef: null, erased: true });
    expect(new Set(twice.map(({ id }) => id))).toEqual(new Set([eventId]));
  });

  /** Somebody who may approve of what others have written. */
  async function newReader({ organizationId, baseUrl }: Api): Promise<Browser> {
    const [email, password] = [`reader-${randomUUID()}@example.com`, `pw ${randomUUID()}`];
    await system.admin.createOwner({ organizationId, email, name: "Rita Reader", password });
    const browser = new Browser(baseUrl);
    expect((await browser.login(email, password)).status).toBe(200);
    return browser;
  }

  test("tell of what becomes of a text, and of the log that witnesses keep", async () => {
    const fields = { name: "Terms", type: "STATIC" };
    const { templateId, versionId, path } = await publishText(owner, fields, "<p>Be kind.</p>");
    const versionIs = (revision: number) => (data: Hook["data"]) =>
      data.version?.id === versionId && data.version.revision === revision;
    await seen.arrived("assent.templates.version.published", versionIs(1));
    bodyOf(201, await owner.accept(randomUUID(), { templateId, userRef: "dora-1042" }));
    await republish(owner, path, "<p>Be kinder.</p>", true);
    await seen.arrivedOf("assent.templates.version.unpublished", "version", versionId);
    const { version } = await seen.arrived("assent.templates.version.published", versionIs(2));
    expect(version).toMatchObject({ templateId, locale: "en", label: "2.0", requiresReacceptance: true });
    expect(version.contentHash).toBe((await read(path)).contentHash);
    await seen.arrived("assent.click.reacceptance.required", versionIs(2));
    bodyOf(200, await owner.call("PUT", `${path}/draft`, { content: "<p>Be kindest.</p>" }));
    const [later, soon] = [new Date(Date.now() + 3_600_000).toISOString(), new Date(Date.now() + 2_000).toISOString()];
    for (const publishAt of [later, soon]) bodyOf(200, await owner.post(`${path}/publish`, { publishAt }));
    const isFor = (publishAt: string) => (data: Hook["data"]) =>
      data.version?.id === versionId && data.version.publishAt === publishAt;
    const moved = await seen.arrived("assent.templates.version.scheduled", isFor(soon));
    expect(moved.version).toMatchObject({ previousPublishAt: later, requiresReacceptance: true });
    await seen.arrived("assent.templates.version.published", versionIs(3));
    expect((await read(path)).publishedAt).toBe(soon);
    bodyOf(200, await owner.call("PUT", `${path}/draft`, { content: "<p>Be kind again.</p>" }));
    bodyOf(200, await owner.post(`${path}/publish`, { publishAt: later }));
    bodyOf(204, await owner.call("DELETE", `${path}/schedule`));
    await seen.arrived("assent.templates.version.unscheduled", isFor(later));
    bodyOf(200, await owner.post(`${path}/approval-requests`, { note: "Please" }));
    await seen.arrivedOf("assent.templates.approval.requested", "version", versionId);
    const reader = await newReader(owner);
    const { textHash } = await read(`${path}/approval`);
    expect((await reader.post(`${path}/approve`, { textHash })).body).toMatchObject({ status: "APPROVED" });
    await seen.arrivedOf("assent.templates.approval.granted", "version", versionId);
    expect((await reader.post(`${path}/refuse`, { textHash, reason: "No." })).status).toBe(200);
    const refused = await seen.arrived("assent.templates.approval.refused", ({ version }) => version?.id === versionId);
    expect(refused).toMatchObject({ version: { textHash }, approval: { comment: "No." } });
    bodyOf(200, await owner.call("POST", `${path}/archive`));
    await seen.arrivedOf("assent.templates.version.archived", "version", versionId);
    bodyOf(200, await owner.post(`${templates}/bulk/archive`, { templateIds: [templateId] }));
    await seen.arrivedOf("assent.templates.template.archived", "template", templateId);
    bodyOf(200, await owner.call("PATCH", `${templates}/${templateId}`, { status: "DRAFT" }));
    await seen.arrivedOf("assent.templates.template.restored", "template", templateId);
    bodyOf(204, await owner.call("DELETE", `${templates}/${templateId}`));
    await seen.arrivedOf("assent.templates.template.removed", "template", templateId);
    const { anchor } = await seen.arrived("assent.click.anchor.published", ({ anchor }) => anchor !== undefined);
    expect(anchor.checkpoint).toContain(`/log/${owner.organizationId}\n`);
  });

  test("tell of generated documents, which can be fetched by what was told", async () => {
    const text = { name: "Offer", format: "html", content: "<p>{{ customer }} pays.</p>" };
    const { id: templateId } = bodyOf(201, await owner.post("/v1/gen/templates", text));
    bodyOf(200, await owner.post(`/v1/gen/templates/${templateId}/publish`, undefined));
    const items = [
      { ref: "good", data: { customer: "Example AG" } },
      { ref: "bad", data: {} },
    ];
    const { id: batchId } = bodyOf(202, await owner.post("/batches", { templateId, items }));
    const isOfBatch = (data: Hook["data"]) => data.document?.batchId === batchId;
    const { document } = await seen.arrived("assent.docgen.document.completed", isOfBatch);
    const found = await read(`/v1/gen/documents/${document.id}`);
    expect(found).toMatchObject({ ...document, status: "completed" });
    const content = await download(document.contentUrl);
    expect([content.length, sha256(content)]).toEqual([document.bytes, document.sha256]);
    const failed = await seen.arrived(
      "assent.docgen.document.failed",
      (data) => isOfBatch(data) && data.document.error !== undefined,
    );
    const { error } = await read(`/v1/gen/documents/${failed.document.id}`);
    expect(failed.document.error.code).toBe(error.code);
    expect(await seen.arrivedOf("assent.docgen.batch.completed", "batch", batchId)).toEqual({
      ...{ id: batchId, status: "completed_with_errors" },
      counts: { total: 2, completed: 1, failed: 1, cancelled: 0 },
    });
  });

  test("tell of an agreement from the draft to the sealed document", async () => {
    const id = await createAgreement();
    await seen.arrivedOf("assent.sign.agreement.created", "agreement", id);
    bodyOf(200, await owner.call("PATCH", `${agreements}/${id}`, { emailSubject: "Please sign the NDA by Friday" }));
    await seen.arrivedOf("assent.sign.agreement.modified", "agreement", id);
    bodyOf(200, await owner.call("POST", `${agreements}/${id}/send`));
    await seen.arrivedOf("assent.sign.agreement.sent", "agreement", id);
    await seen.arrivedOf("assent.sign.recipient.sent", "agreement", id);
    bodyOf(200, await owner.call("POST", `${agreements}/${id}/remind`));
    await seen.arrivedOf("assent.sign.agreement.resent", "agreement", id);
    bodyOf(200, await owner.post(`${agreements}/${id}/corrections`, { emailSubject: "Please sign the NDA today" }));
    expect(await seen.arrivedOf("assent.sign.agreement.corrected", "agreement", id)).toMatchObject({
      emailSubject: "Please sign the NDA today",
    });
    await (await visitPage(owner, id)).leave();
    await seen.arrivedOf("assent.sign.recipient.delivered", "agreement", id);
    await seen.arrivedOf("assent.sign.agreement.delivered", "agreement", id);
    await seen.arrivedOf("assent.sign.recipient.left", "agreement", id);
    await (await visitPage(owner, id)).sign();
    const signed = await seen.arrived("assent.sign.recipient.completed", ({ agreement }) => agreement?.id === id);
    const { transactionId, ...completed } = await seen.arrivedOf("assent.sign.agreement.completed", "agreement", id);
    const { recipients, ...agreement } = await read(`${agreements}/${id}`);
    expect([agreement, recipients.signers[0]]).toMatchObject([completed, signed.recipient]);
    expect(completed).toMatchObject({ status: "completed", customFields: [{ name: "orderId", value: "42" }] });
    expect(transactionId).toBeNull();
    const { document } = await seen.arrived(
      "assent.sign.document.completed",
      (data) => data.document?.agreementId === id,
    );
    expect(document).toMatchObject({ envelopeId: id, documentId: "1", name: "NDA.pdf", pages: 1 });
    for (const path of [document.contentUrl, `${agreements}/${id}/documents/${document.id}/content`]) {
      expect([path, sha256(await download(path))]).toEqual([path, document.sha256]);
    }
    await until(() => chosen.hooks().some(({ data }) => data.agreement.id === id));
  });

  test("tell of a recipient who is locked out, and nothing of the code", async () => {
    const verification = [{ method: "access_code", accessCode: "Lighthouse 42" }];
    const id = await createAgreement({ status: "sent", recipients: { signers: [{ ...ann, verification }] } });
    const page = await visitPage(owner, id);
    for (const outcome of ["wrong", "wrong", "wrong", "wrong", "locked"])
      expect(await page.prove("guess")).toBe(outcome);
    const told = await seen.arrived("assent.sign.recipient.locked", ({ agreement }) => agreement?.id === id);
    expect(told.recipient).toMatchObject({ verification: [{ method: "access_code", state: "locked", failures: 5 }] });
    expect(JSON.stringify(told)).not.toContain("Lighthouse");
    const unlocked = await owner.post(`${agreements}/${id}/recipients/1/unlock`, {});
    expect(bodyOf(200, unlocked).verification).toMatchObject([{ state: "pending", failures: 5 }]);
    expect(await page.prove("Lighthouse 42")).toBe("passed");
    await page.sign();
  });

  test("tell of agreements that end otherwise", async () => {
    const declined = await createAgreement({ status: "sent" });
    await (await visitPage(owner, declined)).decline("The term is too long");
    const { recipient } = await seen.arrived(
      "assent.sign.recipient.declined",
      ({ agreement }) => agreement?.id === declined,
    );
    expect(recipient).toMatchObject({ recipientId: "1", status: "declined", declineReason: "The term is too long" });
    const { agreement } = await seen.arrived(
      "assent.sign.agreement.declined",
      (data) => data.agreement?.id === declined,
    );
    expect(agreement.status).toBe("declined");

    const voided = await createAgreement({ status: "sent" });
    bodyOf(200, await owner.post(`${agreements}/${voided}/void`, { voidedReason: "The order was changed" }));
    expect(await seen.arrivedOf("assent.sign.agreement.voided", "agreement", voided)).toMatchObject({
      ...{ status: "voided", voidedReason: "The order was changed" },
    });

    const envelope = `/restapi/v2.1/accounts/${owner.organizationId}/envelopes/${voided}`;
    bodyOf(200, await owner.call("PUT", envelope, { purgeState: "documents_queued" }));
    const asked = `jsonb_set(purge, '{requestedAt}', to_jsonb('2026-01-01T00:00:00.000Z'::text))`;
    await database.query(`update sign.agreement set purge = ${asked} where id = $1`, [voided]);
    await database.query("update sign.job set run_at = now() where agreement_id = $1 and kind = 'purge'", [voided]);
    await seen.arrivedOf("assent.sign.agreement.purged", "agreement", voided);

    const expired = await createAgreement({ status: "sent" });
    const past = "now() - interval '1 second'";
    await database.query(`update sign.agreement set expires_at = ${past} where id = $1`, [expired]);
    await database.query(`update sign.job set run_at = ${past} where agreement_id = $1 and kind = 'expiry'`, [expired]);
    expect(await seen.arrivedOf("assent.sign.agreement.expired", "agreement", expired)).toMatchObject({
      status: "expired",
    });

    const deleted = await createAgreement();
    await seen.arrivedOf("assent.sign.agreement.created", "agreement", deleted);
    bodyOf(204, await owner.call("DELETE", `${agreements}/${deleted}`));
    await seen.arrivedOf("assent.sign.agreement.deleted", "agreement", deleted);
  });

  test("tell of templates of agreements", async () => {
    const role = { roleName: "Buyer", tabs: ann.tabs };
    const wish = { ...nda, name: "NDA", recipients: { signers: [role] } };
    const { id } = bodyOf(201, await owner.post(agreementTemplates, wish));
    const path = `${agreementTemplates}/${id}`;
    const created = await seen.arrivedOf("assent.sign.template.created", "template", id);
    expect(await read(path)).toMatchObject(created);
    bodyOf(200, await owner.call("PATCH", path, { name: "NDA of 2027" }));
    expect(await seen.arrivedOf("assent.sign.template.modified", "template", id)).toMatchObject({
      name: "NDA of 2027",
    });
    bodyOf(204, await owner.call("DELETE", path));
    await seen.arrivedOf("assent.sign.template.deleted", "template", id);
  });

  test("tell the others of an endpoint that is gone, and are tried out when somebody asks", async () => {
    const gone = await registerEndpoint(owner, receiver, "gone", { eventTypes: ["webhook.test"] });
    receiver.answerWith("gone", 410);
    bodyOf(202, await owner.call("POST", `${endpoints}/${gone.id}/test`));
    expect(await seen.arrivedOf("assent.webhooks.endpoint.disabled", "endpoint", gone.id)).toMatchObject({
      disabledReason: "GONE",
    });
    expect(await read(`${endpoints}/${gone.id}`)).toMatchObject({ status: "DISABLED", disabledReason: "GONE" });
    expect((await owner.call("POST", `${endpoints}/${gone.id}/test`)).body.errorCode).toBe("WEBHOOK_ENDPOINT_DISABLED");
    bodyOf(202, await owner.call("POST", `${endpoints}/${all.id}/test`));
    await seen.arrived("assent.webhooks.webhook.test", ({ message }) => message !== undefined);
    expect(gone.requests()).toHaveLength(1);
  });

  test("tell that an export was made, and where it is downloaded with a credential", async () => {
    const { id } = bodyOf(202, await owner.post("/v1/privacy/exports", { acceptances: { format: "csv" } }));
    const made = await seen.arrivedOf("assent.auth.export.ended", "export", id);
    expect(made).toMatchObject({ kind: "acceptances", status: "completed", scheduleId: null, format: "csv" });
    expect(made).toMatchObject(
      await read(`/v1/privacy/exports/${id}`).then(({ bytes, contentUrl, expiresAt }) => ({
        bytes,
        contentUrl,
        expiresAt,
      })),
    );
    expect((await owner.get(made.contentUrl)).status).toBe(200);
    expect((await fetch(owner.baseUrl + made.contentUrl)).status).toBe(401);
  });

  test("tell those who ask for it what people do, once, and in the form of OCSF, without naming anybody", async () => {
    const asOcsf = { eventTypes: ["assent.audit.*"], auditFormat: "OCSF" };
    const { id: siemId } = bodyOf(201, await owner.post(endpoints, { url: receiver.urlOf("siem"), ...asOcsf }));
    const { organizationId } = owner;
    const [email, password] = ["olga.owner@example.com", `pw ${randomUUID()}`];
    const { userId } = await system.admin.createOwner({ organizationId, email, name: "Olga Owner", password });
    const is = (action: string, targetId: string) => (data: Hook["data"]) =>
      data.audit?.action === action && data.audit.target.id === targetId;
    await audited.arrived("assent.audit.account", is("user.created", userId));
    const browser = new Browser(owner.baseUrl);
    expect((await browser.login(email, "not the password")).status).toBe(401);
    expect((await browser.login(email, password)).status).toBe(200);
    const failure = await audited.arrived("assent.audit.authentication", is("login.failed", userId));
    expect(failure.audit).toMatchObject({ outcome: "FAILURE", changes: [{ field: "factor", value: "password" }] });
    const created = await browser.post("/v1/dashboard/api-keys", { name: "Key of Olga" });
    const { id: keyId } = created.body;
    const { audit } = await audited.arrived("assent.audit.credential", is("api-key.created", keyId));
    expect(audit).toMatchObject({ actor: { kind: "user", id: userId }, target: { kind: "api-key", id: keyId } });
    expect((await browser.call("PATCH", "/v1/dashboard/organization", { name: "Olga & Sons" })).status).toBe(200);
    await audited.arrived("assent.audit.organization", is("organization.renamed", organizationId));
    await audited.arrived("assent.audit.integration", is("endpoint.created", siemId));
    const { path: textPath, versionId } = await publishText(owner, { name: "N", type: "STATIC" }, "<p>Be kind.</p>");
    bodyOf(200, await owner.call("PUT", `${textPath}/draft`, { title: "Text", content: "<p>Be kinder.</p>" }));
    const written = await audited.arrived("assent.audit.template", is("draft.saved", versionId));
    expect(written.audit).toMatchObject({ changes: [{ field: "content", value: null }] });
    // Of the person that was erased above.
    await audited.arrived("assent.audit.privacy", ({ audit: told }) => told.action === "person.erased");
    const events = () => receiver.at("siem").map(({ text }) => JSON.parse(text));
    const inOcsf = await until(() => events().find(({ entity }) => entity?.uid === keyId));
    expect(inOcsf).toMatchObject({
      ...{ class_uid: 3004, activity_id: 1, type_uid: 300401, category_uid: 3, status_id: 1 },
      ...{ actor: { user: { uid: userId } }, entity: { type: "api-key" } },
      metadata: { version: "1.5.0", event_code: "api-key.created", tenant_uid: organizationId },
    });
    await until(async () => (await read(`${deliveries}?status=PENDING`)).length === 0);
    const texts = [...receiver.at("siem"), ...receiver.at("watching")].map(({ text }) => text);
    for (const personal of [email, "olga", "Olga", "127.0.0.1", "cleo-"]) {
      expect([personal, texts.filter((text) => text.includes(personal))]).toEqual([personal, []]);
    }
    const ids = watching.hooks().map(({ id }) => id);
    expect(ids.length).toBe(new Set(ids).size);
    expect(watching.hooks().filter(({ data }) => is("api-key.created", keyId)(data))).toHaveLength(1);
  });

  test("have told of everything that the catalogue names", async () => {
    const named = eventSources.map(({ subject }) => subject).filter((subject) => !ofMails.includes(subject));
    expect([...seen.subjects, ...audited.subjects].sort()).toEqual(named.sort());
    const listed: { type: string; example: object }[] = await read("/v1/webhooks/event-types");
    expect(listed.map(({ type }) => type).sort()).toEqual(eventTypes.map(({ type }) => type).sort());
  });

  test("tell an organization of its own events alone, and of each once", async () => {
    const { versionId } = await stranger.publishTemplate();
    await until(() => elsewhere.hooks().length > 0, 20_000);
    expect(elsewhere.hooks()).toMatchObject([
      {
        type: "click.version.published",
        organizationId: stranger.organizationId,
        data: { version: { id: versionId } },
      },
    ]);
    for (const { organizationId } of all.hooks()) expect(organizationId).toBe(owner.organizationId);
    const ids = all.hooks().map(({ id }) => id);
    const repeated = ids.filter((id, index) => ids.indexOf(id) !== index);
    expect(repeated).toEqual([...resent]);
    expect(new Set(chosen.hooks().map(({ type }) => type))).toEqual(new Set(["agreement.completed"]));
    await until(async () => (await read(`${deliveries}?status=PENDING`)).length === 0);
    const delivered: { endpointId: string; attemptCount: number }[] = await read(
      `${deliveries}?endpointId=${all.id}&status=DELIVERED`,
    );
    expect(delivered.reduce((sum, { attemptCount }) => sum + attemptCount, 0)).toBe(ids.length);
  });

  async function download(path: string): Promise<Buffer> {
    const response = await fetch(owner.baseUrl + path, { headers: { authorization: `Bearer ${owner.token}` } });
    expect([path, response.status]).toEqual([path, 200]);
    return Buffer.from(await response.arrayBuffer());
  }
});

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
