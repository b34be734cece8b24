import { createHash, generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { unzipSync } from "fflate";
import { PDFDocument, PDFHexString, PDFName } from "pdf-lib";
import { onePixel } from "#api/kinds.ts";
import { until } from "#platform/testing/until.ts";
import { findOffice } from "../../../services/convert/office.ts";
import { paragraph, word } from "../../../services/convert/test/hostile-files.ts";
import { p, picture, table, wordFile } from "../../../services/docgen/word/test/word-files.ts";
import { findTexts } from "../../../services/sign/intake/find-texts.ts";
import type { Api } from "../../support/api.ts";
import { signEverything } from "../../support/signing-people.ts";
import { describeInBothModes, type System, startSystem } from "../../support/system.ts";
import { base64, orderHtml, pdfInfo, pdfWith, termsText } from "./support/documents.ts";
import { docusign, type Integration, integrate, refusalOf, type Untyped } from "./support/sdk.ts";
import { startTlsProxy, type TlsProxy } from "./support/tls-proxy.ts";

const envelopes = "EnvelopesApi";
const guid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** As the example "signing via email" makes it, with plain text in place of a Word document. */
async function orderDefinition(): Promise<Untyped> {
  const definition = new docusign.EnvelopeDefinition();
  definition.emailSubject = "Please sign this document set";
  const document = (name: string, fileExtension: string, documentId: string, content: string | Buffer) =>
    docusign.Document.constructFromObject({ name, fileExtension, documentId, documentBase64: base64(content) });
  definition.documents = [
    document("Order acknowledgement", "html", "1", orderHtml),
    document("Terms of delivery", "txt", "2", termsText),
    document("Lorem Ipsum", "pdf", "3", await pdfWith("Lorem ipsum /sn1/", "dolor")),
  ];
  const signHere = (anchorString: string) =>
    docusign.SignHere.constructFromObject({
      anchorString,
      anchorYOffset: "10",
      anchorUnits: "pixels",
      anchorXOffset: "20",
    });
  const signer = docusign.Signer.constructFromObject({
    email: "ann@example.com",
    name: "Ann Example",
    recipientId: "1",
    routingOrder: "1",
    clientUserId: 1000,
    tabs: docusign.Tabs.constructFromObject({ signHereTabs: [signHere("**signature_1**"), signHere("/sn1/")] }),
  });
  const copy = new docusign.CarbonCopy();
  Object.assign(copy, { email: "cara@example.com", name: "Cara Example", routingOrder: "2", recipientId: "2" });
  definition.recipients = docusign.Recipients.constructFromObject({ signers: [signer], carbonCopies: [copy] });
  definition.status = "sent";
  return definition;
}

/** Where LibreOffice is; CI has it. */
const office = findOffice(process.env.PATH ?? "") ?? "";
const testWithOffice = office === "" && process.env.CI !== "true" ? test.skip : test;
if (office === "") process.stderr.write("LibreOffice is not there: no Word file is sent\n");

/** As the sample programs do it: a Word document, and an anchor in its text. */
function wordDefinition(): Untyped {
  const definition = new docusign.EnvelopeDefinition();
  const file = word([paragraph("World Wide Corp: Battle Plan"), paragraph("Agreed: **signature_1**")].join(""));
  const name = "World_Wide_Corp_Battle_Plan_Trafalgar.docx";
  const document = { name, fileExtension: "docx", documentId: "1", documentBase64: base64(file) };
  definition.documents = [docusign.Document.constructFromObject(document)];
  const anchor = { anchorString: "**signature_1**", anchorYOffset: "10", anchorUnits: "pixels", anchorXOffset: "20" };
  const signer = docusign.Signer.constructFromObject({
    ...{ email: "ann@example.com", name: "Ann Example", recipientId: "1", clientUserId: 1000 },
    tabs: docusign.Tabs.constructFromObject({ signHereTabs: [docusign.SignHere.constructFromObject(anchor)] }),
  });
  definition.recipients = docusign.Recipients.constructFromObject({ signers: [signer] });
  Object.assign(definition, { emailSubject: "Please sign the plan", status: "sent" });
  return definition;
}

/** A form as people fill it in: everything that a field can be. */
async function formPdf(): Promise<Buffer> {
  const document = await PDFDocument.create();
  const page = document.addPage([600, 800]);
  const form = document.getForm();
  const place = (line: number) => ({ x: 100, y: 700 - line * 40, width: 200, height: 20, borderWidth: 2 });
  const text = (name: string, line: number, value = "") => {
    const field = form.createTextField(name);
    if (value !== "") field.setText(value);
    field.addToPage(page, place(line));
    return field;
  };
  text("name", 0, "Ada Lovelace").enableRequired();
  const city = text("city", 1);
  city.enableRequired();
  city.setMaxLength(30);
  text("number", 2, "4711").enableReadOnly();
  const box = form.createCheckBox("agree");
  box.addToPage(page, { x: 100, y: 580, width: 12, height: 12 });
  box.check();
  const pay = form.createRadioGroup("pay");
  for (const [index, option] of ["cash", "card"].entries()) {
    pay.addOptionToPage(option, page, { x: 100 + index * 40, y: 540, width: 12, height: 12 });
  }
  pay.select("card");
  const country = form.createDropdown("country");
  country.acroField.setOptions([
    { value: PDFHexString.fromText("DE"), display: PDFHexString.fromText("Germany") },
    { value: PDFHexString.fromText("FR"), display: PDFHexString.fromText("France") },
  ]);
  country.addToPage(page, place(5));
  country.acroField.dict.set(PDFName.of("V"), PDFHexString.fromText("DE"));
  text("eSignSignHere", 6);
  text("DocuSignInitialHere1", 7);
  return Buffer.from(await document.save({ updateFieldAppearances: false }));
}

/** As programs send forms: the fields are to become tabs of the signer, and one tab says more of its field. */
function formDefinition(form: Buffer): Untyped {
  const definition = new docusign.EnvelopeDefinition();
  const document = { name: "Form", fileExtension: "pdf", documentId: "1", documentBase64: base64(form) };
  const fields = { transformPdfFields: "true", assignTabsToRecipientId: "1" };
  definition.documents = [docusign.Document.constructFromObject({ ...document, ...fields })];
  const initials = docusign.InitialHere.constructFromObject({ tabLabel: "DocuSignInitialHere1", optional: "true" });
  const signer = docusign.Signer.constructFromObject({
    ...{ email: "ann@example.com", name: "Ann Example", recipientId: "1", clientUserId: 1000 },
    tabs: docusign.Tabs.constructFromObject({ initialHereTabs: [initials] }),
  });
  definition.recipients = docusign.Recipients.constructFromObject({ signers: [signer] });
  Object.assign(definition, { emailSubject: "Please fill in the form", status: "sent" });
  return definition;
}

const viewRequest = (changes: object = {}): Untyped =>
  Object.assign(new docusign.RecipientViewRequest(), {
    returnUrl: "https://app.example.com/ds-return?state=123",
    authenticationMethod: "none",
    email: "ann@example.com",
    userName: "Ann Example",
    clientUserId: 1000,
    pingFrequency: 600,
    pingUrl: "https://app.example.com/ping",
    ...changes,
  });

describeInBothModes("the official SDK with envelopes", (mode) => {
  let system: System;
  let owner: Api;
  let proxy: TlsProxy;
  let sdk: Integration;
  let envelopeId: string;

  beforeAll(async () => {
    system = await startSystem(mode, { environment: { OFFICE_PROGRAM: office } });
    owner = await system.newOrganization();
    proxy = await startTlsProxy(owner.baseUrl);
    sdk = integrate(proxy, owner);
  });
  afterAll(async () => {
    await proxy?.stop();
    await system?.stop();
  });

  const call = (method: string, ...parameters: unknown[]): Promise<Untyped> =>
    sdk.call(envelopes, method, sdk.accountId, ...parameters);

  test("learns its account from the user information", async () => {
    const user = await sdk.client.getUserInfo(owner.token);
    expect(user.accounts).toMatchObject([{ accountId: sdk.accountId, isDefault: "true" }]);
    const [{ baseUri }] = user.accounts;
    expect(new URL(baseUri).origin).toBe(baseUri);
  });

  test("gets a token for an assertion that it signs with its key", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("rsa", {
      modulusLength: 2048,
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    const { organizationId } = owner;
    const { client } = await system.admin.createOAuthClient({
      organizationId,
      name: "Integration",
      scopes: ["sign:read", "sign:write", "sign:send", "sign:admin"],
    });
    const clientId = client?.id ?? "";
    await system.admin.addOAuthClientKey({ organizationId, clientId, publicKeyPem: publicKey });
    const fresh = new docusign.ApiClient();
    fresh.setOAuthBasePath(proxy.host);
    const scopes = ["signature", "impersonation"];
    const granted = await fresh.requestJWTUserToken(clientId, organizationId, scopes, Buffer.from(privateKey), 3600);
    expect(granted.body).toMatchObject({ token_type: "Bearer", expires_in: 3600 });
    const user = await fresh.getUserInfo(granted.body.access_token);
    expect(user.accounts[0].accountId).toBe(organizationId);
  });

  test("sends an envelope of HTML, text and PDF with anchored tabs", async () => {
    const summary = await call("createEnvelope", { envelopeDefinition: await orderDefinition() });
    expect(sdk.last().status).toBe(201);
    expect(summary).toMatchObject({ status: "sent", envelopeId: expect.stringMatching(guid) });
    expect(summary.uri).toBe(`/envelopes/${summary.envelopeId}`);
    expect(sdk.last().headers).toMatchObject({
      "x-docusign-tracetoken": sdk.last().headers["x-request-id"],
      "x-ratelimit-remaining": expect.stringMatching(/^\d+$/),
      "x-ratelimit-reset": expect.stringMatching(/^\d{10}$/),
    });
    envelopeId = summary.envelopeId;
  });

  test("reads the envelope, with everything that include can ask for", async () => {
    const plain = await call("getEnvelope", envelopeId, null);
    expect(plain).toMatchObject({ envelopeId, status: "sent", emailSubject: "Please sign this document set" });
    expect(JSON.parse(sdk.last().text)).not.toHaveProperty("completedDateTime");
    const include = "custom_fields,documents,attachments,extensions,folders,recipients,powerform,tabs";
    const whole = await call("getEnvelope", envelopeId, { include });
    expect(whole.envelopeDocuments.map((one: Untyped) => one.type)).toEqual([
      "content",
      "content",
      "content",
      "summary",
    ]);
    expect(whole.recipients.signers[0].tabs.signHereTabs).toHaveLength(3);
  });

  test("lists the recipients, with the places that their anchors were found at", async () => {
    const recipients = await call("listRecipients", envelopeId, { includeTabs: "true" });
    const raw = JSON.parse(sdk.last().text);
    const kinds = ["agents", "editors", "intermediaries", "certifiedDeliveries", "inPersonSigners", "seals"];
    for (const kind of [...kinds, "witnesses", "notaries"]) expect([kind, raw[kind]]).toEqual([kind, []]);
    expect(recipients).toMatchObject({ recipientCount: "2", currentRoutingOrder: "1" });
    const [signer] = recipients.signers;
    expect(signer).toMatchObject({ recipientId: "1", clientUserId: "1000", status: "sent", routingOrder: "1" });
    const places = signer.tabs.signHereTabs.map((tab: Untyped) => [tab.documentId, tab.anchorString, tab.pageNumber]);
    expect(places.sort()).toEqual([
      ["1", "**signature_1**", "1"],
      ["2", "/sn1/", "1"],
      ["3", "/sn1/", "1"],
    ]);
  });

  test("lists the documents and downloads them in every form", async () => {
    const { envelopeDocuments } = await call("listDocuments", envelopeId, null);
    const ids = envelopeDocuments.map(({ documentId }: Untyped) => documentId);
    expect(ids).toEqual(["1", "2", "3", "certificate"]);
    const pagesOf = async (documentId: string, options: object | null = null): Promise<number> =>
      pdfInfo(await call("getDocument", envelopeId, documentId, options)).pages;
    const pages = [await pagesOf("1"), await pagesOf("2"), await pagesOf("3")];
    expect(pages).toEqual([1, 1, 2]);
    expect(sdk.last().headers["content-disposition"]).toMatch(/^file; filename="Lorem Ipsum\.pdf"; documentid="3"$/);
    expect(await pagesOf("combined")).toBe(4);
    const ofCertificate = await pagesOf("certificate");
    expect(await pagesOf("combined", { certificate: "true" })).toBe(4 + ofCertificate);
    const zip = await call("getDocument", envelopeId, "archive", null);
    expect(sdk.last().headers["content-type"]).toBe("application/zip");
    expect(Object.values(unzipSync(zip)).map((file) => pdfInfo(file).pages)).toEqual([...pages, ofCertificate]);
    const unknown = await refusalOf(call("getDocument", envelopeId, "9", null));
    expect(unknown.status).toBe(404);
    expect(JSON.parse(sdk.last().text).errorCode).toBe("DOCUMENT_NOT_FOUND");
  });

  test("finds the envelope in lists, by time, state, ids, subject and page", async () => {
    const fromDate = new Date(Date.now() - 10 * 24 * 3_600_000);
    const byTime = await call("listStatusChanges", { fromDate });
    expect(byTime).toMatchObject({ resultSetSize: "1", startPosition: "0", endPosition: "0", totalSetSize: "1" });
    const counted = async (options: object): Promise<string> =>
      (await call("listStatusChanges", options)).resultSetSize;
    const from_date = "2020-01-01";
    expect(await counted({ fromDate: from_date, status: "sent,Completed", count: "10" })).toBe("1");
    expect(await counted({ fromDate: from_date, status: "declined" })).toBe("0");
    expect(await counted({ envelopeIds: envelopeId.toUpperCase() })).toBe("1");
    expect(await counted({ fromDate: "10/21/2020", searchText: "document SET", include: "recipients" })).toBe("1");
    expect(await counted({ fromDate: from_date, startPosition: "1" })).toBe("0");
    const { envelopes: found } = await call("listStatus", {
      envelopeIdsRequest: { envelopeIds: [envelopeId] },
      envelopeIds: "request_body",
    });
    expect(found).toMatchObject([{ envelopeId }]);
  });

  test("asks for links to sign, and is told why it gets none", async () => {
    const link = await call("createRecipientView", envelopeId, { recipientViewRequest: viewRequest() });
    expect([sdk.last().status, link.url]).toEqual([201, expect.stringMatching(/^https?:\/\/.+\/signing\/[\w-]{64}$/)]);
    const refused = async (changes: object) => {
      const request = { recipientViewRequest: viewRequest(changes) };
      const { status, body } = await refusalOf(call("createRecipientView", envelopeId, request));
      expect(JSON.stringify(body)).toContain(JSON.parse(sdk.last().text).requestId);
      return [status, body.errorCode, body.message.split(":")[0]];
    };
    expect(await refused({ clientUserId: "1001" })).toEqual([404, "RECIPIENT_NOT_FOUND", "UNKNOWN_ENVELOPE_RECIPIENT"]);
    expect(await refused({ returnUrl: "http://app.example.com/" })).toEqual([
      400,
      "INVALID_RETURN_URL",
      "INVALID_REQUEST_PARAMETER",
    ]);
  });

  test("reads the audit trail and the data of the forms", async () => {
    const { auditEvents } = await call("listAuditEvents", envelopeId, null);
    const said = auditEvents.map(({ eventFields }: Untyped) =>
      Object.fromEntries(eventFields.map(({ name, value }: Untyped) => [name, value])),
    );
    expect(said.map(({ Action }: Untyped) => Action).slice(0, 2)).toEqual(["Registered", "Sent"]);
    const names = ["logTime", "Source", "UserName", "UserId", "Action", "Message", "EnvelopeStatus", "ClientIPAddress"];
    for (const name of [...names, "Information", "InformationLocalized", "GeoLocation", "Language"]) {
      expect(said[0]).toHaveProperty(name);
    }
    const data = await call("getFormData", envelopeId);
    expect(data).toMatchObject({ envelopeId, status: "sent", formData: [] });
    expect(data.recipientFormData.map(({ email }: Untyped) => email)).toEqual(["ann@example.com", "cara@example.com"]);
  });

  test("asks again with resend_envelope, which is no second sending", async () => {
    expect(await call("update", envelopeId, { resendEnvelope: "true" })).toMatchObject({ envelopeId });
    const again = await refusalOf(call("update", envelopeId, { envelope: { status: "sent" } }));
    expect([again.status, again.body.errorCode]).toEqual([409, "ENVELOPE_ALREADY_SENT"]);
  });

  test("voids an envelope once, with a reason", async () => {
    const { envelopeId: other } = await call("createEnvelope", { envelopeDefinition: await orderDefinition() });
    const envelope = { status: "voided", voidedReason: "The order was cancelled." };
    const unreasoned = await refusalOf(call("update", other, { envelope: { status: "voided" } }));
    expect(unreasoned.body.message).toMatch(/^INVALID_REQUEST_PARAMETER: .*voidedReason/);
    await call("update", other, { envelope });
    expect(await call("getEnvelope", other, null)).toMatchObject(envelope);
    const again = await refusalOf(call("update", other, { envelope }));
    expect([again.status, again.body.errorCode]).toEqual([400, "INVALID_ENVELOPE_STATUS"]);
    expect(again.body.message).toMatch(/^ENVELOPE_CANNOT_VOID_INVALID_STATE: /);
    await purgeVoided(other);
  });

  async function purgeVoided(id: string): Promise<void> {
    const queue = (envelope: Untyped) => call("update", id, { envelope });
    const read: Untyped = await call("getEnvelope", id, null);
    expect(read.purgeState).toBe("unpurged");
    const early = await refusalOf(call("update", envelopeId, { envelope: { purgeState: "documents_queued" } }));
    expect(early.body.message).toMatch(/^ENVELOPE_INVALID_STATUS: /);
    await queue(docusign.Envelope.constructFromObject({ purgeState: "documents_and_metadata_queued" }));
    const queued: Untyped = await call("getEnvelope", id, null);
    expect(queued).toMatchObject({ purgeState: "documents_and_metadata_queued", status: "voided" });
    expect(Date.parse(queued.purgeRequestDate)).toBeLessThanOrEqual(Date.now());
    await queue({ purgeState: "documents_dequeued" });
    expect((await call("getEnvelope", id, null)).purgeState).toBe("documents_dequeued");
    const unknown = await refusalOf(queue({ purgeState: "documents_purged" }));
    expect(unknown.body.message).toMatch(/^INVALID_REQUEST_PARAMETER: .*'documents_queued' or /);
  }

  // The page that people sign on is reached through the service itself, which only a single process lets us do.
  if (mode === "single process") {
    test("makes tabs of the fields of a PDF, and gets them signed and sealed in their places", async () => {
      const form = await formPdf();
      const { envelopeId: formId } = await call("createEnvelope", { envelopeDefinition: formDefinition(form) });
      const tabs = await call("listTabs", formId, "1", null);
      expect(tabs.textTabs).toMatchObject([
        {
          tabLabel: "name",
          value: "Ada Lovelace",
          required: "true",
          locked: "false",
          xPosition: "99",
          yPosition: "79",
        },
        { tabLabel: "city", value: "", required: "true", maxLength: "30", pageNumber: "1", documentId: "1" },
        { tabLabel: "number", value: "4711", locked: "true" },
      ]);
      expect(tabs.checkboxTabs).toMatchObject([{ tabLabel: "agree", selected: "true" }]);
      expect(tabs.radioGroupTabs).toMatchObject([
        { groupName: "pay", radios: [{}, { value: "card", selected: "true" }] },
      ]);
      expect(tabs.listTabs).toMatchObject([{ tabLabel: "country", value: "DE" }]);
      expect(tabs.signHereTabs).toMatchObject([{ tabLabel: "eSignSignHere" }]);
      expect(tabs.initialHereTabs).toMatchObject([{ tabLabel: "DocuSignInitialHere1", optional: "true" }]);
      const { url } = await call("createRecipientView", formId, { recipientViewRequest: viewRequest() });
      await signEverything(system, url);
      await until(async () => (await call("getEnvelope", formId, null)).status === "completed");
      const sealed = Buffer.from(await call("getDocument", formId, "1", null), "latin1");
      expect(
        (await PDFDocument.load(sealed))
          .getForm()
          .getFields()
          .map((field) => field.getName()),
      ).toEqual(["Seal1"]);
      const texts = ["Ada Lovelace", "Berlin", "4711", "Germany"];
      const found = await findTexts(
        sealed,
        texts.map((text) => ({ text, caseSensitive: true, wholeWord: false })),
      );
      expect(found.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
    });

    test("sees how the envelope moves on when the person has signed", async () => {
      const { url } = await call("createRecipientView", envelopeId, { recipientViewRequest: viewRequest() });
      expect(await signEverything(system, url)).toBe(
        "https://app.example.com/ds-return?state=123&event=signing_complete",
      );
      const { signers } = await call("listRecipients", envelopeId, null);
      expect(signers).toMatchObject([{ status: "completed", signedDateTime: expect.any(String) }]);
      expect(["signed", "completed"]).toContain((await call("getEnvelope", envelopeId, null)).status);
    });
  }

  test("sends a file in parts, and names it by its address", async () => {
    const file = await pdfWith("A long contract");
    const half = Math.ceil(file.length / 2);
    const part = (from: number, to?: number) => ({ chunkedUploadRequest: { data: base64(file.subarray(from, to)) } });
    const begun = await call("createChunkedUpload", part(0, half));
    expect(begun).toMatchObject({ committed: "false", totalSize: String(half), maxTotalSize: "26214400" });
    const { chunkedUploadId, chunkedUploadUri } = begun;
    await call("updateChunkedUploadPart", chunkedUploadId, "1", part(half));
    const committed = await call("updateChunkedUpload", chunkedUploadId, { action: "commit" });
    const checksum = createHash("sha256").update(file).digest("hex");
    expect(committed).toMatchObject({ committed: "true", checksum, totalSize: String(file.length) });
    expect((await call("getChunkedUpload", chunkedUploadId, null)).chunkedUploadParts).toMatchObject([
      { sequence: "0" },
      { sequence: "1" },
    ]);
    const document = { name: "contract.pdf", documentId: "1", remoteUrl: chunkedUploadUri };
    const envelopeDefinition = { emailSubject: "In parts", documents: [document] };
    const made = await call("createEnvelope", { envelopeDefinition });
    const { envelopeDocuments } = await call("listDocuments", made.envelopeId, null);
    expect(envelopeDocuments[0]).toMatchObject({ documentId: "1", name: "contract.pdf" });
    await call("deleteChunkedUpload", chunkedUploadId);
    const gone = await refusalOf(call("createEnvelope", { envelopeDefinition }));
    expect(gone).toMatchObject({ status: 404, body: { errorCode: "UPLOAD_NOT_FOUND" } });
    const other = {
      ...envelopeDefinition,
      documents: [{ ...document, remoteUrl: "https://example.com/contract.pdf" }],
    };
    expect(await refusalOf(call("createEnvelope", { envelopeDefinition: other }))).toMatchObject({ status: 400 });
  });

  testWithOffice("sends a Word file, which is shown, signed and sealed as one PDF", async () => {
    const settings = await sdk.call("AccountsApi", "listSettings", sdk.accountId);
    expect(settings.documentConversionRestrictions).toBe("no_restrictions");
    const envelopeDefinition = wordDefinition();
    const { envelopeId: id } = await call("createEnvelope", { envelopeDefinition });
    expect(sdk.last().status).toBe(201);
    const pdfOf = async () => Buffer.from(await call("getDocument", id, "1", null), "latin1");
    const shown = await pdfOf();
    const path = `${owner.baseUrl}/v1/sign/agreements/${id}/documents/1/content?original=true`;
    const original = await fetch(path, { headers: { authorization: `Bearer ${owner.token}` } });
    expect(original.headers.get("content-type")).toMatch(/wordprocessingml/);
    const sent = envelopeDefinition.documents[0].documentBase64;
    expect(Buffer.from(await original.arrayBuffer()).toString("base64")).toBe(sent);
    const wanted = (text: string) => ({ text, caseSensitive: true, wholeWord: false });
    const [title, anchor] = await findTexts(shown, [wanted("World Wide Corp: Battle Plan"), wanted("**signature_1**")]);
    expect([title?.length, anchor?.length]).toEqual([1, 1]);
    const { signers } = await call("listRecipients", id, { includeTabs: "true" });
    const [{ xPosition, yPosition }] = signers[0].tabs.signHereTabs;
    expect(Number(xPosition)).toBeCloseTo((anchor?.[0]?.left ?? 0) + 20, 0);
    expect(Number(yPosition)).toBeGreaterThan(0);
    if (mode !== "single process") return;
    const { url } = await call("createRecipientView", id, { recipientViewRequest: viewRequest() });
    await signEverything(system, url);
    await until(async () => (await call("getEnvelope", id, null)).status === "completed");
    const sealed = await pdfOf();
    expect((await findTexts(sealed, [wanted("World Wide Corp: Battle Plan")]))[0]).toEqual(title);
    expect(pdfInfo(sealed).pages).toBe(pdfInfo(shown).pages);
  });

  testWithOffice("fills the fields of a Word file, again and at once, and says what is wrong with values", async () => {
    const rows = "{% for row in rows %}{{ row.item }}: {{ row.price | number }}{% endfor %}";
    const texts = ["Dear {{ customer.name }}", rows, "{% if vip %}Welcome back{% endif %}", "Sign here"];
    const file = Buffer.from(wordFile({ body: texts.map((text) => p(text)).join("") }));
    const documents = [
      { documentId: "1", name: "Offer.docx", fileExtension: "docx", documentBase64: base64(file) },
      { documentId: "2", name: "Terms.txt", fileExtension: "txt", documentBase64: base64("Terms {{ of }}") },
      {
        documentId: "3",
        name: "Wrong.docx",
        fileExtension: "docx",
        documentBase64: base64(wordFile({ body: p("{{ a") })),
      },
    ];
    const { envelopeId } = await call("createEnvelope", { envelopeDefinition: { status: "created", documents } });
    const path = `/restapi/v2.1/accounts/${owner.organizationId}/envelopes/${envelopeId}/docGenFormFields`;
    const { docGenFormFields: asked } = await call("getEnvelopeDocGenFormFields", envelopeId, null);
    expect(asked).toMatchObject([
      {
        docGenFormFieldList: [
          { name: "customer.name", type: "TextBox", required: "true" },
          {
            ...{ name: "rows", type: "TableRow", required: "true" },
            rowValues: [{ docGenFormFieldList: [{ name: "item" }, { name: "price", type: "Number" }] }],
          },
          { name: "vip", type: "Conditional", required: "false" },
        ],
      },
      { docGenErrors: [{ errorCode: "syntax_error", message: expect.stringContaining("closed") }] },
    ]);
    const put = (documentId: string, ...docGenFormFieldList: readonly object[]) =>
      owner.call("PUT", path, { docGenFormFields: [{ documentId, docGenFormFieldList }] });
    const row = (item: string, price: string) => ({
      docGenFormFieldList: [
        { name: "item", value: item },
        { name: "price", value: price },
      ],
    });
    const named = (value: string) => ({ name: "customer.name", value });
    const listed = (...rowValues: readonly object[]) => ({ name: "rows", rowValues });
    const fieldsOf = async (answer: ReturnType<typeof put>) => {
      const { status, body } = await answer;
      return [status, body.details?.map(({ message }: Untyped) => message)];
    };
    expect(await fieldsOf(put("1", { name: "custumer", value: "Ada" }, listed(row("Desk", "many"))))).toEqual([
      400,
      [
        ...["needs a value for customer.name", "needs a number such as 1250.5 for rows[0].price"],
        "has custumer, which is no field of the file",
      ],
    ]);
    expect(await fieldsOf(put("1", named("A"), named("B"), listed()))).toEqual([...[400, ["has customer.name twice"]]]);
    expect(await fieldsOf(put("2", named("Ada")))).toEqual([400, ["is not of a Word file (.docx)"]]);
    expect(await fieldsOf(put("3", named("Ada")))).toEqual([
      400,
      [expect.stringContaining("has a wrong tag: A tag has to be closed")],
    ]);
    expect((await put("4", named("Ada"))).status).toBe(404);
    const says = async (...wanted: readonly string[]) => {
      const pdf = Buffer.from(await call("getDocument", envelopeId, "1", {}), "latin1");
      const found = await findTexts(
        pdf,
        wanted.map((text) => ({ text, caseSensitive: true, wholeWord: false })),
      );
      return found.map((places) => places.length);
    };
    const vip = (value: string) => ({ name: "vip", value });
    expect((await put("1", named("Ada {{ x }}"), listed(row("Desk", "12.5")), vip("false"))).status).toBe(200);
    expect(await says("Dear Ada {{ x }}", "Desk: 12.5", "Welcome", "Sign here")).toEqual([1, 1, 0, 1]);
    const uuid = asked[0].documentId;
    expect((await put(uuid, named("Ada"), listed())).status).toBe(404);
    const both = [put("1", named("Bob"), listed(), vip("true")), put("1", named("Cara"), listed(), vip("true"))];
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
    const [bob = 0, cara = 0, welcome] = await says("Dear Bob", "Dear Cara", "Welcome back");
    expect([bob + cara, welcome]).toEqual([1, 1]);
    const original = await fetch(
      `${owner.baseUrl}/v1/sign/agreements/${envelopeId}/documents/1/content?original=true`,
      {
        headers: { authorization: `Bearer ${owner.token}` },
      },
    );
    expect(Buffer.from(await original.arrayBuffer()).equals(file)).toBe(true);
  });

  testWithOffice("makes documents of a Word file with data, the same ones for the same data", async () => {
    const body = [
      p("Dear {{ name", " }}"),
      table([p("{% for item in items %}{{ item.name }}"), p("{{ item.price | money: “EUR” }}{% endfor %}")]),
      p(picture("{{ logo }}")),
    ].join("");
    const content = base64(wordFile({ body, header: p("Offer {{ number }}") }));
    const { body: asset } = await owner.call("POST", "/v1/gen/assets", { name: "Offer.docx", content });
    const draft = { name: "Offer", format: "docx", content: `asset:${asset.id}` };
    const { body: template } = await owner.call("POST", "/v1/gen/templates", draft);
    expect((await owner.call("POST", `/v1/gen/templates/${template.id}/publish`)).status).toBe(200);
    const items = [
      { name: "Desk", price: 12.5 },
      { name: "Lamp & <shade>", price: 3 },
    ];
    const data = { name: "Ada", number: 17, items, logo: `data:image/png;base64,${onePixel}` };
    const { status, body: made } = await owner.call("POST", "/v1/gen/documents", { templateId: template.id, data });
    expect([status, made.status, made.pages]).toEqual([201, "completed", 1]);
    const answer = await fetch(`${owner.baseUrl}${made.contentUrl}`, {
      headers: { authorization: `Bearer ${owner.token}` },
    });
    const pdf = Buffer.from(await answer.arrayBuffer());
    const texts = ["Offer 17", "Dear Ada", "Desk", "€12.50", "Lamp & <shade>"];
    const found = await findTexts(
      pdf,
      texts.map((text) => ({ text, caseSensitive: true, wholeWord: false })),
    );
    expect(found.map((places) => places.length)).toEqual([1, 1, 1, 1, 1]);
    expect(pdf.includes("/Subtype/Image")).toBe(true);
  });
});
