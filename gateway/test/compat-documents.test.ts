import { createRequire } from "node:module";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { unzipSync } from "fflate";
import { AgreementStatus, DocumentProblem } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { GetCombinedDocumentRequest, PutDocumentsRequest } from "#gen/assent/sign/v1/sign_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { orgA, orgB } from "./fake-auth.ts";
import { fakePdf } from "./fake-sign-files.ts";
import { sampleDocument } from "./sample-agreement.ts";
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
const pathOf = (id: string, rest = "") => `${account}/envelopes/${id}/documents${rest}`;
const draft = (fields = {}) => gateway.sign.add(orgA, { status: AgreementStatus.CREATED, ...fields });
const lastPut = () => gateway.sign.lastRequest<PutDocumentsRequest>("putDocuments");

async function download(path: string) {
  const response = await fetch(`${gateway.url}${path}`, {
    headers: { Authorization: `Bearer ${token}`, Accept: "application/pdf" },
  });
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
}

test("documents are listed with the summary at the end, as the SDK reads them", async () => {
  const { id, documents } = draft();
  const { status, body } = await gateway.call("GET", pathOf(id), { token });
  const read = docusign.EnvelopeDocumentsResult.constructFromObject(body);
  expect([status, read.envelopeId]).toEqual([200, id]);
  expect(read.envelopeDocuments).toMatchObject([
    {
      documentId: "1",
      documentIdGuid: documents[0]?.id,
      name: "NDA.pdf",
      type: "content",
      uri: `/envelopes/${id}/documents/1`,
      order: "1",
      pages: [{ sequence: "1", width: "612", height: "792", dpi: "72" }, { sequence: "2" }],
    },
    { documentId: "certificate", type: "summary", uri: `/envelopes/${id}/documents/certificate`, order: "999" },
  ]);
  expect(body.envelopeDocuments[0].pages[0].pageId).not.toBe(body.envelopeDocuments[0].pages[1].pageId);
});

test("a document is downloaded under its name, whatever Accept says, and an error stays JSON", async () => {
  const { id, documents } = draft({ documents: [sampleDocument({ name: 'Ü "1"/2.pdf' })] });
  for (const name of ["1", documents[0]?.id]) {
    const { response, bytes } = await download(pathOf(id, `/${name}`));
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    expect(response.headers.get("content-disposition")).toBe(
      `file; filename="_ _1__2.pdf"; filename*=UTF-8''%C3%9C%20%221%22_2.pdf; documentid="1"`,
    );
    expect(Buffer.from(bytes)).toEqual(fakePdf);
  }
  const { response, bytes } = await download(pathOf(id, "/7"));
  expect([response.status, JSON.parse(Buffer.from(bytes).toString())]).toMatchObject([
    404,
    { errorCode: "DOCUMENT_NOT_FOUND", message: expect.stringMatching(/^DOCUMENT_DOES_NOT_EXIST: /) },
  ]);
});

test.each([
  ["DOCUMENT_ERASED", 410, "DOCUMENT_DOES_NOT_EXIST"],
  ["DOCUMENT_DAMAGED", 500, "UNSPECIFIED_ERROR"],
] as const)(
  "a file of which the service says %s is answered %i, with a code that clients know",
  async (code, status, known) => {
    const { id } = draft();
    gateway.sign.fail.with = new DomainError(code);
    const { response, bytes } = await download(pathOf(id, "/1")).finally(() => {
      gateway.sign.fail.with = undefined;
    });
    expect([response.status, JSON.parse(Buffer.from(bytes).toString())]).toMatchObject([
      status,
      { errorCode: code, message: expect.stringMatching(new RegExp(`^${known}: `)) },
    ]);
  },
);

test("combined documents have the certificate only when it is asked for", async () => {
  const { id } = draft();
  for (const [query, withCertificate] of [
    ["", false],
    ["?certificate=true&language=de", true],
    ["?certificate=False", false],
  ] as const) {
    const { response } = await download(pathOf(id, `/combined${query}`));
    expect(response.headers.get("content-disposition")).toBe('file; filename="Combined.pdf"; documentid="combined"');
    expect(gateway.sign.lastRequest<GetCombinedDocumentRequest>("getCombinedDocument")).toMatchObject({
      withCertificate,
    });
  }
  const { response } = await download(pathOf(id, "/certificate"));
  expect(response.headers.get("content-disposition")).toContain('documentid="certificate"');
});

test("the archive has every document under a name of its own, and the certificate", async () => {
  const documents = ["NDA.pdf", "nda.PDF", "../../etc/passwd", "Summary.pdf"].map((name, index) =>
    sampleDocument({ name, documentId: String(index + 1), order: index + 1 }),
  );
  const { id } = draft({ documents });
  const { response, bytes } = await download(pathOf(id, "/archive"));
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/zip"]);
  const files = unzipSync(bytes);
  expect(Object.keys(files)).toEqual([
    "NDA.pdf",
    "nda (2).pdf",
    ".._.._etc_passwd.pdf",
    "Summary (2).pdf",
    "Summary.pdf",
  ]);
  expect(Buffer.from(files["NDA.pdf"] as Uint8Array)).toEqual(fakePdf);
});

test("documents are added by POST and PUT, in a list or bare, with numbers and line breaks", async () => {
  const { id } = draft();
  const content = Buffer.from("%PDF-1.7 new").toString("base64");
  const broken = `${content.slice(0, 8)}\r\n${content.slice(8)}`;
  const list = { documents: [{ documentId: 7, name: "Annex.pdf", fileExtension: "pdf", documentBase64: broken }] };
  const added = await gateway.call("POST", pathOf(id), { token, body: list });
  expect([added.status, added.body.envelopeDocuments]).toMatchObject([201, [{ documentId: "7", name: "Annex.pdf" }]]);
  expect(lastPut().documents[0]).toMatchObject({
    documentId: "7",
    fileExtension: "pdf",
    source: { case: "content", value: Buffer.from("%PDF-1.7 new") },
  });
  const bare = { DocumentId: "8", Name: "Bare.pdf", DocumentBase64: content };
  const put = await gateway.call("PUT", pathOf(id), { token, body: bare });
  expect([put.status, put.body.envelopeDocuments]).toMatchObject([200, [{ documentId: "8", name: "Bare.pdf" }]]);
});

test("what is no Base64 or not there at all is said by the service when its turn comes", async () => {
  const { id } = draft();
  const refused = await gateway.call("POST", pathOf(id), {
    token,
    body: {
      documents: [
        { documentId: "1", name: "a.pdf", documentBase64: "???" },
        { documentId: "2", name: "b.pdf" },
      ],
    },
  });
  expect([refused.status, refused.body.errorCode]).toEqual([400, "INVALID_BASE64"]);
  expect(lastPut().documents.map(({ source }) => source)).toEqual([
    { case: "problem", value: DocumentProblem.INVALID_BASE64 },
    { case: "problem", value: DocumentProblem.MISSING },
  ]);
  const empty = await gateway.call("POST", pathOf(id), { token, body: { documents: [] } });
  expect([empty.status, empty.body.errorCode]).toEqual([400, "VALIDATION_FAILED"]);
});

test("a document is put as bytes with its name, or as the only one of a definition", async () => {
  const { id } = draft();
  const bytes = new TextEncoder().encode("%PDF-1.7 raw");
  const put = (headers: Record<string, string>, body: unknown) =>
    gateway.call("PUT", pathOf(id, "/9"), { token, headers, body });
  const named = await put({ "Content-Type": "application/pdf", "Content-Disposition": 'filename="Raw.pdf"' }, bytes);
  expect([named.status, named.body]).toMatchObject([
    200,
    { documentId: "9", name: "Raw.pdf", type: "content", uri: `/envelopes/${id}/documents/9` },
  ]);
  expect(Buffer.from(lastPut().documents[0]?.source.value as Uint8Array)).toEqual(Buffer.from(bytes));
  expect((await put({ "Content-Type": "application/pdf" }, bytes)).body.name).toBe("document.pdf");
  const definition = { documents: [{ documentId: "1", name: "Other.pdf", documentBase64: "JVBERi0=" }] };
  expect((await put({}, definition)).body).toMatchObject({ documentId: "9", name: "Other.pdf" });
});

test("documents are removed by a body with their ids, and the others are answered", async () => {
  const { id } = draft({ documents: [sampleDocument(), sampleDocument({ documentId: "2", name: "B.pdf" })] });
  const body = { documents: [{ documentId: 1 }] };
  const removed = await gateway.call("DELETE", pathOf(id), { token, body });
  expect(removed.body.envelopeDocuments.map(({ name }: { name: string }) => name)).toEqual(["B.pdf", "Summary"]);
  expect(await gateway.call("DELETE", pathOf(id), { token, body })).toMatchObject({
    status: 404,
    body: { errorCode: "DOCUMENT_NOT_FOUND" },
  });
});

test("the pages of a document are listed with their sizes", async () => {
  const { id } = draft();
  const { body } = await gateway.call("GET", pathOf(id, "/1/pages"), { token });
  expect(body).toMatchObject({ resultSetSize: "2", endPosition: "1", pages: [{ sequence: "1" }, { sequence: "2" }] });
});

test("what is sent, unknown, or of another organization is refused with the codes of the interface", async () => {
  const sent = gateway.sign.add(orgA);
  const refused = await gateway.call("POST", pathOf(sent.id), {
    token,
    body: { documents: [{ documentId: "1", name: "a.pdf", documentBase64: "JVBERi0=" }] },
  });
  expect([refused.status, refused.body.errorCode]).toEqual([400, "ENVELOPE_CANNOT_BE_MODIFIED"]);
  const foreign = gateway.sign.add(orgB);
  for (const path of [
    pathOf(foreign.id),
    pathOf(newId()),
    pathOf("1"),
    `/restapi/v2.1/accounts/${orgB}/envelopes/${foreign.id}/documents`,
  ]) {
    expect(await gateway.call("GET", path, { token })).toMatchObject({
      status: 404,
      body: { errorCode: "ENVELOPE_NOT_FOUND", message: expect.stringMatching(/^ENVELOPE_DOES_NOT_EXIST: /) },
    });
  }
});
