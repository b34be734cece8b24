import { randomUUID } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { DocumentStatus, Profile } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { raceHolds } from "#platform/testing/hold-races.ts";
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

describe("a person", () => {
  test("is erased from documents that name them, with the bytes, and from nobody else's", async () => {
    const [mine, theirs] = [await createCustomer(harness), await createCustomer(harness)];
    const named = {
      output: { fileName: "Offer-Ann@Example.com" },
      metadataJson: '{"for":"ann@example.com","user":"u-77"}',
    };
    const made = present((await mine.create(named, waiting)).document);
    const byReference = present((await mine.create({ metadataJson: '{"user":"u-77"}' }, waiting)).document);
    const longer = { fileName: "For joann@example.com", metadataJson: '{"a":"ann@example.com.au"}' };
    const other = present((await mine.create(longer, waiting)).document);
    // What a member is called, or a part of a text, is no reference.
    const alike = {
      output: { fileName: "u-77" },
      metadataJson: '{"u-77":"x","a":"u-77b","b":"not \\"u-77\\" either"}',
    };
    const strange = present((await mine.create(alike, waiting)).document);
    const foreign = present((await theirs.create(named, waiting)).document);
    const person = { email: "ANN@example.com", userRef: "u-77" };
    const found = [made.id, byReference.id].sort();
    const idsIn = ({ items }: { items: { targetId: string; kind: string }[] }) =>
      items
        .filter(({ kind }) => kind === "document")
        .map(({ targetId }) => targetId)
        .sort();
    expect(idsIn(await mine.organization.findPerson({ person }))).toEqual(found);
    const erasure = { person, erasureId: randomUUID(), ground: "GDPR_17" };
    // A process that noted what it would erase was killed before it did, and then came a legal hold.
    const noted = { ...erasure, erasureId: randomUUID(), isHeld: true };
    const documents = found.map((targetId) => ({ kind: "document", targetId, count: 1, outcome: 1 }));
    await harness.superuser.query("insert into docgen.erasure_answer values ($1, $2, '', $3, '')", [
      ...[mine.organization.orgId, noted.erasureId, JSON.stringify(documents)],
    ]);
    const heldIn = async (asked: typeof noted) =>
      (await mine.organization.erasePerson(asked)).items
        .filter(({ kind, keptBecause }) => kind === "document" && keptBecause === "LEGAL_HOLD")
        .map(({ targetId }) => targetId)
        .sort();
    expect(await heldIn(noted)).toEqual(found);
    expect(await heldIn({ ...noted, erasureId: randomUUID() })).toEqual(found);
    expect(await blobsOf(harness, mine.organization.orgId)).toBe(4);
    expect(idsIn(await mine.organization.erasePerson(erasure))).toEqual(found);
    expect(await heldIn(noted)).toEqual([]);
    const { rows } = await harness.superuser.query<{ text: string }>(
      "select d::text as text from docgen.document d where organization_id = $1",
      [mine.organization.orgId],
    );
    expect(rows).toHaveLength(4);
    const isOthers = (text: string) => [other, strange].some(({ id }) => text.includes(id));
    expect(rows.filter(({ text }) => /ann@example|u-77/i.test(text) && !isOthers(text))).toEqual([]);
    expect(await blobsOf(harness, mine.organization.orgId)).toBe(2);
    // A caller that died with the answer asks again, and is told the same.
    expect(idsIn(await mine.organization.erasePerson(erasure))).toEqual(found);
    expect((await mine.organization.erasePerson({ ...erasure, erasureId: randomUUID() })).items).toEqual([]);
    await mine.organization.getDocument({ documentId: other.id });
    expect(idsIn(await theirs.organization.findPerson({ person }))).toEqual([foreign.id]);
  });
});

test("what a period ends for goes with its bytes and all that was said of it, and nothing newer or of others", async () => {
  const [mine, theirs] = [await createCustomer(harness), await createCustomer(harness)];
  const named = { output: { fileName: "For Ann.pdf" }, metadataJson: '{"for":"ann@example.com"}' };
  const old = present((await mine.create(named, waiting)).document);
  const deleted = present((await mine.create(named, waiting)).document);
  await mine.organization.deleteDocument({ documentId: deleted.id });
  const foreign = present((await theirs.create(named, waiting)).document);
  renderer.hold();
  const waitingOne = await mine.ask();
  const before = timestampFromDate(new Date(harness.clock.now().getTime() + 60_000));
  const list = { before, limit: 1, withAddresses: true };
  const { records, nextCursor } = await mine.organization.listOld(list);
  expect(records).toMatchObject([{ id: old.id, addresses: ["ann@example.com"] }]);
  const rest = await mine.organization.listOld({ ...list, limit: 9, cursor: nextCursor });
  expect(rest.records.map(({ id }) => id)).toEqual([deleted.id]);
  expect(await mine.organization.countOld({ before })).toMatchObject({ records: 2 });
  const ids = [old.id, deleted.id, foreign.id, waitingOne.id];
  const early = timestampFromDate(new Date(harness.clock.now().getTime() - 60_000));
  expect((await mine.organization.removeOld({ ids, before: early })).keptIds).toHaveLength(3);
  expect((await mine.organization.removeOld({ ids, before, onlyLook: true })).keptIds).toHaveLength(3);
  for (let times = 0; times < 2; times += 1) {
    expect((await mine.organization.removeOld({ ids, before })).keptIds).toEqual([waitingOne.id]);
  }
  await expectDomainError(mine.organization.getDocument({ documentId: old.id }), "GEN_DOCUMENT_NOT_FOUND");
  const { rows } = await harness.superuser.query<{ text: string }>(
    "select d::text as text from docgen.document d where organization_id = $1 and id = any($2)",
    [mine.organization.orgId, [old.id, deleted.id]],
  );
  expect(rows.filter(({ text }) => /ann/i.test(text))).toEqual([]);
  expect(await blobsOf(harness, mine.organization.orgId)).toBe(0);
  await theirs.organization.getDocument({ documentId: foreign.id });
  expect(await mine.organization.countOld({ before })).toMatchObject({ records: 0 });
  renderer.letGo();
});

test("a document that is there when a hold is answered stays, whoever was just deleting it", async () => {
  const { organization, create } = await createCustomer(harness);
  const ids: string[] = [];
  await raceHolds({
    note: (mark) => organization.noteHolds({ mark }),
    deletes: async (round, holdMark) => organization.deleteDocument({ documentId: ids[round] ?? "", holdMark }),
    isThere: (round) =>
      organization.getDocument({ documentId: ids[round] ?? "" }).then(
        () => true,
        () => false,
      ),
    prepare: async () => {
      // These are more than the plan has.
      await harness.superuser.query("delete from docgen.usage_window where organization_id = $1", [organization.orgId]);
      ids.push(present((await create({}, waiting)).document).id);
    },
  });
  // What was asked for before the last hold is neither erased nor deleted for its time.
  const [before, old] = [timestampFromDate(new Date(harness.clock.now().getTime() + 60_000)), { mark: ids.length }];
  await organization.noteHolds({ mark: 1 });
  const erasure = { erasureId: randomUUID(), ground: "GDPR_17", person: { userRef: "17" } };
  await create({ metadataJson: '{"for":"17"}' }, waiting);
  await expectDomainError(organization.erasePerson({ ...erasure, holdMark: old.mark - 1 }), "HOLDS_CHANGED");
  const { records } = await organization.listOld({ before, limit: 200 });
  const removal = { before, ids: records.map(({ id }) => id) };
  await expectDomainError(organization.removeOld({ ...removal, holdMark: old.mark - 1 }), "HOLDS_CHANGED");
  expect((await organization.removeOld({ ...removal, onlyLook: true })).keptIds).toHaveLength(records.length);
  expect((await organization.erasePerson({ ...erasure, holdMark: old.mark })).items).toHaveLength(1);
  expect((await organization.removeOld({ ...removal, holdMark: old.mark })).keptIds).toEqual([]);
});
