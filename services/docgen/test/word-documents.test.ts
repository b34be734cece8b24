import { createHash, randomUUID } from "node:crypto";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ConverterService } from "#gen/assent/convert/v1/convert_pb.ts";
import { DocumentStatus, Format, Profile } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { DomainError, toConnectError } from "#platform/errors.ts";
import { wordType } from "#platform/office-package.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { linesOf, p, wordFile } from "../word/test/word-files.ts";
import { createCustomer } from "./document-harness.ts";
import { createPublished, type DocgenHarness, type Organization, present, startDocgen } from "./harness.ts";

/** What the convert service is asked for, and what it answers: PDFs that tell what they were made of. */
const asked: string[] = [];
let answer: (text: string) => Promise<Uint8Array>;
const convert = createMemoryTransport(
  (router) =>
    void router.service(ConverterService, {
      listFormats: () => ({ formats: ["docx"] }),
      convertFile: async ({ content }) => {
        const text = linesOf(content).join("\n");
        asked.push(text);
        return { pdf: await answer(text) };
      },
    }),
  { interceptors: [] },
);
let printed = 0;
const printedPdf = (text: string, pages = 2): Uint8Array => {
  printed += 1;
  const id = String(printed).padStart(32, "0");
  return Buffer.from(
    `%PDF-1.6\n<</Type/Pages\n/Count ${pages}>>\n${text}\n<</CreationDate(D:2026010112${String(printed).padStart(4, "0")}Z')>>\ntrailer\n<</ID [ <${id}>\n<${id}> ]\n/DocChecksum /${id}\n>>`,
  );
};
const prints = async (text: string) => printedPdf(text);

let harness: DocgenHarness;
beforeAll(async () => {
  answer = prints;
  harness = await startDocgen({ convert, work: { pollMs: 20, graceMs: 50 } });
  await harness.startWorkers();
});
afterAll(() => harness.stop());

const offer = p("Dear {{ name }}") + p("{% if total > 10 %}") + p("A lot") + p("{% endif %}");

async function addFile(organization: Organization, body = offer): Promise<string> {
  const { asset } = await organization.createAsset({ name: "Offer.docx", content: wordFile({ body }) });
  expect(present(asset)).toMatchObject({ contentType: wordType, width: 0, height: 0 });
  return `asset:${present(asset).id}`;
}

async function customer() {
  const { organization, create } = await createCustomer(harness);
  const content = await addFile(organization);
  const { id: templateId } = await createPublished(organization, { format: Format.DOCX, content });
  return {
    organization,
    templateId,
    content,
    create: (data: object, more: object = {}) =>
      create({ templateId, dataJson: JSON.stringify(data), ...more }, { waitMs: 30_000 }),
    createKeyed: create,
  };
}

describe("a template that is a Word file", () => {
  test("is checked, has a schema, and makes documents with its data", async () => {
    const { organization, templateId, create } = await customer();
    const { schemaJson } = await organization.getTemplateSchema({ templateId });
    expect(JSON.parse(schemaJson)).toMatchObject({
      required: ["name"],
      properties: { total: { type: ["number", "null"] } },
    });
    await expectDomainError(create({ total: 1 }), "GEN_INVALID_DATA");
    const { document } = await create({ name: "Ada", total: 11 });
    expect(document).toMatchObject({ status: DocumentStatus.COMPLETED, pages: 2 });
    const { content } = await organization.getDocumentContent({ documentId: present(document).id });
    expect(Buffer.from(content).toString()).toContain("Dear Ada\nA lot");
  });

  test("shows where it is wrong, before and when it is published", async () => {
    const { organization } = await createCustomer(harness);
    const content = await addFile(organization, p("Hello") + p("Dear {{ name | shout }}"));
    const { findings } = await organization.validateTemplate({ format: Format.DOCX, content });
    expect(findings).toMatchObject([{ code: "unknown_filter", line: 2 }]);
    const error = await expectDomainError(
      createPublished(organization, { format: Format.DOCX, content }),
      "GEN_TEMPLATE_ERROR",
    );
    expect(error.metadata).toMatchObject({ line: "2" });
  });

  test("has to be a file of the organization", async () => {
    const { content } = await customer();
    const { organization } = await createCustomer(harness);
    const draft = { name: "Offer", format: Format.DOCX };
    await expectDomainError(organization.createTemplate({ ...draft, content: "<p>Hello</p>" }), "GEN_INVALID_REQUEST");
    await expectDomainError(organization.validateTemplate({ format: Format.DOCX, content }), "GEN_ASSET_NOT_FOUND");
    const { template } = await organization.createTemplate({ ...draft, content });
    const templateId = present(template).id;
    await expectDomainError(organization.publishTemplate({ templateId }), "GEN_ASSET_NOT_FOUND");
    await expectDomainError(organization.getTemplateSchema({ templateId }), "GEN_ASSET_NOT_FOUND");
    await expectDomainError(organization.updateTemplate({ templateId, content: "text" }), "GEN_INVALID_REQUEST");
    await expectDomainError(
      organization.createAsset({ name: "a.zip", content: Buffer.from("PK\u0003\u0004".padEnd(99)) }),
      "GEN_INVALID_REQUEST",
    );
  });

  test("makes no documents once its file is deleted, and images are no Word files", async () => {
    const { organization, content, create } = await customer();
    const { id: templateId } = await createPublished(organization, {
      content: `<p>{{ name }}</p><img src="${content}" alt="x">`,
    });
    await expectDomainError(create({ name: "Ada" }, { templateId }), "GEN_ASSET_NOT_FOUND");
    await organization.deleteAsset({ assetId: content.slice("asset:".length) });
    await expectDomainError(create({ name: "Ada" }), "GEN_ASSET_NOT_FOUND");
  });
});

describe("a document of a Word file", () => {
  test("has the same bytes for the same data and time", async () => {
    const { organization, create } = await customer();
    const bytes = async () => {
      const { document } = await create({ name: "Ada" });
      const { content } = await organization.getDocumentContent({ documentId: present(document).id });
      return Buffer.from(content).toString("latin1");
    };
    const [one, other] = [await bytes(), await bytes()];
    expect(one).toBe(other);
    expect(one).not.toContain("2026010112");
  });

  test("is refused where Word files are not printed, and as another kind of PDF", async () => {
    const { templateId, create, organization } = await customer();
    const error = await expectDomainError(
      create({ name: "Ada" }, { output: { profile: Profile.PDF_A_2A } }),
      "GEN_INVALID_REQUEST",
    );
    expect(error.details).toMatchObject([{ field: "output.profile" }]);
    const without = await harness.another({ convert: undefined });
    const source = { templateId, dataJson: '{"name":"Ada"}' };
    const refused = await expectDomainError(
      without.organization(organization.orgId).createDocument({ source, waitMs: 1_000 }),
      "GEN_INVALID_REQUEST",
    );
    expect(refused.details).toMatchObject([{ field: "templateId", code: "NO_CONVERTER" }]);
  });

  test("waits for a converter that is away, and fails when its file cannot be printed or is too long", async () => {
    const { create } = await customer();
    let refusals = 2;
    answer = async (text) => {
      refusals -= 1;
      if (refusals >= 0) throw toConnectError(new DomainError("SERVICE_UNAVAILABLE"));
      return printedPdf(text);
    };
    expect((await create({ name: "Ada" })).document?.status).toBe(DocumentStatus.COMPLETED);
    // It had no answer in the time of a call, since others were printed.
    let late = 2;
    answer = async (text) => {
      late -= 1;
      if (late >= 0) throw new ConnectError("the operation timed out", Code.DeadlineExceeded);
      return printedPdf(text);
    };
    const { document } = await create({ name: "Ada" });
    expect([document?.status, late]).toEqual([DocumentStatus.COMPLETED, -1]);
    const { rows } = await harness.superuser.query("select attempts from docgen.document where id = $1", [
      document?.id,
    ]);
    expect(rows).toEqual([{ attempts: 1 }]);
    answer = async () => {
      const message = "The file takes too long. Send a PDF instead.";
      throw toConnectError(new DomainError("CORRUPTED_DOCUMENT", { message }));
    };
    const error = await expectDomainError(create({ name: "Ada" }), "GEN_RENDER_FAILED");
    expect([error.metadata.reason, error.message]).toEqual(["unreadable", "The file takes too long."]);
    answer = async (text) => printedPdf(text, 201);
    const long = await expectDomainError(create({ name: "Ada" }), "GEN_RENDER_FAILED");
    expect(long.metadata.reason).toBe("too_many_pages");
    answer = prints;
  });

  test("holds up no other one, however many wait for the converter", async () => {
    const { organization, createKeyed, templateId } = await customer();
    const held = Promise.withResolvers<void>();
    answer = async (text) => {
      await held.promise;
      return printedPdf(text);
    };
    const items = Array.from({ length: 40 }, (_, n) => ({ source: { templateId, dataJson: `{"name":"Nr. ${n}"}` } }));
    const { batch } = await organization.createBatch({ items });
    await until(() => asked.filter((text) => text.startsWith("Dear Nr.")).length >= 8);
    const html = await createKeyed({ dataJson: '{"name":"Ada"}' }, { waitMs: 30_000 });
    const { document } = await (await createCustomer(harness)).create({}, { waitMs: 30_000 });
    expect([html.document?.status, document?.status]).toEqual([DocumentStatus.COMPLETED, DocumentStatus.COMPLETED]);
    const another = await customer();
    const waiting = another.create({ name: "Neighbour" });
    await until(() => asked.includes("Dear Neighbour"));
    expect(asked.filter((text) => text.startsWith("Dear Nr.")).length).toBe(8);
    held.resolve();
    expect((await waiting).document?.status).toBe(DocumentStatus.COMPLETED);
    await until(async () => (await organization.getBatch({ batchId: present(batch).id })).batch?.completed === 40);
    answer = prints;
  });

  test("is made once for a key, when the process that had it printed goes away", async () => {
    const { organization, templateId } = await customer();
    const first = await harness.another({ work: { pollMs: 20, graceMs: 10 } });
    await first.startWorkers();
    answer = () => new Promise(() => {});
    const source = { templateId, dataJson: '{"name":"Once"}' };
    const keyed = { source, idempotencyKey: randomUUID(), requestHash: createHash("sha256").update("a").digest() };
    const { document } = await first.organization(organization.orgId).createDocument(keyed);
    await until(() => asked.includes("Dear Once"));
    answer = prints;
    await harness.superuser.query("update docgen.document set claimed_until = now() - interval '1 s' where id = $1", [
      present(document).id,
    ]);
    const again = await organization.createDocument({ ...keyed, waitMs: 30_000 });
    expect(again).toMatchObject({ replayed: true, document: { id: document?.id, status: DocumentStatus.COMPLETED } });
    await first.stop();
    const { documents } = await organization.listDocuments({ pageSize: 10 });
    expect(documents.map(({ id, status }) => [id, status])).toEqual([[document?.id, DocumentStatus.COMPLETED]]);
  });
});
