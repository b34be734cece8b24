import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AgreementStatus, RecipientRole, TabType } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { ChangeTabsRequest, CorrectAgreementRequest, PutRecipientsRequest } from "#gen/assent/sign/v1/sign_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { orgA } from "./fake-auth.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

/** Has no types. */
const docusign = createRequire(import.meta.url)("docusign-esign");

let database: TestDatabase;
let gateway: TestGateway;
let token: string;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url);
  token = await gateway.auth.token("sign:read sign:write");
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

const account = `/restapi/v2.1/accounts/${orgA}`;
const send = (method: string, path: string, body?: unknown) =>
  gateway.call(method, `${account}${path}`, { token, ...(body === undefined ? {} : { body }) });
const draft = () => gateway.sign.add(orgA, { status: AgreementStatus.CREATED });

describe("recipients", () => {
  test("are listed by kind, with their tabs when asked for, of envelopes and templates", async () => {
    const { id } = draft();
    const { body } = await send("GET", `/envelopes/${id}/recipients?include_tabs=true&include_extended=true`);
    const read = docusign.Recipients.constructFromObject(body);
    expect(read.signers[0].tabs.radioGroupTabs[0]).toMatchObject({
      groupName: "color",
      radios: [
        { value: "white", selected: "true" },
        { value: "black", selected: "false" },
      ],
    });
    for (const kind of ["agents", "editors", "intermediaries", "seals", "witnesses", "notaries", "inPersonSigners"]) {
      expect(read[kind]).toEqual([]);
    }
    const bare = await send("GET", `/envelopes/${id}/recipients`);
    expect(bare.body.signers[0]).not.toHaveProperty("tabs");
    const template = gateway.sign.addTemplate(orgA);
    const roles = await send("GET", `/templates/${template.id}/recipients`);
    expect(roles.body.signers).toMatchObject([{ roleName: "Buyer", name: "" }]);
    expect((await send("GET", `/templates/${id}/recipients`)).body.errorCode).toBe("TEMPLATE_NOT_FOUND");
  });

  test("are added, changed and removed", async () => {
    const { id } = draft();
    const added = await send("POST", `/envelopes/${id}/recipients`, {
      certifiedDeliveries: [{ recipientId: 7, name: "Dee", email: "dee@example.com", routingOrder: 3 }],
    });
    expect([added.status, added.body.recipientCount, added.body.certifiedDeliveries[0]]).toMatchObject([
      201,
      "1",
      { recipientId: "7", email: "dee@example.com", recipientType: "certifieddelivery" },
    ]);
    const emailNotification = {
      emailSubject: "Your lease",
      emailBody: "Page 2 is for you.",
      supportedLanguage: "pt_BR",
    };
    const put = { signers: [{ recipientId: "1", email: "new@example.com", emailNotification }] };
    const changed = await send("PUT", `/envelopes/${id}/recipients`, put);
    expect(docusign.RecipientsUpdateSummary.constructFromObject(changed.body).recipientUpdateResults).toMatchObject([
      { recipientId: "1", errorDetails: { errorCode: "SUCCESS", message: "" } },
    ]);
    expect(gateway.sign.lastRequest<PutRecipientsRequest>("putRecipients").recipients).toMatchObject([
      { emailSubject: "Your lease", emailBlurb: "Page 2 is for you.", locale: "pt-BR" },
    ]);
    const { body: read } = await send("GET", `/envelopes/${draft().id}/recipients`);
    expect(docusign.Recipients.constructFromObject(read).signers[0].emailNotification).toMatchObject({
      emailSubject: "Your lease",
      emailBody: "Page 2 is for you.",
      supportedLanguage: "en",
    });
    // Absent names stay, and one who approves stays that.
    const { changeExisting, recipients } = gateway.sign.lastRequest<PutRecipientsRequest>("putRecipients");
    expect([changeExisting, recipients[0]?.name, recipients[0]?.role]).toEqual([
      true,
      undefined,
      RecipientRole.UNSPECIFIED,
    ]);
    const left = await send("DELETE", `/envelopes/${id}/recipients/7`, {});
    expect([left.status, left.body.recipientCount]).toEqual([200, "2"]);
    const last = await send("DELETE", `/envelopes/${id}/recipients`, { carbonCopies: [{ recipientId: "2" }] });
    expect(last.body).toMatchObject({ recipientCount: "1", carbonCopies: [] });
    const unknown = await send("DELETE", `/envelopes/${id}/recipients/9`);
    expect([unknown.status, unknown.body.errorCode]).toEqual([404, "RECIPIENT_NOT_FOUND"]);
    expect(unknown.body.message).toMatch(/^UNKNOWN_ENVELOPE_RECIPIENT: /);
    const nobody = await send("POST", `/envelopes/${id}/recipients`, {});
    expect([nobody.status, nobody.body.errorCode]).toEqual([400, "VALIDATION_FAILED"]);
  });

  test("who have signed cannot be changed: 409", async () => {
    const { id } = draft();
    gateway.sign.fail.with = new DomainError("RECIPIENT_ALREADY_SIGNED");
    const { status, body, headers } = await send("PUT", `/envelopes/${id}/recipients`, {
      signers: [{ recipientId: "1" }],
    });
    gateway.sign.fail.with = undefined;
    expect([status, body.errorCode]).toEqual([409, "RECIPIENT_ALREADY_SIGNED"]);
    expect(body.message).toMatch(/^RECIPIENT_UPDATE_FAILED: /);
    expect([body.requestId, headers.get("x-docusign-tracetoken")]).toEqual(Array(2).fill(headers.get("x-request-id")));
  });
});

test("an envelope that was sent is corrected where that is turned on, and refused as before where it is not", async () => {
  const { id } = gateway.sign.add(orgA, { status: AgreementStatus.SENT });
  const recipients = { signers: [{ recipientId: "1", name: "Eve", email: "eve@example.com" }] };
  const tabs = { textTabs: [{ documentId: "1", pageNumber: "1", xPosition: "10", yPosition: "20" }] };
  const byId = { signHereTabs: [{ tabId: newId() }] };
  const requests: [string, string, object | undefined, object][] = [
    ["POST", "recipients", recipients, { recipients: [{ recipientId: "1", name: "Eve" }], addsOnly: true }],
    ["PUT", "recipients", recipients, { recipients: [{ recipientId: "1", name: "Eve" }], addsOnly: false }],
    ["DELETE", "recipients", recipients, { removeRecipientIds: ["1"] }],
    ["DELETE", "recipients/1", undefined, { removeRecipientIds: ["1"] }],
    ["POST", "recipients/1/tabs", tabs, { tabs: [{ recipientId: "1", add: [{ x: 10 }] }] }],
    ["PUT", "recipients/1/tabs", byId, { tabs: [{ recipientId: "1", change: [byId.signHereTabs[0]] }] }],
    [
      "DELETE",
      "recipients/1/tabs",
      byId,
      { tabs: [{ recipientId: "1", removeTabIds: [byId.signHereTabs[0]?.tabId] }] },
    ],
    ["PUT", "notification", { expirations: { expireAfter: "30" } }, { notification: { expireAfter: 30 } }],
  ];
  for (const [method, path, body, asked] of requests) {
    gateway.sign.corrections.turnedOn = false;
    const refused = await send(method, `/envelopes/${id}/${path}`, body);
    expect([method, path, refused.status, refused.body.errorCode]).toEqual([
      ...[method, path, 400, "ENVELOPE_CANNOT_BE_MODIFIED"],
    ]);
    gateway.sign.corrections.turnedOn = true;
    const { status } = await send(method, `/envelopes/${id}/${path}`, body);
    expect([method, path, status]).toEqual([method, path, method === "POST" ? 201 : 200]);
    const seen = gateway.sign.lastRequest<CorrectAgreementRequest>("correctAgreement");
    expect(seen).toMatchObject({ agreementId: id, ifTurnedOn: true, ...asked });
  }
  gateway.sign.corrections.turnedOn = false;
});

describe("the tabs of a recipient", () => {
  test("are added, changed, read and removed, a radio standing for its group", async () => {
    const { id } = draft();
    const tabs = `/envelopes/${id}/recipients/1/tabs`;
    const before = docusign.Tabs.constructFromObject((await send("GET", tabs)).body);
    const added = await send("POST", tabs, {
      zipTabs: [{ tabLabel: "zip", documentId: 1, pageNumber: 1, xPosition: 10, yPosition: 20 }],
    });
    expect([added.status, Object.keys(added.body)]).toEqual([201, ["zipTabs"]]);
    const [zip] = added.body.zipTabs;
    expect(zip).toMatchObject({ tabLabel: "zip", xPosition: "10", recipientId: "1", tabType: "zip", status: "active" });
    const [group] = before.radioGroupTabs;
    const change = {
      zipTabs: [{ tabId: zip.tabId, xPosition: "99" }],
      radioGroupTabs: [
        { groupName: "shade", radios: [{ tabId: group.radios[1].tabId, value: "black", selected: true }] },
      ],
    };
    const changed = await send("PUT", tabs, change);
    expect(changed.body).toMatchObject({
      zipTabs: [{ tabId: zip.tabId, xPosition: "99" }],
      radioGroupTabs: [{ groupName: "shade", value: "black" }],
    });
    const sentTabs = gateway.sign.lastRequest<ChangeTabsRequest>("changeTabs").change;
    expect(sentTabs.map(({ type, variant }) => [type, variant])).toEqual([
      [TabType.TEXT, "zip"],
      [TabType.RADIO_GROUP, undefined],
    ]);
    const gone = await send("DELETE", tabs, { zipTabs: [{ tabId: zip.tabId }] });
    expect([gone.status, gone.body.zipTabs[0].tabId]).toEqual([200, zip.tabId]);
    expect((await send("GET", tabs)).body).not.toHaveProperty("zipTabs");
    const other = `/envelopes/${draft().id}/recipients/1/tabs`;
    const [colors] = (await send("GET", other)).body.radioGroupTabs;
    const named = { radioGroupTabs: [{ groupName: "color", radios: [{ tabId: colors.radios[0].tabId }] }] };
    expect((await send("DELETE", other, named)).body.radioGroupTabs).toEqual([colors]);
  });

  test("need an id to be changed, and a recipient that there is", async () => {
    const { id } = draft();
    const unnamed = await send("PUT", `/envelopes/${id}/recipients/1/tabs`, { textTabs: [{ value: "x" }] });
    expect([unnamed.status, unnamed.body.details[0].field]).toEqual([400, "textTabs[0].tabId"]);
    const nobody = await send("GET", `/envelopes/${id}/recipients/9/tabs`);
    expect([nobody.status, nobody.body.errorCode]).toEqual([404, "RECIPIENT_NOT_FOUND"]);
  });
});

describe("locks", () => {
  const seenToken = (): string | undefined => gateway.sign.seen.lockTokens.at(-1);

  test("are made, read, extended and ended, and their token goes with each change in either form", async () => {
    const { id } = draft();
    const path = `/envelopes/${id}/lock`;
    const made = await send("POST", path, { lockDurationInSeconds: "4000", lockedByApp: "Desk", lockType: "edit" });
    expect([made.status, made.body]).toMatchObject([
      201,
      { lockDurationInSeconds: "1800", lockedByApp: "Desk", lockType: "edit", lockToken: expect.any(String) },
    ]);
    const read = docusign.LockInformation.constructFromObject((await send("GET", path)).body);
    expect(read).toMatchObject({ lockToken: made.body.lockToken, lockedUntilDateTime: expect.any(String) });
    const refused = await send("POST", path, {});
    expect([refused.status, refused.body.errorCode, refused.body.message]).toEqual([
      ...[409, "ENVELOPE_LOCKED", expect.stringMatching(/^EDIT_LOCK_NOT_LOCK_OWNER: /)],
    ]);
    const { lockToken } = made.body;
    const xml = `<DocuSignEdit><LockToken>${lockToken}</LockToken></DocuSignEdit>`;
    for (const edit of [`{"LockToken": "${lockToken}", "LockDurationInSeconds": "600"}`, xml]) {
      const headers = { "X-DocuSign-Edit": edit };
      const put = await gateway.call("PUT", `${account}${path}`, {
        ...{ token, headers, body: { lockDurationInSeconds: 60 } },
      });
      expect([put.status, put.body.lockDurationInSeconds, seenToken()]).toEqual([200, "60", lockToken]);
    }
    const headers = { "X-Lock-Token": lockToken };
    const native = await gateway.call("DELETE", `/v1/sign/agreements/${id}/lock`, { token, headers });
    expect([native.status, seenToken()]).toEqual([204, lockToken]);
    await gateway.call("DELETE", `${account}${path}`, { token, headers: { "X-DocuSign-Edit": "{nonsense" } });
    expect(seenToken()).toBeUndefined();
  });

  test("say what they take", async () => {
    const { id } = draft();
    for (const body of [{ lockDurationInSeconds: "0" }, { lockType: "view" }, { lockedByApp: "x".repeat(101) }]) {
      const { status, body: answer } = await send("POST", `/envelopes/${id}/lock`, body);
      expect([status, answer.details[0].field]).toEqual([400, Object.keys(body)[0]]);
    }
  });
});

describe("custom fields", () => {
  test("are read, added, changed and removed", async () => {
    const { id } = draft();
    const path = `/envelopes/${id}/custom_fields`;
    const read = docusign.CustomFields.constructFromObject((await send("GET", path)).body);
    expect(read).toMatchObject({
      textCustomFields: [{ fieldId: "10728261959", name: "orderId", show: "true", required: "false", value: "42" }],
      listCustomFields: [{ name: "color", listItems: ["red", "green"], required: "true" }],
    });
    const added = await send("POST", path, { textCustomFields: [{ name: "po", value: 7 }] });
    expect([added.status, added.body]).toMatchObject([
      201,
      { textCustomFields: [{ name: "po", value: "7", fieldId: expect.stringMatching(/^\d+$/) }], listCustomFields: [] },
    ]);
    const changed = await send("PUT", path, {
      textCustomFields: [{ fieldId: "10728261959", name: "orderId", value: "43" }],
    });
    expect(changed.body.textCustomFields).toHaveLength(2);
    const left = await send("DELETE", path, { textCustomFields: [{ fieldId: "10728261959" }] });
    expect(left.body.textCustomFields.map(({ name }: { name: string }) => name)).toEqual(["po"]);
  });
});
