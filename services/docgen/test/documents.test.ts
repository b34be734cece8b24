import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { DocumentStatus, Profile } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { RenderError } from "../renderer/render-job.ts";
import { blobsOf, createCustomer, readEvents, rowOf, usedOf } from "./document-harness.ts";
import { createFakeChecker } from "./fake-checker.ts";
import { createFakeRenderer } from "./fake-renderer.ts";
import { type DocgenHarness, present, requestId, startDocgen, traceparent } from "./harness.ts";

const renderer = createFakeRenderer();
let harness: DocgenHarness;
beforeAll(async () => {
  harness = await startDocgen({ renderer, checker: createFakeChecker(), work: { pollMs: 20 } });
  await harness.startWorkers();
});
afterAll(() => harness.stop());
beforeEach(() => {
  renderer.letGo();
  renderer.answer(() => ({}));
});

const waiting = { waitMs: 20_000 };

describe("createDocument", () => {
  test("answers the finished document to those who wait", async () => {
    const { organization, templateId, create } = await createCustomer(harness);
    const warning = { code: "missing_glyph", path: "data.name", char: "U+6C49", message: "There is no glyph." };
    renderer.answer(() => ({ pages: 3, warnings: [warning], renderMs: 29.4 }));
    const source = {
      locale: "DE-de",
      timeZone: "Europe/Berlin",
      output: { profile: Profile.PDF_UA_1, fileName: "Angebot-17" },
      metadataJson: '{"deal":"17"}',
    };
    const response = await create(source, waiting);
    const document = present(response.document);
    expect(document).toMatchObject({
      status: DocumentStatus.COMPLETED,
      templateId,
      version: 1,
      profile: Profile.PDF_UA_1,
      fileName: "Angebot-17.pdf",
      locale: "de-DE",
      pages: 3,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      warnings: [warning],
      metadataJson: '{"deal":"17"}',
      batchId: "",
      renderMs: 29,
    });
    expect([response.replayed, response.rate?.remaining]).toEqual([false, 99]);
    const { content, document: read } = await organization.getDocumentContent({ documentId: document.id });
    expect(read).toEqual(document);
    expect(content.length).toBe(Number(document.bytes));
    expect(JSON.parse(Buffer.from(content).toString())).toMatchObject({
      title: "Offer",
      locale: "de-DE",
      content: { kind: "template", data: { name: "Ada" }, timeZone: "Europe/Berlin" },
    });
    expect(await rowOf(harness, document.id)).toMatchObject({ slot: "spent", source: null, claim: null });
  });

  test("answers at once to those who do not wait, and goes on", async () => {
    const { organization, ask } = await createCustomer(harness);
    renderer.hold();
    const { id, status } = await ask();
    expect([DocumentStatus.QUEUED, DocumentStatus.RENDERING]).toContain(status);
    await expectDomainError(organization.getDocumentContent({ documentId: id }), "GEN_DOCUMENT_NOT_READY");
    renderer.letGo();
    await until(async () => {
      const { document } = await organization.getDocument({ documentId: id });
      return document?.status === DocumentStatus.COMPLETED;
    });
  });

  test("answers a document that is not finished in time as it is", async () => {
    const { create } = await createCustomer(harness);
    renderer.hold();
    const response = await create({}, { waitMs: 30 });
    expect(response.document?.status).toBe(DocumentStatus.RENDERING);
  });

  test("tells those who wait why a document failed, and keeps it", async () => {
    const { organization, create } = await createCustomer(harness);
    renderer.answer(() => {
      throw new RenderError("GEN_TEMPLATE_ERROR", "There is no such filter.", { line: "1", column: "4" });
    });
    const error = await expectDomainError(create({}, waiting), "GEN_TEMPLATE_ERROR");
    const { line, column, documentId = "" } = error.metadata;
    expect([error.message, line, column]).toEqual(["There is no such filter.", "1", "4"]);
    const { document } = await organization.getDocument({ documentId });
    expect(document).toMatchObject({
      status: DocumentStatus.FAILED,
      failure: {
        errorCode: "GEN_TEMPLATE_ERROR",
        message: "There is no such filter.",
        details: { line: "1", column: "4" },
      },
    });
    await expectDomainError(organization.getDocumentContent({ documentId }), "GEN_DOCUMENT_NOT_READY");
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: 1, minute: 1 });
  });

  test("takes a defect of the renderer for a failed rendering", async () => {
    const { create } = await createCustomer(harness);
    renderer.answer(() => {
      throw new TypeError("secret");
    });
    const error = await expectDomainError(create({}, waiting), "GEN_RENDER_FAILED");
    expect([error.metadata.reason, error.message]).toEqual(["crashed", "The document could not be rendered."]);
  });

  test("tells of the end of documents, with the request that asked for them", async () => {
    const { organization, templateId, create } = await createCustomer(harness);
    const completed = present((await create({}, waiting)).document);
    renderer.answer(() => {
      throw new RenderError("GEN_RENDER_FAILED", "Too many pages.", { reason: "too_many_pages" });
    });
    await expectDomainError(create({}, waiting), "GEN_RENDER_FAILED");
    const { orgId } = organization;
    const common = { organizationId: orgId, requestId, traceparent, id: expect.any(String) };
    expect(await readEvents(harness, orgId)).toEqual([
      {
        ...common,
        subject: "assent.docgen.document.completed",
        aggregateId: completed.id,
        occurredAt: expect.any(String),
        documentCompleted: {
          documentId: completed.id,
          templateId,
          version: 1,
          pages: 1,
          bytes: String(completed.bytes),
          sha256: completed.sha256,
        },
      },
      {
        ...common,
        subject: "assent.docgen.document.failed",
        aggregateId: expect.any(String),
        occurredAt: expect.any(String),
        documentFailed: {
          documentId: expect.any(String),
          templateId,
          version: 1,
          errorCode: "GEN_RENDER_FAILED",
        },
      },
    ]);
  });
});

describe("documents of other organizations", () => {
  test("are unknown", async () => {
    const { create } = await createCustomer(harness);
    const documentId = present((await create({}, waiting)).document).id;
    const stranger = harness.organization();
    for (const id of [documentId, randomUUID()]) {
      await expectDomainError(stranger.getDocument({ documentId: id }), "GEN_DOCUMENT_NOT_FOUND");
      await expectDomainError(stranger.getDocumentContent({ documentId: id }), "GEN_DOCUMENT_NOT_FOUND");
      await expectDomainError(stranger.deleteDocument({ documentId: id }), "GEN_DOCUMENT_NOT_FOUND");
    }
    expect((await stranger.listDocuments({ pageSize: 10 })).documents).toEqual([]);
  });
});

describe("listDocuments", () => {
  test("goes through all documents page by page, newest first", async () => {
    const { organization, ask, templateId } = await createCustomer(harness);
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.unshift((await ask()).id);
    const first = await organization.listDocuments({ pageSize: 3 });
    const second = await organization.listDocuments({ pageSize: 3, afterId: first.documents.at(-1)?.id ?? "" });
    expect([...first.documents, ...second.documents].map(({ id }) => id)).toEqual(ids);
    expect([first.hasMore, second.hasMore]).toEqual([true, false]);
    const of = async (id: string) =>
      (await organization.listDocuments({ pageSize: 9, templateId: id })).documents.length;
    expect([await of(templateId), await of(randomUUID()), await of("none")]).toEqual([5, 0, 0]);
  });

  test("finds those of one status", async () => {
    const { organization, create } = await createCustomer(harness);
    await create({}, waiting);
    renderer.answer(() => {
      throw new RenderError("GEN_RENDER_FAILED", "No.", {});
    });
    await expectDomainError(create({}, waiting), "GEN_RENDER_FAILED");
    const count = async (status: DocumentStatus) =>
      (await organization.listDocuments({ pageSize: 9, status })).documents.length;
    expect([await count(DocumentStatus.COMPLETED), await count(DocumentStatus.FAILED)]).toEqual([1, 1]);
    expect(await count(DocumentStatus.QUEUED)).toBe(0);
  });
});

describe("deleteDocument", () => {
  test("removes the bytes, keeps the row, and answers as if there were none", async () => {
    const { organization, create } = await createCustomer(harness);
    const documentId = present((await create({}, waiting)).document).id;
    expect(await blobsOf(harness, organization.orgId)).toBe(1);
    await organization.deleteDocument({ documentId });
    expect(await blobsOf(harness, organization.orgId)).toBe(0);
    expect(await rowOf(harness, documentId)).toMatchObject({ status: "completed", slot: "spent" });
    await expectDomainError(organization.getDocument({ documentId }), "GEN_DOCUMENT_NOT_FOUND");
    await expectDomainError(organization.getDocumentContent({ documentId }), "GEN_DOCUMENT_NOT_FOUND");
    await expectDomainError(organization.deleteDocument({ documentId }), "GEN_DOCUMENT_NOT_FOUND");
    expect((await organization.listDocuments({ pageSize: 10 })).documents).toEqual([]);
  });

  test("drops what comes of a document that is being rendered", async () => {
    const { organization, ask } = await createCustomer(harness);
    renderer.hold();
    const { id: documentId } = await ask();
    await until(async () => (await rowOf(harness, documentId)).status === "rendering");
    await organization.deleteDocument({ documentId });
    renderer.letGo();
    await until(() => renderer.freeSlots() === 4);
    expect(await rowOf(harness, documentId)).toMatchObject({ status: "cancelled", slot: "spent", source: null });
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: 1, minute: 1 });
    expect(await blobsOf(harness, organization.orgId)).toBe(0);
    expect(await readEvents(harness, organization.orgId)).toEqual([]);
  });
});

describe("expiry", () => {
  test("is told from its moment on; the bytes are removed, the rest stays", async () => {
    const { organization, create } = await createCustomer(harness);
    const kept = present((await create({}, waiting)).document).id;
    const { id: documentId, expiresAt, completedAt } = present((await create({ expiresIn: 60 }, waiting)).document);
    expect(Number(expiresAt?.seconds) - Number(completedAt?.seconds)).toBe(60);
    harness.clock.advance(61_000);
    const { document } = await organization.getDocument({ documentId });
    expect(document).toMatchObject({ status: DocumentStatus.EXPIRED, pages: 1, sha256: "" });
    await expectDomainError(organization.getDocumentContent({ documentId }), "GEN_DOCUMENT_NOT_FOUND");
    const of = async (status: DocumentStatus) =>
      (await organization.listDocuments({ pageSize: 9, status })).documents.map(({ id }) => id);
    expect([await of(DocumentStatus.EXPIRED), await of(DocumentStatus.COMPLETED)]).toEqual([[documentId], [kept]]);
    const sweeper = present(harness.service.workers.find(({ name }) => name === "docgen-expiry"));
    await sweeper.stop();
    await sweeper.start();
    await until(async () => (await rowOf(harness, documentId)).status === "expired");
    expect(await blobsOf(harness, organization.orgId)).toBe(1);
    expect((await organization.getDocument({ documentId })).document).toEqual(document);
    expect([await of(DocumentStatus.EXPIRED), await of(DocumentStatus.COMPLETED)]).toEqual([[documentId], [kept]]);
  });
});
