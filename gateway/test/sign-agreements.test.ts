import { createHash } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AgreementStatus, AnchorUnit, RecipientRole, TabType } from "#gen/assent/sign/v1/agreement_pb.ts";
import type {
  CreateAgreementRequest,
  ListAgreementsRequest,
  PutRecipientsRequest,
  UpdateAgreementRequest,
} from "#gen/assent/sign/v1/sign_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { orgA, orgB } from "./fake-auth.ts";
import { fakePdf } from "./fake-sign-files.ts";
import { type SignSetup, startSignSetup } from "./sign-setup.ts";

const agreements = "/v1/sign/agreements";
const templates = "/v1/sign/templates";
let setup: SignSetup;

beforeAll(async () => {
  setup = await startSignSetup();
});

afterAll(() => setup?.stop());

const send: SignSetup["send"] = (...asked) => setup.send(...asked);
const last = <Request>(method: string): Request => setup.gateway.sign.lastRequest<Request>(method);
const createBody = {
  emailSubject: "Please sign",
  documents: [{ documentId: "1", name: "NDA.pdf", documentBase64: fakePdf.toString("base64"), order: 2 }],
  recipients: {
    carbonCopies: [{ name: "Cara", email: "cara@example.com", routingOrder: 2 }],
    signers: [
      {
        recipientId: "5",
        name: "Ann",
        email: "ann@example.com",
        clientUserId: null,
        tabs: [
          { type: "dateSigned", anchor: { text: "/d/", unit: "inches", xOffset: 0.5 } },
          { type: "radioGroup", label: "color", buttons: [{ value: "red", page: 1, x: 1.5, y: 2, selected: true }] },
          { type: "text", x: 10, y: 20, page: 1, required: false, condition: { label: "color", value: "red" } },
        ],
      },
      { role: "approver", name: "Abe", email: "abe@example.com" },
    ],
  },
  customFields: [
    { name: "orderId", value: "42" },
    { name: "color", items: ["red"] },
  ],
  reminders: { enabled: true, delayDays: 2 },
  expiration: { afterDays: 30 },
  metadata: { order: { id: 1042 } },
};

describe("agreements", () => {
  test("are created with everything that a body can say", async () => {
    const answer = await send("POST", agreements, { ...createBody, status: "sent" });
    expect([answer.status, answer.headers.get("location")]).toEqual([201, `${agreements}/${answer.body.id}`]);
    const request = last<CreateAgreementRequest>("createAgreement");
    expect(request).toMatchObject({ send: true, isTemplate: false, idempotencyKey: "", observed: { ip: "127.0.0.1" } });
    expect(request.definition).toMatchObject({
      emailSubject: "Please sign",
      documents: [{ documentId: "1", name: "NDA.pdf", order: 2, source: { case: "content" } }],
      customFields: [
        { name: "orderId", value: "42", isList: false },
        { name: "color", isList: true, items: ["red"] },
      ],
      notification: { reminderEnabled: true, reminderDelay: 2, expireAfter: 30 },
      metadataJson: '{"order":{"id":1042}}',
    });
    expect(request.definition?.recipients).toMatchObject([
      {
        recipientId: "5",
        role: RecipientRole.SIGNER,
        tabs: [
          { type: TabType.DATE_SIGNED, anchor: { text: "/d/", unit: AnchorUnit.INCHES, xOffset: 0.5 } },
          { type: TabType.RADIO_GROUP, label: "color", buttons: [{ value: "red", page: 1, x: 1.5, selected: true }] },
          { type: TabType.TEXT, x: 10, required: false, conditionLabel: "color", conditionValue: "red" },
        ],
      },
      { recipientId: "", role: RecipientRole.APPROVER, name: "Abe" },
      { role: RecipientRole.CARBON_COPY, name: "Cara", routingOrder: 2 },
    ]);
    expect(request.definition?.recipients[0]?.clientUserId).toBeUndefined();
  });

  test("are shown as what they are: numbers, booleans, times, and null for what there is not", async () => {
    const { id } = setup.draft();
    const { status, body } = await send("GET", `${agreements}/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      envelopeId: id,
      organizationId: orgA,
      status: "created",
      emailSubject: "Please sign the NDA",
      documents: [{ documentId: "1", name: "NDA.pdf", order: 1, pages: 2, bytes: 1234, sha256: "ab".repeat(32) }],
      customFields: [
        { fieldId: "10728261959", name: "orderId", value: "42", items: null, show: true, required: false },
        { name: "color", items: ["red", "green"] },
      ],
      reminders: { enabled: true, delayDays: 2, frequencyDays: 3 },
      expiration: { enabled: true, afterDays: 120, warnDays: 5 },
      metadata: { order: "1042" },
      createdAt: "2026-11-20T17:00:00.123Z",
      sentAt: "2026-11-20T17:01:00.123Z",
      completedAt: null,
      voidedReason: null,
      sealLevel: null,
    });
    const [signer] = body.recipients.signers;
    expect(signer).toMatchObject({
      recipientId: "1",
      clientUserId: "1000",
      role: "signer",
      routingOrder: 1,
      status: "delivered",
      declinedAt: null,
      hostName: null,
    });
    expect(signer.tabs).toMatchObject([
      { type: "signature", x: 100.5, anchor: { text: "/sn1/", unit: "pixels", alignment: "left" }, value: null },
      {
        type: "list",
        items: [
          { value: "s", selected: false },
          { value: "m", selected: true },
        ],
      },
      {
        type: "radioGroup",
        buttons: [
          { value: "white", selected: true },
          { value: "black", selected: false },
        ],
      },
    ]);
    expect(body.recipients.carbonCopies).toMatchObject([{ recipientId: "2", clientUserId: null, tabs: [] }]);
    expect([body.recipients.certifiedDeliveries, body.recipients.inPersonSigners]).toEqual([[], []]);
  });

  test("are sent at once by whoever may create them, while sign:send alone creates nothing", async () => {
    const token = await setup.gateway.auth.token("sign:write", "cl_write");
    const body = { ...createBody, status: "sent" };
    expect((await setup.gateway.call("POST", agreements, { token, body })).status).toBe(201);
    const sender = await setup.gateway.auth.token("sign:send", "cl_send");
    const refused = await setup.gateway.call("POST", agreements, { token: sender, body });
    expect([refused.status, refused.body.errorCode]).toEqual([403, "INSUFFICIENT_SCOPE"]);
    expect(refused.body.message).toContain("sign:write");
    expect(refused.headers.get("www-authenticate")).toContain("insufficient_scope");
  });

  test("are made once for each idempotency key, whatever the order of a body's fields", async () => {
    const key = { "X-Idempotency-Key": "order-1" };
    const first = await send("POST", agreements, createBody, key);
    const { emailSubject, ...rest } = createBody;
    const again = await send("POST", agreements, { ...rest, emailSubject }, key);
    expect([again.status, again.body.id, again.headers.get("idempotent-replayed")]).toEqual([
      201,
      first.body.id,
      "true",
    ]);
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    const documents = [{ ...createBody.documents[0], documentBase64: "QUJD" }];
    const other = await send("POST", agreements, { ...createBody, documents }, key);
    expect([other.status, other.body.errorCode]).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);
  });

  test("begin with a template, or with compositions, and not with both", async () => {
    const templateId = newId();
    await send("POST", agreements, {
      templateId: templateId.toUpperCase(),
      recipients: { signers: [{ roleName: "Buyer" }] },
    });
    const request = last<CreateAgreementRequest>("createAgreement");
    expect(request.compositions).toMatchObject([{ layers: [{ source: { case: "templateId", value: templateId } }] }]);
    expect(request.definition?.recipients).toMatchObject([{ roleName: "Buyer" }]);
    const document = createBody.documents[0];
    const compositions = [{ layers: [{ templateId }, { emailSubject: "Over it" }], document }];
    await send("POST", agreements, { compositions });
    expect(last<CreateAgreementRequest>("createAgreement").compositions).toMatchObject([
      {
        layers: [
          { source: { case: "templateId" } },
          { source: { case: "definition", value: { emailSubject: "Over it" } } },
        ],
        document: { documentId: "1", source: { case: "content", value: new Uint8Array(fakePdf) } },
      },
    ]);
    const both = await send("POST", agreements, { templateId, compositions });
    expect([both.status, both.body.details]).toMatchObject([400, [{ field: "templateId" }]]);
  });

  test("are listed page by page, as they are filtered", async () => {
    const token = await setup.gateway.auth.token("sign:read", "cl_list", orgB);
    const ids = [1, 2, 3].map(() => setup.gateway.sign.add(orgB).id).reverse();
    setup.gateway.sign.addTemplate(orgB);
    const list = (query: string) => setup.gateway.call("GET", agreements, { token, query });
    const first = await list("?limit=2");
    const next = await list(`?limit=2&cursor=${first.headers.get("x-next-cursor")}`);
    expect([...first.body, ...next.body].map(({ id }) => id)).toEqual(ids);
    expect(next.headers.get("x-next-cursor")).toBeNull();
    await list("?status=declined&email=a%40b.example&text=NDA&dateField=sent&from=2026-11-01T00:00:00Z");
    expect(last<ListAgreementsRequest>("listAgreements")).toMatchObject({
      templates: false,
      statuses: [AgreementStatus.DECLINED],
      email: "a@b.example",
      text: "NDA",
      dateField: 3,
      from: { seconds: 1_793_491_200n },
      withParts: true,
    });
    for (const query of ["?status=template", "?from=yesterday", "?limit=0", "?dateField=x"]) {
      expect((await list(query)).status).toBe(400);
    }
  });

  test("are changed, sent, reminded of, voided and deleted", async () => {
    const { id } = setup.draft();
    const path = `${agreements}/${id}`;
    const ifModifiedAt = "2026-11-20T17:00:00.123Z";
    const body = { emailSubject: "Another", customFields: [], recipients: null, ifModifiedAt };
    const changed = await send("PATCH", path, body);
    expect([changed.status, changed.body.emailSubject]).toEqual([200, "Another"]);
    expect(last<UpdateAgreementRequest>("updateAgreement")).toMatchObject({
      replaceDocuments: false,
      replaceRecipients: false,
      replaceCustomFields: true,
      ifModifiedAt: timestampFromDate(new Date(ifModifiedAt)),
    });
    const key = { "X-Idempotency-Key": "send-1" };
    const sent = await send("POST", `${path}/send`, undefined, key);
    expect([sent.status, sent.body.status]).toEqual([200, "sent"]);
    const replayed = await send("POST", `${path}/send`, undefined, key);
    expect([replayed.status, replayed.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    expect((await send("POST", `${path}/send`)).body.errorCode).toBe("ENVELOPE_ALREADY_SENT");
    expect((await send("POST", `${path}/remind`)).status).toBe(200);
    expect((await send("DELETE", path)).body.errorCode).toBe("ENVELOPE_CANNOT_BE_MODIFIED");
    const nothing = await send("POST", `${path}/void`, {});
    expect([nothing.status, nothing.body.details]).toMatchObject([400, [{ field: "voidedReason" }]]);
    const voided = await send("POST", `${path}/void`, { voidedReason: "A mistake." });
    expect([voided.body.status, voided.body.voidedReason]).toEqual(["voided", "A mistake."]);
    expect((await send("POST", `${path}/void`, { voidedReason: "x" })).body.errorCode).toBe("INVALID_ENVELOPE_STATUS");
    const draft = `${agreements}/${setup.draft().id}`;
    expect((await send("DELETE", draft)).status).toBe(204);
    expect((await send("GET", draft)).body.errorCode).toBe("ENVELOPE_NOT_FOUND");
  });

  test("of others, templates, and ids that are none are not found", async () => {
    const others = [setup.gateway.sign.add(orgB).id, setup.gateway.sign.addTemplate(orgA).id, newId(), "nothing"];
    for (const id of others) {
      for (const [method, end] of [
        ["GET", ""],
        ["DELETE", ""],
        ["POST", "/send"],
        ["GET", "/combined"],
      ] as const) {
        const answer = await send(method, `${agreements}/${id}${end}`);
        expect([id, end, answer.status, answer.body.errorCode]).toEqual([id, end, 404, "ENVELOPE_NOT_FOUND"]);
      }
    }
    const { body } = await send("GET", `${templates}/${setup.draft().id}`);
    expect(body.errorCode).toBe("TEMPLATE_NOT_FOUND");
  });

  test.each([
    [{ status: "completed" }, "status"],
    [{ documents: [{}] }, "documents[0].name"],
    [{ recipients: { signers: [{ tabs: [{ type: "formula" }] }] } }, "recipients.signers[0].tabs[0].type"],
    [{ recipients: { signers: [{ routingOrder: "1" }] } }, "recipients.signers[0].routingOrder"],
    [{ expiration: { afterDays: 1_000 } }, "expiration.afterDays"],
    [{ templateId: "x" }, "templateId"],
    [{ documents: [{ name: "a", documentBase64: 1 }] }, "documents[0].documentBase64"],
  ])("%j is refused with the field %s", async (body, field) => {
    const answer = await send("POST", agreements, body);
    expect([answer.status, answer.body.errorCode]).toEqual([400, "VALIDATION_FAILED"]);
    expect(answer.body.details.map((detail: { field: string }) => detail.field)).toContain(field);
  });

  test("have errors of the service with their details", async () => {
    const details = [{ field: "documents[0]", code: "ENCRYPTED", message: "is encrypted" }];
    setup.gateway.sign.fail.with = new DomainError("CORRUPTED_DOCUMENT", { details });
    const answer = await send("POST", agreements, createBody).finally(() => {
      setup.gateway.sign.fail.with = undefined;
    });
    expect([answer.status, answer.body]).toMatchObject([422, { errorCode: "CORRUPTED_DOCUMENT", details }]);
  });
});

describe("recipients", () => {
  test("are listed, added, changed and removed", async () => {
    const { id, recipients } = setup.draft();
    const path = `${agreements}/${id}/recipients`;
    const guid = recipients[0]?.id;
    expect((await send("GET", path)).body.signers).toMatchObject([{ recipientId: "1", recipientIdGuid: guid }]);
    expect((await send("GET", `${path}/${guid?.toUpperCase()}`)).body).toMatchObject({ recipientId: "1" });
    const added = await send("POST", path, { signers: [{ recipientId: "9", name: "Bo", email: "bo@example.com" }] });
    expect([added.status, added.body.signers.length]).toEqual([201, 2]);
    expect(last<PutRecipientsRequest>("putRecipients").changeExisting).toBe(false);
    const changed = await send("PUT", `${path}/9`, { name: "Bob" });
    expect([changed.status, changed.body.name, changed.body.email]).toEqual([200, "Bob", "bo@example.com"]);
    expect(last<PutRecipientsRequest>("putRecipients").recipients).toMatchObject([{ role: 0, recipientId: "9" }]);
    const all = await send("PUT", path, { signers: [{ recipientId: "9", name: "Bert" }] });
    expect(all.body.signers).toMatchObject([{ recipientId: "1" }, { recipientId: "9", name: "Bert" }]);
    expect((await send("DELETE", `${path}/9`)).status).toBe(204);
    for (const method of ["GET", "DELETE"]) {
      expect((await send(method, `${path}/9`)).body.errorCode).toBe("RECIPIENT_NOT_FOUND");
    }
    expect((await send("PUT", `${path}/9`, { name: "Bob" })).body.errorCode).toBe("RECIPIENT_NOT_FOUND");
    expect((await send("POST", path, {})).body.errorCode).toBe("VALIDATION_FAILED");
    expect((await send("DELETE", path)).status).toBe(204);
    expect(last<UpdateAgreementRequest>("updateAgreement")).toMatchObject({ replaceRecipients: true });
    expect((await send("GET", path)).body.signers).toEqual([]);
  });

  test("get a link to sign in an application", async () => {
    const { id } = setup.draft();
    const path = `${agreements}/${id}/views/recipient`;
    const body = { recipientId: "1", returnUrl: "https://www.example.com/x" };
    const answer = await send("POST", path, body);
    expect([answer.status, answer.body]).toEqual([
      201,
      { url: `${setup.gateway.url}/signing/${"t".repeat(64)}`, expiresAt: "2026-11-20T17:05:00.123Z" },
    ]);
    expect((await send("POST", path, { ...body, recipientId: "2" })).body.errorCode).toBe("RECIPIENT_NOT_EMBEDDED");
    expect((await send("POST", path, { recipientId: "1" })).body.details).toMatchObject([{ field: "returnUrl" }]);
  });
});

describe("documents", () => {
  test("are listed, added, replaced and removed", async () => {
    const path = `${agreements}/${setup.draft().id}/documents`;
    const added = await send("POST", path, { documents: [{ documentId: "2", name: "b.pdf", documentBase64: "QUJD" }] });
    expect([added.status, added.body]).toMatchObject([201, [{ documentId: "1" }, { documentId: "2", bytes: 3 }]]);
    const replaced = await send("PUT", `${path}/2`, { name: "c.pdf", documentBase64: "QUJDQUJD" });
    expect([replaced.status, replaced.body]).toMatchObject([200, { documentId: "2", name: "c.pdf", bytes: 6 }]);
    expect((await send("GET", `${path}/2`)).body).toEqual(replaced.body);
    expect((await send("GET", path)).body).toHaveLength(2);
    const proposed = await send("GET", `${path}/2/proposals`);
    expect([proposed.status, proposed.body]).toMatchObject([
      200,
      [{ type: "signature", signer: 1, source: "tag", x: 72 }],
    ]);
    expect((await send("GET", `${path}/9/proposals`)).body.errorCode).toBe("DOCUMENT_NOT_FOUND");
    expect((await send("DELETE", `${path}/2`)).status).toBe(204);
    expect((await send("GET", `${path}/2`)).body.errorCode).toBe("DOCUMENT_NOT_FOUND");
    expect((await send("GET", `${path}/${"9".repeat(51)}`)).body.errorCode).toBe("DOCUMENT_NOT_FOUND");
    const bad = await send("PUT", `${path}/2`, { name: "c.pdf", documentBase64: "Q" });
    expect([bad.status, bad.body.errorCode]).toEqual([400, "INVALID_BASE64"]);
    expect((await send("POST", path, { documents: [] })).status).toBe(400);
  });

  test("that recipients have attached are listed and downloaded by their ids", async () => {
    const path = `${agreements}/${setup.draft().id}/attachments`;
    const { status, body } = await send("GET", path);
    expect([status, body]).toMatchObject([200, [{ recipientId: "1", fileName: "passport.pdf", bytes: 13 }]]);
    const file = await send("GET", `${path}/${body[0].id}/content`);
    expect([file.status, file.headers.get("etag")]).toEqual([200, `"${body[0].sha256}"`]);
    expect(file.headers.get("content-disposition")).toContain("passport.pdf");
    for (const unknown of ["01961234-5678-7abc-8def-000000000000", "x"]) {
      const missing = await send("GET", `${path}/${unknown}/content`);
      expect([missing.status, missing.body.errorCode]).toEqual([404, "ATTACHMENT_NOT_FOUND"]);
    }
  });

  test.each([
    ["documents/1/content", "NDA.pdf"],
    ["combined", "Combined.pdf"],
    ["certificate", "Certificate.pdf"],
  ])("%s is downloaded, as a whole or in parts", async (end, name) => {
    const path = `${agreements}/${setup.draft().id}/${end}`;
    const whole = await send("GET", path);
    const etag = `"${createHash("sha256").update(fakePdf).digest("hex")}"`;
    expect([whole.status, whole.text, whole.headers.get("content-type")]).toEqual([
      200,
      fakePdf.toString(),
      "application/pdf",
    ]);
    expect(whole.headers.get("content-disposition")).toContain(`attachment; filename="${name}"`);
    expect([whole.headers.get("etag"), whole.headers.get("content-security-policy")]).toEqual([
      etag,
      "sandbox; default-src 'none'",
    ]);
    const part = await send("GET", path, undefined, { Range: "bytes=1-3" });
    expect([part.status, part.text]).toEqual([206, "PDF"]);
    const beyond = await send("GET", path, undefined, { Range: "bytes=999-" });
    expect([beyond.status, beyond.body.errorCode]).toEqual([416, "RANGE_NOT_SATISFIABLE"]);
    expect(beyond.headers.get("content-range")).toBe(`bytes */${fakePdf.length}`);
    expect((await send("GET", path, undefined, { "If-None-Match": etag })).status).toBe(304);
  });
});

test("the texts that recipients have consented to are listed by their hashes", async () => {
  const { body } = await send("GET", `${agreements}/${setup.draft().id}/consent-texts`);
  const textSha256 = createHash("sha256").update(body[0].text).digest("hex");
  expect(body).toEqual([{ textSha256, locale: "en", text: "I agree." }]);
});

test("audit events are listed page by page, each with what in it is only said", async () => {
  const path = `${agreements}/${setup.draft().id}/audit-events`;
  const first = await send("GET", `${path}?limit=2`);
  expect(first.body).toMatchObject([
    {
      sequence: 1,
      action: "agreement.created",
      actor: { id: "cl_1", email: null },
      claimed: ["userAgent"],
      details: {},
      agreementStatus: "created",
    },
    { sequence: 2, details: { recipientIds: ["1"] }, previousHash: "01".repeat(32), hash: "02".repeat(32) },
  ]);
  const cursor = first.headers.get("x-next-cursor");
  const next = await send("GET", `${path}?cursor=${cursor}`);
  expect(next.body.map(({ sequence }: { sequence: number }) => sequence)).toEqual([3]);
  expect((await send("GET", `${path}?cursor=x`)).status).toBe(400);
});

test("templates are created, listed, changed and deleted", async () => {
  const body = { name: "NDA", description: "For all", documents: createBody.documents };
  const created = await send("POST", templates, body, { "X-Idempotency-Key": "template-1" });
  expect([created.status, created.body]).toMatchObject([201, { name: "NDA", description: "For all", shared: true }]);
  expect(last<CreateAgreementRequest>("createAgreement")).toMatchObject({ isTemplate: true, send: false });
  const path = `${templates}/${created.body.id}`;
  expect(created.headers.get("location")).toBe(path);
  expect((await send("PATCH", path, { name: "Other" })).body.name).toBe("Other");
  expect((await send("GET", path)).body).toMatchObject({ name: "Other", modifiedAt: expect.any(String) });
  const listed = await send("GET", `${templates}?text=Other`);
  expect(listed.body.map(({ id }: { id: string }) => id)).toContain(created.body.id);
  expect(last<ListAgreementsRequest>("listAgreements")).toMatchObject({ templates: true, text: "Other" });
  expect((await send("DELETE", path)).status).toBe(204);
  expect((await send("GET", path)).body.errorCode).toBe("TEMPLATE_NOT_FOUND");
});
