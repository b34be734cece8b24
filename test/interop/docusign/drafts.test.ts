import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Api } from "../../support/api.ts";
import { type System, startSystem } from "../../support/system.ts";
import { base64, pdfInfo, pdfWith } from "./support/documents.ts";
import { type Integration, integrate, refusalOf, type Untyped } from "./support/sdk.ts";
import { startTlsProxy, type TlsProxy } from "./support/tls-proxy.ts";

describe("the official SDK with drafts", () => {
  let system: System;
  let owner: Api;
  let proxy: TlsProxy;
  let sdk: Integration;
  let pdf: Buffer;
  let envelopeId: string;

  beforeAll(async () => {
    system = await startSystem("single process");
    owner = await system.newOrganization();
    proxy = await startTlsProxy(owner.baseUrl);
    sdk = integrate(proxy, owner);
    pdf = await pdfWith("Agreed: /sn1/");
  });
  afterAll(async () => {
    await proxy?.stop();
    await system?.stop();
  });
  beforeEach(async () => {
    const envelopeDefinition = {
      emailSubject: "A draft",
      status: "created",
      documents: [{ documentId: 1, name: "NDA.pdf", fileExtension: "pdf", documentBase64: base64(pdf) }],
      recipients: { signers: [{ recipientId: 1, routingOrder: 1, email: "ann@example.com", name: "Ann Example" }] },
    };
    envelopeId = (await call("createEnvelope", { envelopeDefinition })).envelopeId;
  });

  const call = (method: string, ...parameters: unknown[]): Promise<Untyped> =>
    sdk.call("EnvelopesApi", method, sdk.accountId, ...parameters);
  const refusedTo = async (method: string, ...parameters: unknown[]) => {
    const { status, body } = await refusalOf(call(method, ...parameters));
    return [status, body.errorCode];
  };
  /** Without the SDK, for what it cannot say. */
  const raw = async (method: string, path: string, body: Buffer | string, headers: Record<string, string> = {}) => {
    const url = `${owner.baseUrl}/restapi/v2.1/accounts/${sdk.accountId}${path}`;
    const sent = { authorization: `Bearer ${owner.token}`, ...headers };
    const response = await fetch(url, { method, headers: sent, body: new Uint8Array(Buffer.from(body)) });
    return { status: response.status, body: (await response.json()) as Untyped };
  };

  test("are made of nothing at all, changed, completed and sent", async () => {
    const { envelopeId: empty, status } = await call("createEnvelope", { envelopeDefinition: {} });
    expect(status).toBe("created");
    expect(await refusedTo("update", empty, { envelope: { status: "sent" } })).toEqual([400, "DOCUMENTS_REQUIRED"]);
    await call("update", empty, { envelope: { emailSubject: "Now with a subject", emailBlurb: "Please." } });
    await call("updateDocuments", empty, {
      envelopeDefinition: { documents: [{ documentId: "1", name: "A.pdf", documentBase64: base64(pdf) }] },
    });
    expect(await refusedTo("update", empty, { envelope: { status: "sent" } })).toEqual([400, "RECIPIENTS_REQUIRED"]);
    const signers = [{ recipientId: "1", email: "ann@example.com", name: "Ann" }];
    await call("createRecipient", empty, { recipients: { signers } });
    expect(sdk.last().status).toBe(201);
    await call("update", empty, { envelope: { status: "Sent" } });
    const sent = await call("getEnvelope", empty, null);
    expect(sent).toMatchObject({ status: "sent", emailSubject: "Now with a subject", emailBlurb: "Please." });
  });

  test("take recipients, change them and give them up", async () => {
    const signers = [{ recipientId: 2, routingOrder: 2, email: "bob@example.com", name: "Bob", clientUserId: 7 }];
    const carbonCopies = [{ recipientId: "3", email: "ann@example.com", name: "Ann's copy" }];
    const added = await call("createRecipient", envelopeId, { recipients: { signers, carbonCopies } });
    expect([added.signers.length, added.carbonCopies.length]).toEqual([1, 1]);
    const changed = await call("updateRecipients", envelopeId, {
      recipients: { signers: [{ recipientId: "2", name: "Bobby" }] },
    });
    expect(changed.recipientUpdateResults).toMatchObject([
      { recipientId: "2", errorDetails: { errorCode: "SUCCESS" } },
    ]);
    const left = await call("deleteRecipient", envelopeId, "3");
    expect(left.carbonCopies).toEqual([]);
    expect(left.signers.map(({ name }: Untyped) => name)).toEqual(["Ann Example", "Bobby"]);
    const one = await call("deleteRecipients", envelopeId, { recipients: { signers: [{ recipientId: "2" }] } });
    expect(one.recipientCount).toBe("1");
    expect(await refusedTo("deleteRecipient", envelopeId, "9")).toEqual([404, "RECIPIENT_NOT_FOUND"]);
  });

  test("have tabs of every kind, which come back as they were given", async () => {
    const at = (xPosition: number, yPosition: number) => ({ documentId: "1", pageNumber: "1", xPosition, yPosition });
    const tabs = {
      signHereTabs: [{ anchorString: "/sn1/", anchorUnits: "pixels", anchorXOffset: "20", anchorYOffset: "10" }],
      initialHereTabs: [{ ...at(10, 20), scaleValue: 0.8 }],
      dateSignedTabs: [at(10, 40)],
      fullNameTabs: [at(10, 60)],
      emailTabs: [at(10, 80)],
      companyTabs: [at(10, 100)],
      titleTabs: [at(10, 120)],
      textTabs: [
        { ...at(153, 230), tabLabel: "po", value: "$100", required: "false", locked: true, bold: "true" },
        { ...at(153, 260), tabLabel: "sized", font: "helvetica", fontSize: "size14", height: 23, width: 84 },
      ],
      numericalTabs: [{ ...at(153, 280), tabLabel: "total", numericalValue: "12", validationType: "Currency" }],
      checkboxTabs: [{ ...at(75, 417), tabLabel: "ckAgreement", selected: true }],
      radioGroupTabs: [
        {
          documentId: "1",
          groupName: "radio1",
          radios: [
            { pageNumber: "1", value: "white", xPosition: "142", yPosition: "384", selected: "true" },
            { pageNumber: "1", value: "red", xPosition: "74", yPosition: "384", selected: "false" },
          ],
        },
      ],
      listTabs: [
        {
          ...at(142, 291),
          tabLabel: "list",
          font: "helvetica",
          required: "false",
          listItems: [
            { text: "Red", value: "red" },
            { text: "Orange", value: "orange", selected: "true" },
          ],
        },
      ],
    };
    const added = await call("createTabs", envelopeId, "1", { tabs });
    expect(sdk.last().status).toBe(201);
    const listed = await call("listTabs", envelopeId, "1", null);
    for (const [kind, given] of Object.entries(tabs))
      expect([kind, listed[kind]?.length]).toEqual([kind, given.length]);
    expect(listed.textTabs).toMatchObject([
      { tabLabel: "po", value: "$100", required: "false", locked: "true", bold: "true", xPosition: "153" },
      { tabLabel: "sized", font: "helvetica", fontSize: "size14", height: "23", width: "84" },
    ]);
    expect(listed.radioGroupTabs[0].radios.map(({ selected }: Untyped) => selected)).toEqual(["true", "false"]);
    expect(listed.listTabs[0]).toMatchObject({ value: "orange", listItems: [{}, { selected: "true" }] });
    const [text] = added.textTabs;
    await call("updateTabs", envelopeId, "1", { tabs: { textTabs: [{ tabId: text.tabId, value: "$200" }] } });
    const { textTabs } = await call("listTabs", envelopeId, "1", null);
    expect(textTabs[0]).toMatchObject({ value: "$200", tabLabel: "po", xPosition: "153" });
    await call("deleteTabs", envelopeId, "1", { tabs: { textTabs: [{ tabId: text.tabId }] } });
    expect((await call("listTabs", envelopeId, "1", null)).textTabs).toHaveLength(1);
    await call("update", envelopeId, { envelope: { status: "sent" } });
    const sent = (await call("listTabs", envelopeId, "1", null)).signHereTabs;
    expect(sent).toMatchObject([{ documentId: "1", pageNumber: "1", xPosition: expect.stringMatching(/^\d+$/) }]);
  });

  test("take documents in a definition, as bytes and as multipart, and give them up", async () => {
    const documents = [{ documentId: "2", name: "B.html", fileExtension: "html", documentBase64: base64("<p>B</p>") }];
    await call("updateDocuments", envelopeId, { envelopeDefinition: { documents } });
    const bytes = await pdfWith("one", "two");
    const headers = { "content-type": "application/pdf", "content-disposition": 'filename="C.pdf"' };
    const put = await raw("PUT", `/envelopes/${envelopeId}/documents/3`, bytes, headers);
    expect([put.status, put.body]).toMatchObject([200, { documentId: "3", name: "C.pdf" }]);
    const posted = await raw(
      "POST",
      `/envelopes/${envelopeId}/documents/`,
      JSON.stringify({ documentId: "4", name: "D.txt", documentBase64: base64("D") }),
      { "content-type": "application/json" },
    );
    expect([posted.status, posted.body.envelopeDocuments.length]).toEqual([201, 1]);
    expect(pdfInfo(await call("getDocument", envelopeId, "combined", null)).pages).toBe(5);
    await call("deleteDocuments", envelopeId, { envelopeDefinition: { documents: [{ documentId: "2" }] } });
    const { envelopeDocuments } = await call("listDocuments", envelopeId, null);
    expect(envelopeDocuments.map(({ documentId }: Untyped) => documentId)).toEqual(["1", "3", "4", "certificate"]);
  });

  test("are sent as the example of binary transfer sends them", async () => {
    const hyphens = "--";
    const boundary = "multipartboundary_multipartboundary";
    const definition = {
      emailSubject: "Please sign this document set",
      status: "sent",
      documents: [
        { name: "Order acknowledgement", fileExtension: "html", documentId: "1" },
        { name: "Lorem Ipsum", fileExtension: "pdf", documentId: "3" },
      ],
      recipients: {
        signers: [
          {
            email: "ann@example.com",
            name: "Ann Example",
            recipientId: "1",
            routingOrder: "1",
            tabs: { signHereTabs: [{ anchorString: "/sn1/", anchorUnits: "pixels" }] },
          },
        ],
        carbonCopies: [{ email: "cara@example.com", name: "Cara", routingOrder: "2", recipientId: "2" }],
      },
    };
    const part = (type: string, name: string, id: string, content: Buffer | string) =>
      Buffer.concat([
        Buffer.from(`\r\n${hyphens}${boundary}\r\nContent-Type: ${type}\r\n`),
        Buffer.from(`Content-Disposition: file; filename="${name}";documentid=${id}\r\n\r\n`),
        Buffer.from(content),
      ]);
    const body = Buffer.concat([
      Buffer.from(
        `\r\n${hyphens}${boundary}\r\nContent-Type: application/json\r\nContent-Disposition: form-data\r\n\r\n`,
      ),
      Buffer.from(JSON.stringify(definition, null, "    ")),
      part("text/html", "Order acknowledgement", "1", "<p>Hello</p>"),
      part("application/pdf", "Lorem Ipsum", "3", pdf),
      Buffer.from(`\r\n${hyphens}${boundary}${hyphens}\r\n`),
    ]);
    const headers = { "content-type": `multipart/form-data; boundary=${boundary}`, accept: "application/json" };
    const sent = await raw("POST", "/envelopes", body, headers);
    expect(sent).toMatchObject({ status: 201, body: { status: "sent" } });
    const { envelopeDocuments } = await call("listDocuments", sent.body.envelopeId, null);
    expect(envelopeDocuments.map(({ name }: Untyped) => name)).toEqual([
      "Order acknowledgement",
      "Lorem Ipsum",
      "Summary",
    ]);
  });

  test("carry fields of the integration, reminders and an expiry", async () => {
    const customFields = {
      textCustomFields: [{ name: "orderId", value: 42, required: "false", show: true }],
      listCustomFields: [{ name: "color", value: "red", listItems: ["red", "blue"], show: "false" }],
    };
    const added = await call("createCustomFields", envelopeId, { customFields });
    expect([sdk.last().status, added.textCustomFields[0].value]).toEqual([201, "42"]);
    const { fieldId } = added.textCustomFields[0];
    await call("updateCustomFields", envelopeId, { customFields: { textCustomFields: [{ fieldId, value: "43" }] } });
    const listed = await sdk.call("EnvelopesApi", "listCustomFields", sdk.accountId, envelopeId);
    expect([listed.textCustomFields[0].value, listed.listCustomFields[0].listItems]).toEqual(["43", ["red", "blue"]]);
    const found = await call("listStatusChanges", { customField: "orderId=43", fromDate: "2020-01-01" });
    expect(found.envelopes.map((one: Untyped) => one.envelopeId)).toEqual([envelopeId]);
    await call("deleteCustomFields", envelopeId, { customFields: { textCustomFields: [{ fieldId }] } });
    const notification = {
      useAccountDefaults: "false",
      reminders: { reminderEnabled: "true", reminderDelay: "2", reminderFrequency: "3" },
      expirations: { expireEnabled: "true", expireAfter: "30", expireWarn: "2" },
    };
    await call("updateNotificationSettings", envelopeId, { envelopeNotificationRequest: notification });
    expect(await call("getNotificationSettings", envelopeId)).toMatchObject(notification);
  });

  test("are shown in views for senders, and a console leads to them", async () => {
    const returnUrl = "https://app.example.com/ds-return";
    const settings = { startingScreen: "prepare", sendButtonAction: "send" };
    const envelopeViewRequest = { returnUrl, viewAccess: "envelope", settings };
    for (const method of ["createSenderView", "createEditView"]) {
      const { url } = await call(method, envelopeId, { envelopeViewRequest });
      expect([method, sdk.last().status, new URL(url).pathname.split("/")[1]]).toEqual([method, 201, "signing"]);
    }
    await call("createConsoleView", { consoleViewRequest: { returnUrl, envelopeId } });
    await call("createConsoleView", {});
    await call("update", envelopeId, { envelope: { status: "sent" } });
    await call("createCorrectView", envelopeId, { envelopeViewRequest: { returnUrl } });
    const sender = await refusedTo("createSenderView", envelopeId, { envelopeViewRequest });
    expect(sender).toEqual([400, "INVALID_ENVELOPE_STATUS"]);
  });

  test("are refused with what would be lost without a word", async () => {
    const signer = { recipientId: "1", email: "ann@example.com", name: "Ann" };
    const refused: readonly (readonly [string, object])[] = [
      ["addAccessCodeToEmail", { recipients: { signers: [{ ...signer, addAccessCodeToEmail: "true" }] } }],
      [
        "phoneAuthentication",
        { recipients: { signers: [{ ...signer, phoneAuthentication: { recipMayProvideNumber: "true" } }] } },
      ],
      ["formulaTabs", { recipients: { signers: [{ ...signer, tabs: { formulaTabs: [{ formula: "[a]+[b]" }] } }] } }],
      ["witnesses", { recipients: { witnesses: [signer] } }],
      ["workflow", { workflow: { workflowSteps: [{ action: "pause_before" }] } }],
      ["eventNotification.url", { eventNotification: { url: "https://me:secret@hooks.example.com/" } }],
    ];
    for (const [name, envelopeDefinition] of refused) {
      const { status, body } = await refusalOf(call("createEnvelope", { envelopeDefinition }));
      expect([name, status, body.errorCode]).toEqual([name, 400, "VALIDATION_FAILED"]);
      expect(body.message).toContain(name);
    }
    const ignored = {
      authoritativeCopy: "false",
      recipients: { signers: [{ ...signer, accessCode: "", witnesses: [] }] },
    };
    await call("createEnvelope", { envelopeDefinition: { ...ignored, somethingNew: { a: 1 } } });
  });
});
