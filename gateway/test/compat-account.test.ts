import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AgreementStatus } from "#gen/assent/sign/v1/agreement_pb.ts";
import {
  type CreateBulkListRequest,
  type CreateRecipientViewRequest,
  type CreateSenderViewRequest,
  type ListAgreementsRequest,
  type SendBulkListRequest,
  SenderViewKind,
  type VoidAgreementRequest,
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
  gateway = await startTestGateway(database.url, { config: { publicUrl: "https://sign.example.com" } });
  token = await gateway.auth.token("sign:read sign:write sign:send sign:admin");
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

const account = `/restapi/v2.1/accounts/${orgA}`;
const call = (method: string, path: string, body?: unknown) =>
  gateway.call(method, `${account}${path}`, { token, ...(body === undefined ? {} : { body }) });
const returnUrl = "https://www.example.com/welcome?state=123";

describe("views", () => {
  test("a recipient is found by what it is called, with numbers for texts, and what newer SDKs send is ignored", async () => {
    const { id } = gateway.sign.add(orgA);
    const answer = await call("POST", `/envelopes/${id}/views/recipient`, {
      returnUrl,
      authenticationMethod: "None",
      email: " ann@example.com",
      userName: "Ann Example",
      clientUserId: 1000,
      pingFrequency: 600,
      frameAncestors: ["https://www.example.com"],
      messageOrigins: ["https://apps-d.docusign.com"],
      xFrameOptions: "allow_from",
    });
    expect([answer.status, answer.body]).toEqual([201, { url: `https://sign.example.com/signing/${"t".repeat(64)}` }]);
    expect(gateway.sign.lastRequest<CreateRecipientViewRequest>("createRecipientView")).toMatchObject({
      agreementId: id,
      email: "ann@example.com",
      userName: "Ann Example",
      clientUserId: "1000",
      returnUrl,
      frameAncestors: ["https://www.example.com"],
      authenticationMethod: "None",
    });
    const nobody = await call("POST", `/envelopes/${id}/views/recipient`, { returnUrl, email: "x@example.com" });
    expect([nobody.status, nobody.body.errorCode]).toEqual([404, "RECIPIENT_NOT_FOUND"]);
    expect(nobody.body.message).toMatch(/^UNKNOWN_ENVELOPE_RECIPIENT: /);
  });

  test("a sender sends, edits or looks, and only who may send makes the view that sends", async () => {
    const { id } = gateway.sign.add(orgA, { status: AgreementStatus.CREATED });
    for (const [view, kind] of [
      ["sender", SenderViewKind.SEND],
      ["edit", SenderViewKind.EDIT],
      ["correct", SenderViewKind.LOOK],
    ] as const) {
      const answer = await call("POST", `/envelopes/${id}/views/${view}`, { returnUrl, viewAccess: "envelope" });
      expect([answer.status, answer.body.url]).toEqual([201, expect.stringMatching(/\/signing\/s{64}$/)]);
      expect(gateway.sign.lastRequest<CreateSenderViewRequest>("createSenderView")).toMatchObject({
        agreementId: id,
        kind,
        returnUrl,
      });
    }
    const lost = await call("POST", `/envelopes/${id}/views/correct`, {});
    expect([lost.status, lost.body.errorCode]).toEqual([400, "INVALID_RETURN_URL"]);
    const path = `${account}/envelopes/${id}/views/sender`;
    for (const [scope, status] of [
      ["sign:write", 201],
      ["sign:send", 201],
      ["sign:admin", 403],
    ] as const) {
      const token = await gateway.auth.token(scope, `cl_${scope}`);
      expect([scope, (await gateway.call("POST", path, { token, body: { returnUrl } })).status]).toEqual([
        scope,
        status,
      ]);
    }
  });

  test("the console shows an envelope, or nothing", async () => {
    const { id } = gateway.sign.add(orgA);
    for (const [body, agreementId] of [
      [{}, ""],
      [{ envelopeId: id.toUpperCase(), returnUrl }, id],
    ] as const) {
      expect((await call("POST", "/views/console", body)).status).toBe(201);
      expect(gateway.sign.lastRequest("createSenderView")).toMatchObject({ agreementId, kind: SenderViewKind.LOOK });
    }
    for (const envelopeId of ["1", newId()]) {
      expect((await call("POST", "/views/console", { envelopeId })).body.errorCode).toBe("ENVELOPE_NOT_FOUND");
    }
  });
});

describe("folders", () => {
  test("every account has the same folders, with what is in them", async () => {
    const draft = gateway.sign.add(orgA, { status: AgreementStatus.CREATED, emailSubject: "Only draft" });
    const { body } = await call("GET", "/folders");
    const ids = docusign.FoldersResponse.constructFromObject(body).folders.map(
      (one: { folderId: string }) => one.folderId,
    );
    expect(ids).toEqual(["draft", "inbox", "sentitems", "recyclebin", "templates"]);
    const items = (await call("GET", "/folders/Draft?count=1&start_position=0&from_date=2026-01-01")).body;
    const nextUri = "/folders/draft?start_position=1&count=1&from_date=2026-01-01";
    expect(items).toMatchObject({ resultSetSize: "1", nextUri });
    expect(items.folders[0].folderItems).toMatchObject([
      { envelopeId: draft.id, subject: "Only draft", status: "created", envelopeUri: `/envelopes/${draft.id}` },
    ]);
    expect((await call("GET", "/folders/mine")).body.errorCode).toBe("FOLDER_NOT_FOUND");
  });

  test("the recycle bin deletes drafts and templates and voids what is in process, or touches nothing", async () => {
    const draft = gateway.sign.add(orgA, { status: AgreementStatus.CREATED });
    const sent = gateway.sign.add(orgA, { status: AgreementStatus.DELIVERED });
    const done = gateway.sign.add(orgA, { status: AgreementStatus.COMPLETED });
    const template = gateway.sign.addTemplate(orgA);
    const move = (ids: string[]) => call("PUT", "/folders/recyclebin", { envelopeIds: ids, fromFolderId: "sentitems" });
    const refused = await move([draft.id, done.id]);
    expect([refused.status, refused.body.errorCode]).toEqual([400, "ENVELOPE_CANNOT_BE_MODIFIED"]);
    expect((await move([draft.id, gateway.sign.add(orgB).id])).body.errorCode).toBe("ENVELOPE_NOT_FOUND");
    expect(gateway.sign.agreements.has(draft.id)).toBe(true);
    const { status, body } = await move([draft.id, sent.id, template.id.toUpperCase()]);
    expect([status, body.envelopes.map((one: { status: string }) => one.status)]).toEqual([
      200,
      ["deleted", "voided", "deleted"],
    ]);
    expect(gateway.sign.lastRequest<VoidAgreementRequest>("voidAgreement").reason).not.toBe("");
    expect([draft, template].map(({ id }) => gateway.sign.agreements.has(id))).toEqual([false, false]);
  });

  test("other folders take back what they have, and nothing else", async () => {
    const draft = gateway.sign.add(orgA, { status: AgreementStatus.CREATED });
    const voided = gateway.sign.add(orgA, { status: AgreementStatus.VOIDED });
    const template = gateway.sign.addTemplate(orgA);
    const back = (folder: string, ...envelopeIds: string[]) =>
      call("PUT", `/folders/${folder}`, { envelopeIds, fromFolderId: "recyclebin" });
    for (const [folder, { id }, status] of [
      ["draft", draft, "created"],
      ["sentitems", voided, "voided"],
      ["templates", template, "template"],
    ] as const) {
      const uri = `/${folder === "templates" ? "templates" : "envelopes"}/${id}`;
      expect(await back(folder, id.toUpperCase())).toMatchObject({
        status: 200,
        body: { envelopes: [{ envelopeId: id, status, uri }] },
      });
    }
    const refusals = [
      ["sentitems", [voided.id, draft.id], "ENVELOPE_CANNOT_BE_MODIFIED"],
      ["draft", [template.id], "ENVELOPE_CANNOT_BE_MODIFIED"],
      ["sentitems", [gateway.sign.add(orgB).id], "ENVELOPE_NOT_FOUND"],
      ["inbox", [voided.id], "FOLDER_NOT_FOUND"],
      ["mine", [voided.id], "FOLDER_NOT_FOUND"],
    ] as const;
    for (const [folder, ids, code] of refusals) expect((await back(folder, ...ids)).body.errorCode).toBe(code);
    expect(gateway.sign.agreements.has(draft.id)).toBe(true);
  });
});

describe("bulk sending", () => {
  const copyOf = (number: number) => ({
    recipients: [
      {
        roleName: "buyer",
        name: `Ann ${number}`,
        email: `ann${number}@example.com`,
        tabs: [{ tabLabel: "order", initialValue: number }],
      },
    ],
    customFields: [{ name: "order", value: number }],
  });

  test("a list is stored, tested, sent and followed", async () => {
    const copies = [1, 2, 3, 4, 5].map(copyOf);
    const created = await call("POST", "/bulk_send_lists", { name: "Spring", bulkCopies: copies });
    expect([created.status, created.body]).toMatchObject([
      201,
      {
        name: "Spring",
        bulkCopies: [{ recipients: [{ tabs: [{ tabLabel: "order", initialValue: "1" }] }] }, {}, {}, {}, {}],
      },
    ]);
    const { copies: stored } = gateway.sign.lastRequest<CreateBulkListRequest>("createBulkList");
    expect(stored[4]).toMatchObject({ customFields: [{ name: "order", value: "5" }] });
    const path = `/bulk_send_lists/${created.body.listId}`;
    const template = gateway.sign.addTemplate(orgA);
    const body = { envelopeOrTemplateId: template.id, batchName: "First" };
    expect((await call("POST", `${path}/test`, body)).body).toEqual({
      canBeSent: true,
      validationErrors: [],
      validationErrorDetails: [],
    });
    const sent = await call("POST", `${path}/send`, body);
    expect([sent.status, sent.body]).toMatchObject([201, { batchName: "First", batchSize: "5", totalQueued: "4" }]);
    expect(gateway.sign.lastRequest<SendBulkListRequest>("sendBulkList").target?.id).toEqual({
      case: "templateId",
      value: template.id,
    });
    const batch = docusign.BulkSendBatchStatus.constructFromObject(
      (await call("GET", `/bulk_send_batch/${sent.body.batchId}`)).body,
    );
    expect(batch).toMatchObject({
      queued: "4",
      failed: "1",
      sent: "0",
      bulkErrors: [{ errorMessage: expect.stringContaining("copy 5") }],
    });
    expect((await call("GET", `/bulk_send_batch?batch_ids=${sent.body.batchId}`)).body.resultSetSize).toBe("1");
    const listed = await call("GET", `/bulk_send_batch/${sent.body.batchId}/envelopes?status=sent&count=2`);
    expect(listed.status).toBe(200);
    expect(gateway.sign.lastRequest<ListAgreementsRequest>("listAgreements")).toMatchObject({
      ...{ bulkBatchId: sent.body.batchId, limit: 2, statuses: [AgreementStatus.SENT], withTotal: true },
    });
    const unknown = await call("GET", `/bulk_send_batch/${newId()}/envelopes`);
    expect([unknown.status, unknown.body.errorCode]).toEqual([404, "BULK_BATCH_NOT_FOUND"]);
    expect((await call("DELETE", path, {})).body).toEqual({ bulkListSummaries: [] });
    expect((await call("GET", path)).body.errorCode).toBe("BULK_LIST_NOT_FOUND");
  });

  test("a test tells which roles are not there, and copies that would lose their meaning are refused", async () => {
    const [copy] = [copyOf(1)];
    const stranger = { recipients: [{ roleName: "Stranger", name: "Ann", email: "" }] };
    const { body: list } = await call("POST", "/bulk_send_lists", { name: "x", bulkCopies: [copy, stranger] });
    const envelopeOrTemplateId = gateway.sign.add(orgA).id;
    const { body } = await call("POST", `/bulk_send_lists/${list.listId}/test`, { envelopeOrTemplateId });
    expect([body.canBeSent, body.validationErrors]).toEqual([
      false,
      ["ENVELOPE_CANNOT_BE_MODIFIED", "RECIPIENT_NOT_FOUND", "VALIDATION_FAILED"],
    ]);
    const secret = { recipients: [{ roleName: "buyer", accessCode: "1234" }] };
    const refused = await call("POST", "/bulk_send_lists", { name: "x", bulkCopies: [secret] });
    expect([refused.status, refused.body.details[0].field]).toEqual([400, "bulkCopies[0].recipients[0].accessCode"]);
  });
});

describe("the account", () => {
  test("has one user, who stands for the credential, and neither brands nor groups", async () => {
    const { body } = await call("GET", "");
    const { status, body: settings } = await call("GET", "/settings");
    expect([status, docusign.AccountSettingsInformation.constructFromObject(settings)]).toEqual([200, settings]);
    expect(settings).toMatchObject({
      allowBulkSend: "true",
      allowEnvelopeCorrect: "false",
      signingSessionTimeout: "60",
    });
    const change = await call("PUT", "/settings", { allowBulkSend: "false" });
    expect([change.status, change.body.errorCode]).toEqual([405, "METHOD_NOT_ALLOWED"]);
    expect(change.body.message).toMatch(
      /^INVALID_REQUEST_METHOD: The settings of the account cannot be changed here\./,
    );
    expect(docusign.AccountInformation.constructFromObject(body)).toMatchObject({ accountIdGuid: orgA });
    const users = docusign.UserInformationList.constructFromObject((await call("GET", "/users")).body);
    expect(users).toMatchObject({ resultSetSize: "1", users: [{ userId: orgA, userStatus: "Active" }] });
    expect((await call("GET", `/users/${orgA}`)).body.email).toBe(users.users[0].email);
    expect((await call("GET", `/users/${newId()}`)).status).toBe(404);
    for (const [path, name] of [
      ["/brands", "brands"],
      ["/groups", "groups"],
    ] as const) {
      expect((await call("GET", path)).body).toMatchObject({ [name]: [] });
    }
    const profiles = docusign.PermissionProfileInformation.constructFromObject(
      (await call("GET", "/permission_profiles")).body,
    );
    expect(profiles.permissionProfiles).toMatchObject([{ permissionProfileName: "Owner" }, {}, {}]);
    const foreign = await gateway.call("GET", `/restapi/v2.1/accounts/${orgB}/users`, { token });
    expect([foreign.status, foreign.body.errorCode]).toEqual([404, "ACCOUNT_NOT_FOUND"]);
  });

  test("older integrations learn its base URL", async () => {
    const { body } = await gateway.call("GET", "/restapi/v2.1/login_information", { token });
    expect(docusign.LoginInformation.constructFromObject(body).loginAccounts).toMatchObject([
      { accountId: orgA, baseUrl: `https://sign.example.com/restapi/v2.1/accounts/${orgA}`, isDefault: "true" },
    ]);
  });
});
