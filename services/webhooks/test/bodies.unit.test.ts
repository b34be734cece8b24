import { Code, ConnectError } from "@connectrpc/connect";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { type AuditAction, auditActions, auditSubject } from "#api/audit-actions.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { type Bodies, createBodies } from "../bodies/bodies.ts";
import { eventSources } from "../domain/event-types.ts";
import { receiptExample } from "../domain/event-types-others.ts";
import { createFakeServices, type FakeServices } from "./fake-services.ts";
import { ids, occurredAt, orgId, storedEvent } from "./sample-events.ts";

let state: FakeServices;
let bodies: Bodies;

beforeEach(() => {
  const { state: created, ...clients } = createFakeServices();
  state = created;
  bodies = createBodies({ ...clients, clock: { now: () => occurredAt } });
});

const bodyOf = async (subject: string, changes?: object) =>
  JSON.parse(await bodies.standard(orgId, storedEvent(subject, changes)));

const dataOf = async (subject: string, changes?: object) => (await bodyOf(subject, changes)).data;

/** The names of everything in it; of lists and of objects with names of the customer's own nothing but that they are there. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "value";
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, name === "metadata" ? "value" : shapeOf(member)]),
  );
}

describe("a body of our own format", () => {
  test.each(eventSources.map((source) => [source.subject, source] as const))(
    "of %s has the shape of the example",
    async (subject, { type, example }) => {
      const stored = storedEvent(subject);
      const text = await bodies.standard(orgId, stored);
      const body = JSON.parse(text);
      const createdAt = occurredAt.toISOString();
      expect(body).toMatchObject({ id: stored.id, type, timestamp: createdAt, createdAt, organizationId: orgId });
      expect(shapeOf(body.data)).toEqual(shapeOf(example));
      expect(Buffer.byteLength(text)).toBeLessThan(20_000);
      expect(text).not.toContain("secret-token");
    },
  );

  test("looks things up for the organization alone, within the request that caused the event", async () => {
    for (const { subject } of eventSources) {
      const before = state.calls.length;
      await bodyOf(subject);
      expect(state.calls.length - before).toBeLessThanOrEqual(1);
    }
    expect(new Set(state.calls.map(({ method }) => method))).toEqual(
      new Set(["getReceipt", "getSession", "getAgreement"]),
    );
    for (const { caller, withoutTabs } of state.calls) {
      expect(caller).toEqual({
        orgId,
        clientId: "webhooks",
        requestId: "request-7",
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      });
      expect(withoutTabs ?? true).toBe(true);
    }
  });

  test("has the receipt as it is read", async () => {
    expect(await dataOf("assent.click.acceptance.recorded")).toEqual({ receipt: receiptExample });
    const declined = { ...receiptExample, decision: "DECLINE", erased: true, userRef: null };
    state.receipts.set(ids.receipt, declined);
    expect(await dataOf("assent.click.acceptance.recorded", { decision: "DECLINE" })).toEqual({ receipt: declined });
  });

  test("names whose consent it is until the person is erased", async () => {
    const subjects = ["granted", "denied", "withdrawn", "expired"].map((verb) => `assent.click.consent.${verb}`);
    for (const subject of subjects) {
      expect((await dataOf(subject)).consent).toMatchObject({ userRef: "user-1042", purpose: "marketing_email" });
    }
    state.receipts.set(ids.receipt, { ...receiptExample, userRef: null, erased: true });
    for (const subject of subjects) expect((await dataOf(subject)).consent).toMatchObject({ userRef: null });
    const { consent } = await dataOf("assent.click.consent.expired", { receiptId: "" });
    expect(consent).toMatchObject({ userRef: null, receiptId: null });
  });

  test("says how a session ended when it happened, whatever it is now", async () => {
    expect((await dataOf("assent.click.session.declined")).session).toMatchObject({
      outcome: "DECLINED",
      status: "COMPLETED",
      userRef: "user-1042",
    });
  });

  test("tells what the event itself says of what is gone", async () => {
    for (const things of [state.receipts, state.sessions, state.agreements]) things.clear();
    for (const { subject, example } of eventSources) {
      const data = await dataOf(subject);
      expect(Object.keys(data)).toEqual(Object.keys(example));
    }
    expect(await dataOf("assent.click.acceptance.recorded")).toEqual({
      receipt: {
        receiptId: ids.receipt,
        decision: "ACCEPT",
        sessionId: ids.session,
        templateId: ids.template,
        versionId: ids.version,
        revision: 3,
        deploymentId: null,
        acceptedAt: occurredAt.toISOString(),
      },
    });
    expect(await dataOf("assent.sign.agreement.declined")).toEqual({
      agreement: { id: ids.agreement, envelopeId: ids.agreement, transactionId: "order-42" },
      recipient: { recipientIdGuid: ids.recipient },
    });
    expect((await dataOf("assent.sign.recipient.left")).recipient).toMatchObject({ role: "inPersonSigner" });
    expect((await dataOf("assent.sign.agreement.voided")).agreement).not.toHaveProperty("voidedReason");
  });

  test("names the document by its own id", async () => {
    expect((await dataOf("assent.docgen.document.completed")).document.id).toBe(ids.generated);
    expect((await dataOf("assent.sign.document.completed")).document).toMatchObject({
      id: ids.document,
      documentId: "1",
      agreementId: ids.agreement,
      sha256: "2c",
    });
    expect((await dataOf("assent.docgen.document.failed")).document.error).toEqual({ code: "render_failed" });
  });

  test.each([
    [new ConnectError("the connection broke", Code.Unavailable)],
    [new ConnectError("too slow", Code.DeadlineExceeded)],
  ])("is not made while nobody can say what to tell: %s", async (failure) => {
    state.fail = failure;
    for (const subject of ["assent.click.acceptance.recorded", "assent.sign.agreement.completed"]) {
      await expectDomainError(bodies.standard(orgId, storedEvent(subject)), "SERVICE_UNAVAILABLE");
    }
    await expectDomainError(bodies.agreementReceivers(orgId, ids.agreement), "SERVICE_UNAVAILABLE");
    await expect(bodyOf("assent.docgen.document.completed")).resolves.toBeDefined();
  });

  test.each([
    [new ConnectError("broken", Code.Internal)],
    [new ConnectError("larger than allowed", Code.ResourceExhausted)],
  ])("is not waited for without an end when it is asked in vain: %s", async (failure) => {
    state.fail = failure;
    const asked = bodies.standard(orgId, storedEvent("assent.sign.agreement.completed"));
    await expect(asked).rejects.toMatchObject({ code: failure.code });
  });
});

describe("an event of the audit trail as OCSF", () => {
  const ocsf = async (action: AuditAction, changes: object = {}) => {
    const { target, outcome } = auditActions[action];
    const stored = storedEvent(auditSubject(action), {
      ...{ action, outcome, target: { kind: target, id: ids.target }, changes: [] },
      ...changes,
    });
    return { stored, body: JSON.parse(await bodies.standard(orgId, stored, "ocsf")) };
  };

  /** What version 1.5.0 of the schema lets each class be: its activities, and what it requires beside those of all. */
  const upTo = (last: number) => [...Array.from({ length: last + 1 }, (_, id) => id), 99];
  const classes: Readonly<Record<number, { readonly activities: readonly number[]; readonly required: string }>> = {
    3001: { activities: upTo(12), required: "user" },
    3002: { activities: upTo(6), required: "user" },
    3004: { activities: upTo(13), required: "entity" },
  };

  test.each(Object.keys(auditActions) as AuditAction[])("%s has what its class requires", async (action) => {
    const { stored, body } = await ocsf(action);
    const { activities, required } = classes[body.class_uid] ?? { activities: [], required: "" };
    expect(activities).toContain(body.activity_id);
    expect(body.type_uid).toBe(body.class_uid * 100 + body.activity_id);
    expect([body.category_uid, body.time]).toEqual([3, occurredAt.getTime()]);
    expect([1, 2, 3]).toContain(body.severity_id);
    expect([body.status_id, body.status]).toEqual(
      auditActions[action].outcome === "SUCCESS" ? [1, "Success"] : [2, "Failure"],
    );
    expect(body.metadata).toMatchObject({
      ...{ version: "1.5.0", product: { name: "Assent", vendor_name: "Assent" } },
      ...{ uid: stored.id, event_code: action, tenant_uid: orgId, correlation_uid: "request-7" },
    });
    expect(body.actor.user).toEqual({ uid: ids.user, type_id: 1, type: "User" });
    expect(body[required].uid).toEqual(expect.any(String));
    // The class of logins wants to know where to.
    if (body.class_uid === 3002) expect(body.service).toEqual({ name: "Assent" });
    expect(body.message).not.toBe("");
  });

  test("says what a change of a user's status was, and who acts that is no person", async () => {
    const status = (value: string) => ocsf("user.updated", { changes: [{ field: "status", value }] });
    expect((await status("disabled")).body).toMatchObject({ type_uid: 300105, user: { uid: ids.target } });
    expect((await status("active")).body).toMatchObject({ type_uid: 300102 });
    expect((await ocsf("user.updated")).body).toMatchObject({ type_uid: 300199 });
    const by = async (kind: string, id = "") => (await ocsf("person.erased", { actor: { kind, id } })).body.actor.user;
    expect(await by("client", "cl_7")).toEqual({ uid: "cl_7", type_id: 4, type: "Service" });
    expect(await by("operator")).toEqual({ uid: "operator", type_id: 2, type: "Admin" });
    expect(await by("system")).toEqual({ uid: "system", type_id: 3, type: "System" });
    expect(await by("anonymous")).toEqual({ uid: "anonymous", type_id: 0, type: "Unknown" });
  });

  test("is of the class of changes when a later version has done something else", async () => {
    const later = { action: "hold.placed", target: { kind: "hold", id: ids.target } };
    const { body } = await ocsf("person.erased", later);
    expect(body).toMatchObject({ type_uid: 300499, message: "hold.placed", entity: { uid: ids.target, type: "hold" } });
  });

  test("leaves other events as they are", async () => {
    const stored = storedEvent("assent.sign.template.deleted");
    expect(await bodies.standard(orgId, stored, "ocsf")).toBe(await bodies.standard(orgId, stored));
  });
});
