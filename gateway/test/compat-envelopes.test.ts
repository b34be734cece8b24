import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AgreementStatus, RecipientRole, TabType } from "#gen/assent/sign/v1/agreement_pb.ts";
import {
  type CreateAgreementRequest,
  DateField,
  type ListAgreementsRequest,
  Order,
  type ResumeAgreementRequest,
  type SendAgreementRequest,
  type UpdateAgreementRequest,
} from "#gen/assent/sign/v1/sign_pb.ts";
import { newId } from "#platform/ids.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { orgA, orgB } from "./fake-auth.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

/** Has no types. */
const docusign = createRequire(import.meta.url)("docusign-esign");

let database: TestDatabase;
let gateway: TestGateway;
let token: string;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url);
  token = await gateway.auth.token("sign:read sign:write sign:send sign:admin");
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

const account = `/restapi/v2.1/accounts/${orgA}`;
const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  gateway.call(method, `${account}${path}`, { token, headers, ...(body === undefined ? {} : { body }) });
const lastCreate = () => gateway.sign.lastRequest<CreateAgreementRequest>("createAgreement");
const lastList = () => gateway.sign.lastRequest<ListAgreementsRequest>("listAgreements");
const draft = (fields = {}) => gateway.sign.add(orgA, { status: AgreementStatus.CREATED, ...fields });
const sent = (fields = {}) => gateway.sign.add(orgA, { status: AgreementStatus.SENT, ...fields });

const pdf = Buffer.from("%PDF-1.7\n").toString("base64");

/** No answer has a null, and every scalar is a text. */
function expectTexts(value: unknown): void {
  if (typeof value === "object" && value !== null) Object.values(value).forEach(expectTexts);
  else expect(typeof value).toBe("string");
}

describe("creating an envelope", () => {
  const ofHtml = (source: string, recipients: object = {}) => ({
    emailSubject: "Order",
    documents: [{ documentId: "1", name: "Order", htmlDefinition: { source } }],
    recipients: {
      signers: ["Buyer", "Seller"].map((roleName, index) => ({
        ...{ recipientId: `${index + 1}`, name: roleName, email: `${roleName}@example.com`, roleName },
      })),
      ...recipients,
    },
  });

  test("of HTML with fields, which become tabs of the recipients with their roles", async () => {
    const fields = `<p>Amount: <INPUT data-ds-type='number' class="wide"/> <input name="plain"></p>
      <p><ds-signature data-ds-role="seller"></ds-signature> and <ds-signature data-ds-role="Buyer"/></p>`;
    expect((await send("POST", "/envelopes", ofHtml(fields))).status).toBe(201);
    const { documents, recipients } = lastCreate().definition ?? {};
    const text = Buffer.from(documents?.[0]?.source.value as Uint8Array).toString();
    expect(text.replaceAll(/\s+/g, " ")).toBe(
      '<p>Amount: [[number 1]] <input name="plain"></p> <p>[[signature 2]] and [[signature 3]]</p>',
    );
    const tabs = recipients?.map((one) => one.tabs.map(({ type, label, anchor }) => [type, label, anchor?.text]));
    expect(tabs).toEqual([
      [
        [TabType.NUMBER, "number 1", "[[number 1]]"],
        [TabType.SIGNATURE, "signature 3", "[[signature 3]]"],
      ],
      [[TabType.SIGNATURE, "signature 2", "[[signature 2]]"]],
    ]);
  });

  test.each([
    ["ds-smart-section", "<ds-smart-section>more</ds-smart-section>", {}],
    ["data-ds-type", '<input data-ds-type="formula">', {}],
    ["data-ds-role", '<p data-ds-role="Buyer">more</p>', {}],
    ["ds-signature", '<ds-signature data-ds-role="Buyer" data-ds-scale="2"/>', {}],
    ["signature 1", '<ds-signature data-ds-role="Witness"/>', {}],
    ["number 1", '<input data-ds-type="number">', { signers: [] }],
  ])("is refused for a field in HTML that would be lost: %s", async (named, source, recipients) => {
    const { status, body } = await send("POST", "/envelopes", ofHtml(source, recipients));
    expect([status, body.errorCode]).toEqual([400, "VALIDATION_FAILED"]);
    expect(body.message).toContain(named);
  });

  test("of its own documents and recipients, sent at once", async () => {
    const body = {
      EmailSubject: "Please sign",
      status: "Sent",
      documents: [{ documentId: 1, name: "NDA.pdf", fileExtension: ".pdf", documentBase64: pdf, order: "1" }],
      recipients: {
        signers: [
          {
            recipientId: 1,
            routingOrder: "2",
            email: " ann@example.com",
            firstName: "Ann",
            lastName: "Example",
            clientUserId: 1000,
            requireIdLookup: "false",
            identityVerification: null,
            accessCode: "",
            tabs: { signHereTabs: [{ anchorString: "/sn1/", anchorXOffset: 20 }], textTabs: [{ tabLabel: "po" }] },
          },
        ],
        carbonCopies: [{ recipientId: "2", name: "Cara", email: "cara@example.com" }],
        inPersonSigners: [{ hostName: "Hal", hostEmail: "hal@example.com", signerName: "Ivy" }],
        agents: [],
      },
      customFields: { listCustomFields: [{ name: "color", value: "red", listItems: ["red"], required: true }] },
      notification: { reminders: { reminderEnabled: true, reminderDelay: 2 }, expirations: { expireAfter: "30" } },
      transactionId: "tx-7",
      eventNotification: { url: "https://www.example.com/events", envelopeEvents: [] },
      autoNavigation: "true",
    };
    const answer = await send("POST", "/envelopes", body, { "X-Idempotency-Key": "one" });
    const read = docusign.EnvelopeSummary.constructFromObject(answer.body);
    expect([answer.status, read]).toMatchObject([
      201,
      { envelopeId: answer.body.envelopeId, status: "sent", uri: `/envelopes/${read.envelopeId}` },
    ]);
    expect(answer.body.statusDateTime).toBe("2026-11-20T17:01:00.1230000Z");
    expect(answer.headers.get("x-docusign-tracetoken")).toBe(answer.headers.get("x-request-id"));
    const { definition, ...request } = lastCreate();
    expect(request).toMatchObject({ send: true, isTemplate: false, idempotencyKey: "one", compositions: [] });
    expect(definition).toMatchObject({ emailSubject: "Please sign", transactionId: "tx-7" });
    expect(definition?.documents).toMatchObject([
      { documentId: "1", name: "NDA.pdf", fileExtension: "pdf", order: 1, source: { case: "content" } },
    ]);
    expect(definition?.recipients).toMatchObject([
      { recipientId: "1", routingOrder: 2, email: "ann@example.com", name: "Ann Example", clientUserId: "1000" },
      { recipientId: "2", role: RecipientRole.CARBON_COPY, name: "Cara" },
      { recipientId: "", role: RecipientRole.IN_PERSON_SIGNER, name: "Ivy", hostEmail: "hal@example.com" },
    ]);
    expect(definition?.recipients[0]?.tabs).toMatchObject([
      { type: TabType.SIGNATURE, anchor: { text: "/sn1/", xOffset: 20 } },
      { type: TabType.TEXT, label: "po" },
    ]);
    expect(definition?.customFields).toMatchObject([{ name: "color", isList: true, items: ["red"], required: true }]);
    expect(definition?.notification).toMatchObject({ reminderEnabled: true, reminderDelay: 2, expireAfter: 30 });
    expect(JSON.parse(definition?.subscriptionJson ?? "")).toEqual({ eventNotification: body.eventNotification });
    const again = await send("POST", "/envelopes", body, { "X-Idempotency-Key": "one" });
    expect([again.body.envelopeId, again.headers.get("idempotent-replayed")]).toEqual([read.envelopeId, "true"]);
    const other = { ...body, documents: [{ ...body.documents[0], documentBase64: "JVBERi0=" }] };
    const refused = await send("POST", "/envelopes", other, { "X-Idempotency-Key": "one" });
    expect([refused.status, refused.body.errorCode]).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);
  });

  test("from a template with roles, and from composite templates in the order of their sequences", async () => {
    const [one, two] = [newId(), newId()];
    const templateRoles = [
      { roleName: "signer", email: "ann@example.com", name: "Ann", tabs: { textTabs: [{ tabLabel: "t", value: 1 }] } },
    ];
    const fromTemplate = await send("POST", "/envelopes", { templateId: one.toUpperCase(), templateRoles });
    expect([fromTemplate.status, fromTemplate.body.status]).toEqual([201, "created"]);
    expect(lastCreate().compositions).toMatchObject([
      {
        layers: [
          { source: { case: "templateId", value: one } },
          { source: { value: { recipients: [{ roleName: "signer", tabs: [{ label: "t", value: "1" }] }] } } },
        ],
      },
    ]);
    const composite = {
      inlineTemplates: [{ sequence: "2", recipients: { signers: [{ recipientId: "1", roleName: "signer" }] } }],
      serverTemplates: [{ sequence: "1", templateId: two }],
      document: { documentId: "1", name: "a.pdf", documentBase64: "no base64!" },
    };
    await send("POST", "/envelopes", { compositeTemplates: [{ serverTemplates: [{ templateId: one }] }, composite] });
    expect(lastCreate().compositions).toMatchObject([
      { layers: [{ source: { value: one } }] },
      {
        layers: [{ source: { value: two } }, { source: { value: { recipients: [{ recipientId: "1" }] } } }],
        document: { documentId: "1", source: { case: "problem" } },
      },
    ]);
    const unknown = await send("POST", "/envelopes", { templateId: "x" });
    expect([unknown.status, unknown.body.errorCode]).toEqual([404, "TEMPLATE_NOT_FOUND"]);
    expect(unknown.body.message).toMatch(/^TEMPLATE_ID_INVALID: /);
  });

  test.each([
    [{ status: "voided" }, "INVALID_ENVELOPE_STATUS", "ENVELOPE_INVALID_STATUS: "],
    [{ recipients: { signers: [{ addAccessCodeToEmail: "true" }] } }, "VALIDATION_FAILED", "addAccessCodeToEmail"],
    [
      { recipients: { signers: [{ identityVerification: { workflowId: "c368e411-1592-4001-a3df-dca94ac539ae" } }] } },
      ...(["VALIDATION_FAILED", "recipients.signers[0].identityVerification"] as const),
    ],
    [
      { recipients: { signers: [{ phoneAuthentication: { recipMayProvideNumber: "true" } }] } },
      "VALIDATION_FAILED",
      "phoneAuthentication",
    ],
    [
      { recipients: { signers: [{ idCheckConfigurationName: "ID Check $" }] } },
      "VALIDATION_FAILED",
      "idCheckConfigurationName",
    ],
    [{ recipients: { signers: [{ requireIdLookup: true }] } }, "VALIDATION_FAILED", "requireIdLookup"],
    [{ recipients: { witnesses: [{ name: "W" }] } }, "VALIDATION_FAILED", "recipients.witnesses"],
    [{ recipients: { signers: [{ deliveryMethod: "SMS" }] } }, "VALIDATION_FAILED", "deliveryMethod"],
    [{ recipients: { signers: [{ routingOrder: "first" }] } }, "VALIDATION_FAILED", "routingOrder must be an integer"],
    [{ recipients: [] }, "VALIDATION_FAILED", "recipients must be an object"],
    [{ workflow: { workflowStatus: "paused" } }, "VALIDATION_FAILED", "workflow.workflowStatus"],
    [{ workflow: { workflowSteps: [{ action: "pause_after", itemId: 1 }] } }, "VALIDATION_FAILED", "action"],
    [{ workflow: { workflowSteps: [{}] } }, "VALIDATION_FAILED", "workflow.workflowSteps[0].itemId is required"],
    [{ workflow: { scheduledSending: { rules: [{ delay: "1.24:00:00" }] } } }, "VALIDATION_FAILED", "delay"],
    [{ workflow: { scheduledSending: { rules: [{ resumeDate: "soon" }] } } }, "VALIDATION_FAILED", "resumeDate"],
    [{ eventNotification: { url: "http://example.com" } }, "VALIDATION_FAILED", "eventNotification.url"],
  ])("%j is refused", async (body, errorCode, says) => {
    const answer = await send("POST", "/envelopes", body);
    expect([answer.status, answer.body.errorCode]).toEqual([400, errorCode]);
    expect(answer.body.message).toContain(says);
  });

  test("with a body that is no JSON says so as DocuSign does", async () => {
    const answer = await send("POST", "/envelopes", "{");
    expect([answer.status, answer.body.errorCode]).toEqual([400, "VALIDATION_FAILED"]);
    expect(answer.body.message).toMatch(/^INVALID_REQUEST_BODY: The body is not valid JSON/);
  });
});

describe("reading an envelope", () => {
  test("answers texts that the SDK reads, without what has not happened", async () => {
    const { id } = sent();
    const { status, body } = await send("GET", `/envelopes/${id}?include=recipients,tabs,custom_fields,documents`);
    expect(status).toBe(200);
    expectTexts(body);
    const read = docusign.Envelope.constructFromObject(body);
    expect(read).toMatchObject({
      envelopeId: id,
      status: "sent",
      emailSubject: "Please sign the NDA",
      sentDateTime: "2026-11-20T17:01:00.1230000Z",
      documentsUri: `/envelopes/${id}/documents`,
      expireAfter: "120",
      sender: { userName: "Example AG", accountId: orgA },
      customFields: { textCustomFields: [{ name: "orderId", value: "42", fieldId: "10728261959" }] },
      envelopeDocuments: [{ documentId: "1" }, { documentId: "certificate" }],
      recipients: { recipientCount: "2", currentRoutingOrder: "1", carbonCopies: [{ email: "cara@example.com" }] },
    });
    expect(read.recipients.signers[0]).toMatchObject({ status: "delivered", clientUserId: "1000", totalTabCount: "3" });
    expect(read.recipients.signers[0].tabs.signHereTabs[0]).toMatchObject({
      xPosition: "101",
      anchorString: "/sn1/",
    });
    expect(body).not.toHaveProperty("voidedReason");
    expect((await send("GET", `/envelopes/${id.toUpperCase()}`)).body).not.toHaveProperty("recipients");
  });

  test("shows states that DocuSign has not as those that it has", async () => {
    const completing = sent({ status: AgreementStatus.COMPLETING });
    const expired = sent({ status: AgreementStatus.EXPIRED, voidedReason: "Expired." });
    expect((await send("GET", `/envelopes/${completing.id}`)).body.status).toBe("signed");
    expect((await send("GET", `/envelopes/${expired.id}`)).body).toMatchObject({
      status: "voided",
      voidedReason: "Expired.",
    });
  });

  test("of another account, or none, is 404 with the code that clients search for", async () => {
    const { id } = sent();
    const foreign = await gateway.call("GET", `/restapi/v2.1/accounts/${orgB}/envelopes/${id}`, { token });
    const unknown = await send("GET", `/envelopes/${newId()}`);
    for (const { status, body } of [foreign, unknown, await send("GET", "/envelopes/x")]) {
      expect([status, body.errorCode]).toEqual([404, "ENVELOPE_NOT_FOUND"]);
      expect(body.message).toMatch(/^ENVELOPE_DOES_NOT_EXIST: /);
    }
    const list = await gateway.call("GET", `/restapi/v2.1/accounts/${orgB}/envelopes`, { token });
    expect([list.status, list.body.errorCode]).toEqual([404, "ACCOUNT_NOT_FOUND"]);
  });

  test("form data and audit events are names and values", async () => {
    const { id } = sent();
    const form = docusign.EnvelopeFormData.constructFromObject((await send("GET", `/envelopes/${id}/form_data`)).body);
    expect(form).toMatchObject({
      envelopeId: id,
      formData: [
        { name: "size", value: "m", listSelectedValue: "Medium" },
        { name: "color", value: "white" },
      ],
      recipientFormData: [{ recipientId: "1", SentTime: "2026-11-20T17:01:00.1230000Z" }, { formData: [] }],
    });
    const { body } = await send("GET", `/envelopes/${id}/audit_events`);
    const { auditEvents } = docusign.EnvelopeAuditEventResponse.constructFromObject(body);
    expect(auditEvents[0].eventFields).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: "logTime", value: "2026-11-20T17:00:00.1230000Z" }),
        expect.objectContaining({ name: "Action", value: "Registered" }),
        expect.objectContaining({ name: "ClientIPAddress", value: "192.0.2.1" }),
      ]),
    );
    expect(auditEvents).toHaveLength(3);
  });
});

describe("a list of envelopes", () => {
  test("asks for what its parameters say, and leads to the pages beside it", async () => {
    const [one, two, three] = [sent(), sent(), sent()];
    const ids = [one.id, two.id.toUpperCase(), three.id].join(",");
    const query = `?from_date=10/21/2026&to_date=2026-11-21T00:00:00%2B02:00&from_to_status=Created&status=Sent,voided&count=1&start_position=1&envelope_ids=${ids}&search_text=NDA&custom_field=orderId=4=2&order_by=created&order=asc&include=recipients`;
    const { status, body } = await send("GET", `/envelopes${query}`);
    const read = docusign.EnvelopesInformation.constructFromObject(body);
    expect([status, read]).toMatchObject([
      200,
      { resultSetSize: "1", startPosition: "1", endPosition: "1", totalSetSize: "3", envelopes: [{ status: "sent" }] },
    ]);
    expect(lastList()).toMatchObject({
      statuses: [AgreementStatus.SENT, AgreementStatus.VOIDED, AgreementStatus.EXPIRED],
      ids: [one.id, two.id, three.id],
      text: "NDA",
      customField: { name: "orderId", value: "4=2" },
      dateField: DateField.CREATED,
      from: { seconds: 1_792_540_800n },
      to: { seconds: 1_795_212_000n, nanos: 1_000_000 },
      order: Order.CREATED,
      ascending: true,
      withParts: true,
      withTotal: true,
      offset: 1,
      limit: 1,
    });
    expect(
      [read.nextUri, read.previousUri].map((uri) => new URLSearchParams(uri.split("?")[1]).get("start_position")),
    ).toEqual(["2", "0"]);
    const next = await send("GET", read.nextUri);
    expect(next.body).toMatchObject({ startPosition: "2", endPosition: "2" });
    expect(next.body).not.toHaveProperty("nextUri");
    expect(next.body).not.toHaveProperty("continuationToken");
    const goOn = `/envelopes?count=1&envelope_ids=${ids}&continuation_token=${read.continuationToken}`;
    expect((await send("GET", goOn)).body).toMatchObject({ startPosition: "2", endPosition: "2", envelopes: [{}] });
    expect(lastList()).toMatchObject({ offset: 0, cursor: "2" });
    for (const wrong of ["1", "x.abc", `2.${"a".repeat(500)}`, `${read.continuationToken}&start_position=1`]) {
      const refused = await send("GET", `/envelopes?continuation_token=${wrong}`);
      expect([refused.status, refused.body.details?.[0]?.field]).toEqual([400, "continuation_token"]);
    }
  });

  test.each([
    ["2026-10-21", 1_792_540_800n],
    ["2026/10/21", 1_792_540_800n],
    ["2026/1/2", 1_767_312_000n],
    ["2026-10-21T00:00:00.0000000Z", 1_792_540_800n],
    ["2026-10-21T02:00:00+02:00", 1_792_540_800n],
    ["10/21/2026 12:00:00 AM", 1_792_540_800n],
  ])("begins at %s", async (text, seconds) => {
    expect((await send("GET", `/envelopes?from_date=${text}`)).status).toBe(200);
    expect(lastList().from).toMatchObject({ seconds, nanos: 0 });
  });

  test("has no envelopes when it asks for none that there are, without asking", async () => {
    const before = gateway.sign.seen.requests.length;
    for (const query of ["?status=deleted", "?envelope_ids=x", "?folder_ids=recyclebin"]) {
      const { body } = await send("GET", `/envelopes${query}`);
      expect(body).toMatchObject({ resultSetSize: "0", totalSetSize: "0", envelopes: [] });
    }
    expect(gateway.sign.seen.requests.slice(before).map(({ method }) => method)).toEqual([]);
  });

  test.each([
    "from_date=yesterday",
    "to_date=2026-02-30",
    "to_date=2026/13/01",
    "count=many",
    "status=strange",
    "custom_field=x",
    "order=up",
  ])("with %s is a bad request", async (query) => {
    const { status, body } = await send("GET", `/envelopes?${query}`);
    expect([status, body.errorCode, body.details[0].field]).toEqual([400, "VALIDATION_FAILED", query.split("=")[0]]);
    expect(body.message).toMatch(/^INVALID_REQUEST_PARAMETER: /);
  });

  test("of ids in a body", async () => {
    const { id } = sent();
    const { body } = await send("PUT", "/envelopes/status?envelope_ids=request_body", { envelopeIds: [id] });
    expect(body).toMatchObject({ resultSetSize: "1", envelopes: [{ envelopeId: id, status: "sent" }] });
  });
});

describe("changing an envelope", () => {
  test("sends a draft with what is changed, once", async () => {
    const { id } = draft();
    const answer = await send("PUT", `/envelopes/${id}`, { status: "sent", emailSubject: "Now" });
    expect([answer.status, docusign.EnvelopeUpdateSummary.constructFromObject(answer.body).envelopeId]).toEqual([
      200,
      id,
    ]);
    expect(gateway.sign.lastRequest<SendAgreementRequest>("sendAgreement").changes).toMatchObject({
      emailSubject: "Now",
    });
    const again = await send("PUT", `/envelopes/${id}`, { status: "sent" });
    expect([again.status, again.body.errorCode]).toEqual([409, "ENVELOPE_ALREADY_SENT"]);
    expect((await send("PUT", `/envelopes/${id}?resend_envelope=true`, {})).status).toBe(200);
    expect(gateway.sign.seen.requests.at(-1)?.method).toBe("remindAgreement");
  });

  test.each([
    ["status", { status: "voided", voidedReason: "x" }],
    ["recipients", { status: "sent", recipients: { signers: [{ recipientId: "1", email: "new@example.com" }] } }],
    ["emailSubject", { EmailSubject: "New" }],
  ])("does not only ask again when %s is to be changed too", async (field, body) => {
    const { id } = sent();
    const answer = await send("PUT", `/envelopes/${id}?resend_envelope=true`, body);
    expect([answer.status, answer.body.errorCode, answer.body.details[0].field]).toEqual([
      400,
      "VALIDATION_FAILED",
      field,
    ]);
    const empty = { emailSubject: "", recipients: { signers: [] } };
    expect((await send("PUT", `/envelopes/${id}?resend_envelope=true`, empty)).status).toBe(200);
  });

  test("voids what was sent, and says so when it cannot", async () => {
    const { id } = sent();
    const body = { status: "voided", voidedReason: "Cancelled." };
    expect((await send("PUT", `/envelopes/${id}`, body)).body).toEqual({ envelopeId: id });
    expect((await send("GET", `/envelopes/${id}`)).body).toMatchObject({
      status: "voided",
      voidedReason: "Cancelled.",
    });
    const again = await send("PUT", `/envelopes/${id}`, body);
    expect([again.status, again.body.errorCode]).toEqual([400, "INVALID_ENVELOPE_STATUS"]);
    expect(again.body.message).toMatch(/^ENVELOPE_CANNOT_VOID_INVALID_STATE: /);
  });

  test("puts what has ended into the purge queue, whatever else of the envelope is sent along", async () => {
    const { id } = sent();
    const queue = { purgeState: "documents_queued" };
    expect((await send("GET", `/envelopes/${id}`)).body.purgeState).toBe("unpurged");
    const early = await send("PUT", `/envelopes/${id}`, queue);
    expect([early.status, early.body.errorCode]).toEqual([400, "INVALID_ENVELOPE_STATUS"]);
    expect(early.body.message).toMatch(/^ENVELOPE_INVALID_STATUS: /);
    await send("PUT", `/envelopes/${id}`, { status: "voided", voidedReason: "Cancelled." });
    for (const body of [{ purgeState: "documents_purged" }, { ...queue, status: "voided" }]) {
      const refused = await send("PUT", `/envelopes/${id}`, body);
      expect([refused.status, refused.body.details[0].field]).toEqual([400, "purgeState"]);
      expect(refused.body.message).toMatch(/^INVALID_REQUEST_PARAMETER: /);
    }
    const whole = { ...queue, envelopeId: id, status: "completed", emailSubject: "As read" };
    expect((await send("PUT", `/envelopes/${id}`, whole)).body).toEqual({ envelopeId: id });
    expect((await send("GET", `/envelopes/${id}`)).body).toMatchObject({
      ...queue,
      purgeRequestDate: "2026-11-20T17:10:00.1230000Z",
    });
  });

  test("changes and deletes drafts, and refuses what it does not know", async () => {
    const { id } = draft();
    const change = {
      emailBlurb: "New.",
      customFields: { textCustomFields: [{ name: "order", value: "42" }] },
      recipients: { signers: [] },
    };
    expect((await send("PUT", `/envelopes/${id}`, change)).status).toBe(200);
    expect(gateway.sign.lastRequest<UpdateAgreementRequest>("updateAgreement")).toMatchObject({
      changes: { emailBlurb: "New." },
      replaceCustomFields: true,
      replaceDocuments: false,
      replaceRecipients: false,
    });
    expect((await send("PUT", `/envelopes/${id}`, { status: "completed" })).body.errorCode).toBe(
      "INVALID_ENVELOPE_STATUS",
    );
    expect((await send("PUT", `/envelopes/${id}`, { status: "deleted" })).status).toBe(200);
    expect((await send("GET", `/envelopes/${id}`)).status).toBe(404);
  });

  test.each([
    ["sign:admin", { status: "sent" }, "", "sign:send or sign:write"],
    ["sign:write", { status: "voided", voidedReason: "x" }, "", "sign:admin"],
    ["sign:write", { purgeState: "documents_queued" }, "", "sign:admin"],
    ["sign:admin", { emailSubject: "x" }, "", "sign:write"],
    ["sign:admin", {}, "?resend_envelope=true", "sign:send or sign:write"],
  ])("with %s alone %j%s needs %s", async (scope, body, query, needed) => {
    const { id } = draft();
    const weak = await gateway.auth.token(scope, `cl_${scope}_${needed}`);
    const answer = await gateway.call("PUT", `${account}/envelopes/${id}`, { token: weak, query, body });
    expect([answer.status, answer.body.errorCode]).toEqual([403, "INSUFFICIENT_SCOPE"]);
    expect(answer.body.message).toContain(needed);
    expect(answer.body.message).toMatch(/^USER_LACKS_PERMISSIONS: /);
  });
});

describe("the workflow of an envelope", () => {
  const resumeDate = "2026-12-01T09:00:00+01:00";
  const workflow = {
    workflowStatus: "in_progress",
    scheduledSending: { rules: [{ resumeDate }] },
    workflowSteps: [
      { action: "pause_before", triggerOnItem: "routing_order", itemId: 2, status: "pending" },
      { action: "pause_before", itemId: "3", delayedRouting: { rules: [{ delay: "1.12:00:30" }] } },
    ],
  };

  test("is read, changed as a whole, and taken away", async () => {
    await send("POST", "/envelopes", { workflow });
    expect(lastCreate().definition).toMatchObject({
      schedule: { sendAt: { seconds: BigInt(Date.parse(resumeDate) / 1_000) } },
      routing: { pauses: [{ beforeRoutingOrder: 2 }, { beforeRoutingOrder: 3, delaySeconds: 129_630 }] },
    });
    const { id } = draft();
    const changed = await send("PUT", `/envelopes/${id}/workflow`, workflow);
    expect(docusign.Workflow.constructFromObject(changed.body)).toMatchObject({
      scheduledSending: { status: "pending", resumeDate: "2026-12-01T08:00:00.0000000Z" },
      workflowSteps: [{ itemId: "2" }, { itemId: "3", delayedRouting: { rules: [{ delay: "1.12:00:30" }] } }],
    });
    expect((await send("GET", `/envelopes/${id}?include=workflow`)).body.workflow).toEqual(changed.body);
    await send("DELETE", `/envelopes/${id}/workflow`);
    expect(gateway.sign.lastRequest<UpdateAgreementRequest>("updateAgreement").changes).toMatchObject({
      schedule: {},
      routing: { pauses: [] },
    });
  });

  test.each([
    ["PUT", "?resend_envelope=true", { workflow: { workflowStatus: "in_progress" } }],
    ["PUT", "", { workflow: { workflowStatus: "In_Progress" } }],
    ["PUT", "/workflow", { workflowStatus: "in_progress", workflowSteps: [] }],
  ])("%s %s %j resumes it", async (method, path, body) => {
    const { id } = sent();
    expect((await send(method, `/envelopes/${id}${path}`, body)).status).toBe(200);
    expect(gateway.sign.lastRequest<ResumeAgreementRequest>("resumeAgreement").agreementId).toBe(id);
  });

  test("cannot be changed while it is resumed", async () => {
    const { id } = sent();
    const answer = await send("PUT", `/envelopes/${id}`, { workflow, emailSubject: "Other" });
    expect([answer.status, answer.body.details.map(({ field }: { field: string }) => field)]).toEqual([
      400,
      ["emailSubject", "workflow.scheduledSending", "workflow.workflowSteps"],
    ]);
  });
});

describe("the notification of an envelope", () => {
  test("is read and changed in days as texts", async () => {
    const { id } = draft();
    const { body } = await send("GET", `/envelopes/${id}/notification`);
    expect(docusign.Notification.constructFromObject(body)).toMatchObject({
      reminders: { reminderEnabled: "true", reminderDelay: "2", reminderFrequency: "3" },
      expirations: { expireEnabled: "true", expireAfter: "120", expireWarn: "5" },
    });
    expect((await send("PUT", `/envelopes/${id}/notification`, { useAccountDefaults: "true" })).status).toBe(200);
    expect(gateway.sign.lastRequest<UpdateAgreementRequest>("updateAgreement").changes?.notification).toMatchObject({
      reminderEnabled: false,
      expireAfter: 120,
    });
  });
});
