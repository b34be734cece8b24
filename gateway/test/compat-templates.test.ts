import { createRequire } from "node:module";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Agreement } from "#gen/assent/sign/v1/agreement_pb.ts";
import type {
  ChangeCustomFieldsRequest,
  CreateAgreementRequest,
  ListAgreementsRequest,
  UpdateAgreementRequest,
} from "#gen/assent/sign/v1/sign_pb.ts";
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
  token = await gateway.auth.token("sign:read sign:write");
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

const call = (method: string, path: string, body?: unknown) =>
  gateway.call(method, `/restapi/v2.1/accounts/${orgA}${path}`, { token, ...(body === undefined ? {} : { body }) });

/** What the SDK's own models make of an answer has no text "null" and no missing list. */
const throughSdk = (model: string, body: unknown) => {
  const read = docusign[model].constructFromObject(body);
  expect(JSON.stringify(read)).not.toContain('"null"');
  return read;
};

test("a template is created with roles and documents, as the SDK and older clients send it", async () => {
  const definition = docusign.EnvelopeTemplate.constructFromObject({
    name: "NDA",
    description: "For visitors.",
    shared: "true",
    emailSubject: "Please sign",
    documents: [{ documentId: "1", name: "NDA.pdf", fileExtension: "pdf", documentBase64: "JVBERi0=" }],
    recipients: {
      signers: [
        {
          recipientId: "1",
          roleName: "signer",
          tabs: { signHereTabs: [{ anchorString: "/sn1/", anchorUnits: "pixels" }] },
        },
      ],
    },
    status: "created",
  });
  const { status, body } = await call("POST", "/templates", definition);
  expect([status, body]).toEqual([
    201,
    { templateId: expect.any(String), name: "NDA", uri: `/templates/${body.templateId}` },
  ]);
  expect(gateway.sign.lastRequest<CreateAgreementRequest>("createAgreement")).toMatchObject({
    isTemplate: true,
    send: false,
    definition: {
      name: "NDA",
      shared: true,
      documents: [{ source: { case: "content", value: Buffer.from("%PDF-") } }],
      recipients: [{ roleName: "signer", tabs: [{ anchor: { text: "/sn1/" } }] }],
    },
  });
  await call("POST", "/templates", { envelopeTemplateDefinition: { name: "Old", description: "form" } });
  expect(gateway.sign.lastRequest<CreateAgreementRequest>("createAgreement").definition).toMatchObject({
    name: "Old",
    description: "form",
  });
});

test("templates are listed page by page, and no match is a count of zero", async () => {
  const before = gateway.sign.agreements.size;
  for (let count = 0; count < 3; count += 1) gateway.sign.addTemplate(orgA);
  gateway.sign.addTemplate(orgB);
  const { body } = await call("GET", "/templates?count=2&start_position=1&search_text=ND&order_by=name");
  const page = throughSdk("EnvelopeTemplateResults", body);
  expect([page.resultSetSize, page.startPosition, page.endPosition]).toEqual(["2", "1", "2"]);
  expect(page.envelopeTemplates[0]).toMatchObject({ name: "NDA", shared: "true", folderName: "Templates" });
  expect(body.envelopeTemplates[0]).not.toHaveProperty("documents");
  expect(gateway.sign.lastRequest<ListAgreementsRequest>("listAgreements")).toMatchObject({
    templates: true,
    text: "ND",
    offset: 1,
    limit: 2,
    ascending: true,
    withParts: false,
  });
  const first = await call("GET", "/templates?search_text=ND&order_by=name&include=recipients&count=1");
  expect(first.body.nextUri).toBe(
    "/templates?start_position=1&count=1&search_text=ND&order_by=name&include=recipients",
  );
  const last = await call("GET", `/templates?start_position=${before + 3}`);
  expect(last.body).toMatchObject({ resultSetSize: "0", envelopeTemplates: [] });
  expect((await call("GET", "/templates?count=many")).body.errorCode).toBe("VALIDATION_FAILED");
});

test("a template is read with its documents and roles, with tabs when they are asked for", async () => {
  const { id } = gateway.sign.addTemplate(orgA);
  const { body } = await call("GET", `/templates/${id}`);
  const read = throughSdk("EnvelopeTemplate", body);
  expect(read).toMatchObject({
    templateId: id,
    pageCount: "2",
    documents: [{ documentId: "1", name: "NDA.pdf", uri: `/templates/${id}/documents/1` }],
    recipients: { signers: [{ roleName: "Buyer", recipientId: "1" }], carbonCopies: [] },
    customFields: { textCustomFields: [{ name: "orderId", value: "42" }] },
  });
  expect(body.recipients.signers[0]).not.toHaveProperty("tabs");
  const withTabs = await call("GET", `/templates/${id}?include=tabs`);
  expect(withTabs.body.recipients.signers[0].tabs.signHereTabs).toHaveLength(1);
});

test("what a change lists replaces what there was, and empty lists say nothing", async () => {
  const { id } = gateway.sign.addTemplate(orgA);
  const answer = await call("PUT", `/templates/${id}`, {
    name: "Other",
    recipients: { signers: [{ recipientId: "1", roleName: "signer" }] },
    documents: [],
  });
  expect([answer.status, answer.body]).toEqual([200, { templateId: id, envelopeId: id }]);
  expect(gateway.sign.lastRequest<UpdateAgreementRequest>("updateAgreement")).toMatchObject({
    target: { id: { case: "templateId", value: id } },
    changes: { name: "Other" },
    replaceDocuments: false,
    replaceRecipients: true,
    replaceCustomFields: false,
  });
});

test("documents of a template are listed, put and downloaded, but there is no certificate", async () => {
  const { id } = gateway.sign.addTemplate(orgA);
  const { body } = await call("GET", `/templates/${id}/documents`);
  expect(throughSdk("TemplateDocumentsResult", body)).toMatchObject({
    templateId: id,
    templateDocuments: [{ documentId: "1", type: "content" }],
  });
  expect(body.templateDocuments).toHaveLength(1);
  const definition = { documents: [{ documentId: "2", name: "Other.pdf", documentBase64: "JVBERi0=" }] };
  const put = await call("PUT", `/templates/${id}/documents/1?is_envelope_definition=true`, definition);
  expect([put.status, put.body]).toMatchObject([200, { documentId: "1", uri: `/templates/${id}/documents/1` }]);
  const left = await call("DELETE", `/templates/${id}/documents`, { documents: [{ documentId: "1" }] });
  expect(left.body).toEqual({ templateId: id, templateDocuments: [] });
  expect((await call("GET", `/templates/${id}/documents/certificate`)).body.errorCode).toBe("DOCUMENT_NOT_FOUND");
});

test("the tabs on a document are those of all recipients", async () => {
  const { id, recipients } = gateway.sign.addTemplate(orgA) as Agreement;
  const { body } = await call("GET", `/templates/${id}/documents/1/tabs`);
  expect(body.signHereTabs).toMatchObject([{ recipientId: recipients[0]?.recipientId, documentId: "1" }]);
  expect(Object.keys(body).sort()).toEqual(["listTabs", "radioGroupTabs", "signHereTabs"]);
  expect((await call("GET", `/templates/${id}/documents/9/tabs`)).body.errorCode).toBe("DOCUMENT_NOT_FOUND");
});

test("reminders and custom fields of a template are read and changed", async () => {
  const { id } = gateway.sign.addTemplate(orgA);
  const path = `/templates/${id}/notification`;
  expect((await call("GET", path)).body.reminders).toEqual({
    reminderEnabled: "true",
    reminderDelay: "2",
    reminderFrequency: "3",
  });
  expect((await call("PUT", path, { reminders: { reminderEnabled: true, reminderDelay: 5 } })).status).toBe(200);
  expect(gateway.sign.lastRequest<UpdateAgreementRequest>("updateAgreement").changes?.notification).toMatchObject({
    reminderEnabled: true,
    reminderDelay: 5,
  });
  const fields = (await call("GET", `/templates/${id}/custom_fields`)).body;
  expect(throughSdk("CustomFields", fields).textCustomFields).toMatchObject([{ name: "orderId" }]);
  await call("DELETE", `/templates/${id}/custom_fields`, { textCustomFields: [{ fieldId: 10728261959 }] });
  expect(gateway.sign.lastRequest<ChangeCustomFieldsRequest>("changeCustomFields").removeFieldIds).toEqual([
    "10728261959",
  ]);
});

test("an envelope is no template, and neither is one of another organization", async () => {
  for (const id of [gateway.sign.add(orgA).id, gateway.sign.addTemplate(orgB).id, "not-a-uuid"]) {
    for (const path of [`/templates/${id}`, `/templates/${id}/documents`, `/templates/${id}/notification`]) {
      const { status, body } = await call("GET", path);
      expect([status, body.errorCode]).toEqual([404, "TEMPLATE_NOT_FOUND"]);
    }
  }
});
