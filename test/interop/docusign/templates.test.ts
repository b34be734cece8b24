import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Plan } from "#gen/assent/auth/v1/auth_pb.ts";
import { until } from "#platform/testing/until.ts";
import { findOffice } from "../../../services/convert/office.ts";
import { paragraph, word } from "../../../services/convert/test/hostile-files.ts";
import { p, table, wordFile } from "../../../services/docgen/word/test/word-files.ts";
import { Api } from "../../support/api.ts";
import { type System, startSystem } from "../../support/system.ts";
import { programs, promisedResults, resultOf } from "./samples/results.ts";
import type { Stage } from "./samples/stage.ts";
import { base64, pdfInfo, pdfWith } from "./support/documents.ts";
import { docusign, type Integration, integrate, refusalOf, type Untyped } from "./support/sdk.ts";
import { startTlsProxy, type TlsProxy } from "./support/tls-proxy.ts";

const office = findOffice(process.env.PATH ?? "") ?? "";
const planText = "World Wide Corp: Battle Plan. Agreed: /sn1/";
const plan =
  office === ""
    ? { fileExtension: "txt", documentBase64: base64(planText) }
    : { fileExtension: "docx", documentBase64: base64(word(paragraph(planText))) };

const cells = [
  "{% for row in Compensation_Package %}{{ row.Compensation_Component }}",
  "{{ row.Details }}{% endfor %}",
];
const offerBody = [
  p("Dear {{ Candidate_Name }}, we offer you the position of {{Job_Title}}."),
  table(cells.map((text) => p(text))),
  p("Employee Signature"),
];
const offer = { fileExtension: "docx", documentBase64: base64(wordFile({ body: offerBody.join("") })) };
const isPrinted = office !== "" || process.env.CI === "true";

const templateName = "Example Signer and CC template";

describe("the official SDK with templates, bulk lists and the account", () => {
  let system: System;
  let owner: Api;
  let proxy: TlsProxy;
  let sdk: Integration;
  let pdf: Buffer;
  let templateId: string;

  beforeAll(async () => {
    system = await startSystem("single process", { environment: { OFFICE_PROGRAM: office } });
    owner = await system.newOrganization();
    proxy = await startTlsProxy(owner.baseUrl);
    sdk = integrate(proxy, owner);
    pdf = await pdfWith("World Wide Corp /sn1/");
  });
  afterAll(async () => {
    await proxy?.stop();
    await system?.stop();
  });

  const call = (className: string, method: string, ...parameters: unknown[]): Promise<Untyped> =>
    sdk.call(className, method, sdk.accountId, ...parameters);
  const ofEnvelopes = (method: string, ...parameters: unknown[]): Promise<Untyped> =>
    call("EnvelopesApi", method, ...parameters);

  /** As the example "create a template" makes it. */
  const templateRequest = (): object => {
    const at = (xPosition: string, yPosition: string, tabLabel: string) => ({
      ...{ documentId: "1", pageNumber: "1", xPosition, yPosition, tabLabel },
      ...{ font: "helvetica", fontSize: "size14" },
    });
    const signer = docusign.Signer.constructFromObject({ roleName: "signer", recipientId: "1", routingOrder: "1" });
    signer.tabs = docusign.Tabs.constructFromObject({
      checkboxTabs: [at("75", "417", "ckAuthorization"), at("75", "447", "ckAgreement")],
      listTabs: [{ ...at("142", "291", "list"), listItems: [{ text: "Red", value: "red" }], required: "false" }],
      radioGroupTabs: [
        {
          documentId: "1",
          groupName: "radio1",
          radios: [
            {
              font: "helvetica",
              pageNumber: "1",
              value: "white",
              xPosition: "142",
              yPosition: "384",
              required: "false",
            },
            { font: "helvetica", pageNumber: "1", value: "red", xPosition: "74", yPosition: "384", required: "false" },
          ],
        },
      ],
      signHereTabs: [{ documentId: "1", pageNumber: "1", xPosition: "191", yPosition: "148" }],
      textTabs: [{ ...at("153", "230", "text"), height: "23", width: "84", required: "false" }],
    });
    return docusign.EnvelopeTemplate.constructFromObject({
      documents: [{ documentBase64: base64(pdf), name: "Lorem Ipsum", fileExtension: "pdf", documentId: "1" }],
      emailSubject: "Please sign this document",
      description: "Example template created via the API",
      name: templateName,
      shared: "false",
      recipients: {
        signers: [signer],
        carbonCopies: [{ roleName: "cc", routingOrder: "2", recipientId: "2" }],
      },
      status: "created",
    });
  };

  const ann = { email: "ann@example.com", name: "Ann Example", roleName: "signer" };
  const cara = { email: "cara@example.com", name: "Cara Example", roleName: "cc" };

  test("makes a template when its search finds none", async () => {
    const none = await call("TemplatesApi", "listTemplates", { searchText: templateName });
    expect([none.resultSetSize, none.envelopeTemplates]).toEqual(["0", []]);
    const made = await call("TemplatesApi", "createTemplate", { envelopeTemplate: templateRequest() });
    expect([sdk.last().status, made.name, made.uri]).toEqual([201, templateName, `/templates/${made.templateId}`]);
    templateId = made.templateId;
    const one = await call("TemplatesApi", "listTemplates", { searchText: "signer AND cc" });
    expect([one.resultSetSize, one.envelopeTemplates[0].templateId]).toEqual(["1", templateId]);
    const template = await call("TemplatesApi", "get", templateId, { include: "tabs" });
    expect(template).toMatchObject({ name: templateName, documents: [{ documentId: "1", name: "Lorem Ipsum" }] });
    expect(template.recipients.signers[0]).toMatchObject({ roleName: "signer" });
    expect((await call("TemplatesApi", "listRecipients", templateId, null)).carbonCopies).toHaveLength(1);
    expect((await call("TemplatesApi", "listDocuments", templateId, null)).templateDocuments).toHaveLength(1);
  });

  test("replaces the document of a template and adds tabs to a recipient", async () => {
    const documents = [{ documentBase64: base64(pdf), name: "Offer.pdf", fileExtension: "pdf", documentId: "1" }];
    const put = await call("TemplatesApi", "updateDocument", templateId, "1", { envelopeDefinition: { documents } });
    expect(put).toMatchObject({ documentId: "1", name: "Offer.pdf" });
    const templateTabs = { dateSignedTabs: [{ anchorString: "/sn1/", anchorXOffset: "100", anchorUnits: "pixels" }] };
    await call("TemplatesApi", "createTabs", templateId, "1", { templateTabs });
    expect(sdk.last().status).toBe(201);
    expect(pdfInfo(await call("TemplatesApi", "getDocument", templateId, "1", null)).pages).toBe(1);
  });

  test("sends an envelope from a template, with values for its tabs", async () => {
    const tabs = {
      checkboxTabs: [{ tabLabel: "ckAuthorization", selected: "true" }],
      textTabs: [{ tabLabel: "text", value: "Jabberwocky!" }],
      listTabs: [{ tabLabel: "list", value: "red", documentId: "1", pageNumber: "1" }],
      radioGroupTabs: [{ groupName: "radio1", radios: [{ value: "white", selected: "true" }] }],
    };
    const signer = { ...ann, clientUserId: 1000, tabs };
    const envelopeDefinition = { templateId, templateRoles: [signer, cara], status: "sent" };
    const { envelopeId } = await ofEnvelopes("createEnvelope", { envelopeDefinition });
    const whole = await ofEnvelopes("getEnvelope", envelopeId, { include: "recipients,tabs" });
    expect(whole).toMatchObject({ status: "sent", emailSubject: "Please sign this document" });
    const [found] = whole.recipients.signers;
    expect(found).toMatchObject({ ...ann, clientUserId: "1000", status: "sent" });
    expect(found.tabs.textTabs).toMatchObject([{ tabLabel: "text", value: "Jabberwocky!", xPosition: "153" }]);
    expect(found.tabs.checkboxTabs.map(({ selected }: Untyped) => selected)).toEqual(["true", "false"]);
    expect(found.tabs.radioGroupTabs[0].radios[0]).toMatchObject({ value: "white", selected: "true" });
  });

  test("sends an envelope of two composites, with a document of its own", async () => {
    const recipients = {
      signers: [{ ...ann, recipientId: "1", clientUserId: 1000 }],
      carbonCopies: [{ ...cara, recipientId: "2" }],
    };
    const added = {
      signers: [
        {
          ...{ ...ann, recipientId: "1", clientUserId: 1000 },
          tabs: { signHereTabs: [{ anchorString: "**signature_1**", anchorYOffset: "10", anchorUnits: "pixels" }] },
        },
      ],
      carbonCopies: [{ ...cara, recipientId: "2" }],
    };
    const html = "<h1>Added</h1><p>Agreed: <span style='color:white'>**signature_1**</span></p>";
    const envelopeDefinition = {
      status: "sent",
      compositeTemplates: [
        {
          compositeTemplateId: "1",
          serverTemplates: [{ sequence: "1", templateId }],
          inlineTemplates: [{ sequence: "2", recipients }],
        },
        {
          compositeTemplateId: "2",
          inlineTemplates: [{ sequence: "1", recipients: added }],
          document: {
            documentId: "1",
            name: "Appendix 1--Sales order",
            fileExtension: "html",
            documentBase64: base64(html),
          },
        },
      ],
    };
    const { envelopeId } = await ofEnvelopes("createEnvelope", { envelopeDefinition });
    const { envelopeDocuments } = await ofEnvelopes("listDocuments", envelopeId, null);
    expect(envelopeDocuments.map(({ documentId, name }: Untyped) => [documentId, name])).toEqual([
      ["1", "Offer.pdf"],
      ["2", "Appendix 1--Sales order"],
      ["certificate", "Summary"],
    ]);
    const { signers } = await ofEnvelopes("listRecipients", envelopeId, { includeTabs: "true" });
    expect(signers).toHaveLength(1);
    expect(signers[0].tabs.signHereTabs.map(({ documentId }: Untyped) => documentId).sort()).toEqual(["1", "2"]);
  });

  test("sends a draft to everybody in a bulk list", async () => {
    const bulkCopies = ["1", "2"].map((number) => ({
      recipients: [
        { roleName: "signer", tabs: [], name: `Signer ${number}`, email: `signer-${number}@example.com` },
        { roleName: "cc", tabs: [], name: `Copy ${number}`, email: `copy-${number}@example.com` },
      ],
      customFields: [],
    }));
    const bulkSendingList = { name: "sample.csv", bulkCopies };
    const { listId } = await call("BulkEnvelopesApi", "createBulkSendList", { bulkSendingList });
    const signHere = { anchorString: "/sn1/", anchorXOffset: "20", anchorYOffset: "10", anchorUnits: "pixels" };
    const role = (roleName: string, recipientId: string) => ({
      ...{ name: `Multi Bulk Recipient::${roleName}`, email: `multiBulkRecipients-${roleName}@example.com` },
      ...{ roleName, note: "", routingOrder: recipientId, status: "created", deliveryMethod: "email", recipientId },
    });
    const { envelopeId } = await ofEnvelopes("createEnvelope", {
      envelopeDefinition: {
        documents: [{ documentId: "1", name: "Lorem Ipsum", fileExtension: "pdf", documentBase64: base64(pdf) }],
        envelopeIdStamping: "true",
        emailSubject: "Please sign this document sent from the SDK",
        recipients: {
          signers: [{ ...role("signer", "1"), recipientType: "signer", tabs: { signHereTabs: [signHere] } }],
          carbonCopies: [role("cc", "2")],
        },
        status: "created",
      },
    });
    await ofEnvelopes("createCustomFields", envelopeId, {
      customFields: {
        listCustomFields: [],
        textCustomFields: [{ name: "mailingListId", required: "false", show: "false", value: listId }],
      },
    });
    const bulkSendRequest = { envelopeOrTemplateId: envelopeId };
    const tested = await call("BulkEnvelopesApi", "createBulkSendTestRequest", listId, { bulkSendRequest });
    expect(tested.canBeSent).toBe(true);
    const { batchId } = await call("BulkEnvelopesApi", "createBulkSendRequest", listId, { bulkSendRequest });
    const done = await until(async () => {
      const batch = await call("BulkEnvelopesApi", "getBulkSendBatchStatus", batchId);
      return batch.queued === "0" ? batch : undefined;
    });
    expect(done).toMatchObject({ batchId, batchSize: "2", sent: "2", failed: "0" });
    const found = await ofEnvelopes("listStatusChanges", {
      fromDate: "2020-01-01",
      email: "signer-2@example.com",
      userName: "Signer 2",
    });
    expect(found.envelopes).toMatchObject([{ status: "sent" }]);
  });

  test("moves a draft, what is in process and a template to the recycle bin", async () => {
    const documents = [{ documentId: "1", name: "A.pdf", documentBase64: base64(pdf) }];
    const signers = [{ ...ann, recipientId: "1" }];
    const made = async (status: string): Promise<string> =>
      (
        await ofEnvelopes("createEnvelope", {
          envelopeDefinition: { emailSubject: "To be moved", status, documents, recipients: { signers } },
        })
      ).envelopeId;
    const [draft, sent] = [await made("created"), await made("sent")];
    const move = (envelopeIds: readonly string[]) =>
      call("FoldersApi", "moveEnvelopes", "recyclebin", { foldersRequest: { envelopeIds } });
    await move([draft, sent]);
    expect((await refusalOf(ofEnvelopes("getEnvelope", draft, null))).body.errorCode).toBe("ENVELOPE_NOT_FOUND");
    expect((await ofEnvelopes("getEnvelope", sent, null)).status).toBe("voided");
    const { templateId: other } = await call("TemplatesApi", "createTemplate", {
      envelopeTemplate: { name: "To be moved" },
    });
    await move([other]);
    const gone = await refusalOf(call("TemplatesApi", "get", other, null));
    expect([gone.status, gone.body.errorCode]).toEqual([404, "TEMPLATE_NOT_FOUND"]);
    const { folders } = await call("FoldersApi", "list", {});
    expect(folders.map(({ type }: Untyped) => type)).toEqual([
      "draft",
      "inbox",
      "sentitems",
      "recyclebin",
      "templates",
    ]);
    await call("FoldersApi", "listItems", "sentitems", {});
  });

  test("registers where events go, as Activepieces does", async () => {
    const connectCustomConfiguration = {
      ...{ name: "Activepieces", urlToPublishTo: "https://hooks.example.com/docusign", configurationType: "custom" },
      ...{ allowEnvelopePublish: "true", allUsers: "true", enableLog: "true", requiresAcknowledgement: "true" },
      ...{ includeHMAC: "true", deliveryMode: "SIM", events: ["envelope-completed", "envelope-declined"] },
      eventData: { version: "restv2.1", format: "json", includeData: ["recipients", "tabs"] },
    };
    const made = await call("ConnectApi", "createConfiguration", { connectCustomConfiguration });
    expect([sdk.last().status, made.connectId]).toEqual([201, expect.stringMatching(/^\d+$/)]);
    const listed = await call("ConnectApi", "listConfigurations");
    expect(listed).toMatchObject({ totalRecords: "1", configurations: [{ connectId: made.connectId }] });
    await call("ConnectApi", "deleteConfiguration", made.connectId);
    expect((await call("ConnectApi", "listConfigurations")).configurations).toEqual([]);
  });

  test("makes and deletes keys, looks at the log of messages and asks for those that failed again", async () => {
    // The SDK has no models for keys.
    await call("ConnectApi", "createConnectSecret");
    expect(sdk.last().status).toBe(201);
    const { keyId } = JSON.parse(sdk.last().text);
    await call("ConnectApi", "getConnectSecret");
    expect(JSON.parse(sdk.last().text).secrets).toMatchObject([{ keyId }]);
    await call("ConnectApi", "deleteConnectSecret", keyId);
    for (const name of ["listEventLogs", "listEventFailureLogs"]) {
      const read = await call("ConnectApi", name, { fromDate: "2026-10-21T00:00:00Z" });
      expect(read).toMatchObject({ logs: expect.any(Array), failures: expect.any(Array) });
    }
    const connectFailureFilter = { envelopeIds: [sdk.accountId], synchronous: "false" };
    const retried = await call("ConnectApi", "retryEventForEnvelopes", { connectFailureFilter });
    expect(retried.retryQueue).toEqual([]);
  });

  test("asks about the account, its users, brands, groups and permissions", async () => {
    const account = await call("AccountsApi", "getAccountInformation", null);
    expect(account).toMatchObject({ accountIdGuid: sdk.accountId, accountName: "Test" });
    const { users } = await call("UsersApi", "list", {});
    expect(users).toMatchObject([{ userStatus: "Active", email: expect.stringContaining("@") }]);
    await call("UsersApi", "getInformation", users[0].userId, {});
    expect((await call("AccountsApi", "listBrands", {})).brands).toEqual([]);
    expect((await call("GroupsApi", "listGroups", {})).groups).toEqual([]);
    const { permissionProfiles } = await call("AccountsApi", "listPermissions", {});
    expect(permissionProfiles.map(({ permissionProfileName: name }: Untyped) => name)).toEqual([
      ...["Owner", "Developer", "Viewer"],
    ]);
  });

  describe("as the sample programs use it", () => {
    let stage: Stage;

    beforeAll(async () => {
      const { organization } = await system.admin.createOrganization({
        ...{ name: "Samples", plan: Plan.GEN_PRO, sandbox: true },
      });
      const organizationId = organization?.id ?? "";
      const { apiKey } = await system.admin.createApiKey({ organizationId, name: "samples" });
      const samples = integrate(proxy, new Api(owner.baseUrl, apiKey, organizationId));
      stage = {
        call: (className, method, ...parameters) => samples.call(className, method, organizationId, ...parameters),
        post: async (path, body, headers) => {
          const address = `${owner.baseUrl}/restapi/v2.1/accounts/${organizationId}${path}`;
          const authorization = `Bearer ${apiKey}`;
          const answer = await fetch(address, { method: "POST", body, headers: { ...headers, authorization } });
          expect([answer.status, path]).toEqual([201, path]);
        },
        ...{ pdf, plan, offer, kept: new Map<string, string>() },
      };
    });

    test("are all on the page about migrating", () => {
      const numbers = promisedResults().map(({ number }) => number);
      expect(numbers).toEqual(Array.from({ length: 46 }, (_one, index) => `${index + 1}`.padStart(3, "0")));
      expect(numbers).toEqual(Object.keys(programs).sort());
    });

    const run = promisedResults().filter(({ result }) => isPrinted || !result.startsWith("works; needs LibreOffice"));
    test.each(run)("$number $name: $result", async ({ number, result }) => {
      expect(await resultOf(number, result, stage)).toBe(result);
    });
  });
});
