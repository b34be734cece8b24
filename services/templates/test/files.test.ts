import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ApprovalStatus, ContentFormat, TemplateStatus, TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { readPdfText } from "#platform/pdf-text.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import {
  archiveTemplate,
  createTemplate,
  createVersion,
  type Organization,
  present,
  problemFields,
  publish,
  startTemplates,
  type TemplatesHarness,
  unknownIds,
} from "./harness.ts";
import { getVersion, restore, schedule } from "./lifecycle-harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

const pdf = (...lines: string[]): Buffer => Buffer.from(["%PDF-1.7", ...lines].join("\n"));
const upload = async (organization: Organization, templateId: string, content: Uint8Array) =>
  present((await organization.createTemplateFile({ templateId, content })).file);
const format = ContentFormat.PDF;

async function filed(lines: readonly string[] = ["Terms", "Be kind."]) {
  const organization = harness.organization();
  const { id: templateId } = await createTemplate(organization);
  return { organization, templateId, file: await upload(organization, templateId, pdf(...lines)) };
}

const day = 24 * 60 * 60_000;
/** A worker looks once when it starts. */
const sweepFiles = async (): Promise<void> => {
  for (const worker of harness.service.workers?.filter(({ name }) => name === "templates-files") ?? []) {
    await worker.start();
    await worker.stop();
  }
};

const countFiles = async (templateId: string): Promise<number> => {
  const sql = "select count(*)::integer as files from templates.file where template_id = $1";
  return (await harness.superuser.query<{ files: number }>(sql, [templateId])).rows[0]?.files ?? -1;
};

describe("a PDF of a template", () => {
  test("is kept as it was written anew, with what it says", async () => {
    const { organization, templateId, file } = await filed();
    const read = await organization.getTemplateFile({ templateId, contentHash: file.contentHash });
    expect(read.file).toEqual(file);
    const bytes = Buffer.from(read.content);
    expect(bytes.toString()).toContain("%rewritten");
    expect(file).toMatchObject({
      hash: sha256Label(bytes),
      size: bytes.length,
      pages: 1,
      sentHash: sha256Label(pdf("Terms", "Be kind.")),
      contentHash: sha256Label(file.content),
    });
    expect(readPdfText(file.content)).toEqual({
      ...{ hash: file.hash, size: file.size },
      pages: [{ width: 612, height: 792, text: ["Terms", "Be kind."] }],
    });
    const byFile = await organization.getTemplateFile({ templateId, contentHash: file.hash });
    expect(byFile.file).toEqual(file);
  });

  test("is one, sent again or several times at once, and one of each template", async () => {
    const { organization, templateId } = await filed();
    const content = pdf("At once");
    const all = await Promise.all(Array.from({ length: 4 }, () => upload(organization, templateId, content)));
    expect(new Set(all.map(({ createdAt, contentHash }) => `${createdAt?.nanos} ${contentHash}`)).size).toBe(1);
    expect(await upload(organization, templateId, content)).toEqual(all[0]);
    expect(await countFiles(templateId)).toBe(2);
    const other = await createTemplate(organization, { name: "Other" });
    const read = organization.getTemplateFile({ templateId: other.id, contentHash: all[0]?.contentHash ?? "" });
    await expectDomainError(read, "CLICK_FILE_NOT_FOUND");
  });

  test("is refused with the words of who checks it, and when nobody could hear it", async () => {
    const { organization, templateId } = await filed();
    for (const content of [Buffer.from("<p>Be kind.</p>"), pdf()]) {
      const sent = organization.createTemplateFile({ templateId, content });
      expect(await problemFields(sent, "CLICK_VALIDATION_FAILED")).toEqual(["content"]);
    }
    expect(await countFiles(templateId)).toBe(1);
  });

  test("belongs to a template that is there and not archived", async () => {
    const { organization, templateId, file } = await filed();
    for (const unknown of [...unknownIds, randomUUID()]) {
      const upload = organization.createTemplateFile({ templateId: unknown, content: pdf("x") });
      await expectDomainError(upload, "CLICK_TEMPLATE_NOT_FOUND");
    }
    await archiveTemplate(harness, templateId);
    const late = organization.createTemplateFile({ templateId, content: pdf("late") });
    await expectDomainError(late, "CLICK_TEMPLATE_ARCHIVED");
    expect(await upload(organization, templateId, pdf("Terms", "Be kind."))).toEqual(file);
  });

  test("goes after a day unless something has it, when another one comes", async () => {
    const { organization, templateId, file } = await filed();
    const version = await createVersion(organization, templateId, { content: file.content, format });
    const loose = await upload(organization, templateId, pdf("Loose"));
    harness.clock.advance(day);
    await upload(organization, templateId, pdf("Next"));
    const read = (contentHash: string) => organization.getTemplateFile({ templateId, contentHash });
    await expectDomainError(read(loose.contentHash), "CLICK_FILE_NOT_FOUND");
    expect((await read(version.contentHash)).file).toEqual(file);
  });

  test("goes after a day by itself, and one that is sent again a day after that", async () => {
    const { organization, templateId, file } = await filed();
    const version = await createVersion(organization, templateId, { content: file.content, format });
    const loose = await upload(organization, templateId, pdf("Loose"));
    const again = await upload(organization, templateId, pdf("Again"));
    const read = (contentHash: string) => organization.getTemplateFile({ templateId, contentHash });
    harness.clock.advance(day - 1);
    await upload(organization, templateId, pdf("Again"));
    harness.clock.advance(1);
    await sweepFiles();
    await expectDomainError(read(loose.contentHash), "CLICK_FILE_NOT_FOUND");
    expect((await read(again.contentHash)).file).toEqual(again);
    // What a version has had when its time came is looked at again once the version has another one.
    const next = await upload(organization, templateId, pdf("Next"));
    await organization.updateVersion({
      ...{ templateId, versionId: version.id, changes: { content: next.content } },
      updateMask: { paths: ["content"] },
    });
    harness.clock.advance(day - 1);
    await sweepFiles();
    await expectDomainError(read(again.contentHash), "CLICK_FILE_NOT_FOUND");
    expect((await read(file.contentHash)).file).toEqual(file);
    harness.clock.advance(1);
    await sweepFiles();
    await expectDomainError(read(file.contentHash), "CLICK_FILE_NOT_FOUND");
    expect((await read(next.contentHash)).file).toEqual(next);
  });

  test("is not deleted under a version that is saved at the same moment", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { organization, templateId, file } = await filed();
      harness.clock.advance(day);
      const saved = organization.createVersion({ templateId, locale: "en", content: file.content, format });
      const [, outcome] = await Promise.allSettled([sweepFiles(), saved]);
      expect(await countFiles(templateId)).toBe(outcome.status === "fulfilled" ? 1 : 0);
    }
  });

  test("is one of at most 50 that nothing has", async () => {
    const { organization, templateId } = await filed();
    for (let number = 1; number < 50; number += 1) await upload(organization, templateId, pdf(`Number ${number}`));
    const tooMany = organization.createTemplateFile({ templateId, content: pdf("One more") });
    await expectDomainError(tooMany, "CLICK_VALIDATION_FAILED");
    expect(await countFiles(templateId)).toBe(50);
  });

  test("goes with a template that was never published", async () => {
    const { organization, templateId } = await filed();
    await organization.removeTemplate({ templateId });
    expect(await countFiles(templateId)).toBe(0);
  });
});

describe("a text that is a PDF", () => {
  test("is published, and its next one written beside it", async () => {
    const { organization, templateId, file } = await filed();
    const version = await createVersion(organization, templateId, { content: file.content, format });
    expect(version).toMatchObject({ contentHash: file.contentHash, format, validation: { valid: true } });
    const published = await publish(organization, version);
    expect(published).toMatchObject({ label: "1.0", contentHash: file.contentHash });
    const next = await upload(organization, templateId, pdf("Terms", "Be kinder."));
    const { id: versionId } = version;
    await organization.putVersionDraft({ templateId, versionId, content: next.content, format });
    const second = await publish(organization, version);
    expect(second).toMatchObject({ label: "2.0", contentHash: next.contentHash });
    const first = await organization.getRevision({ versionId: version.id, revision: 1 });
    expect([first.format, Buffer.from(first.content).toString()]).toEqual([format, file.content]);
    expect((await organization.getTemplateFile({ templateId, contentHash: first.contentHash })).file).toEqual(file);
  });

  test("says nothing else than its file, which was uploaded for its template", async () => {
    const { organization, templateId, file } = await filed();
    const other = await createTemplate(organization, { name: "Other" });
    const version = await createVersion(organization, templateId, { content: file.content, format });
    const changed = file.content.replace("Be kind.", "Be rude.");
    const refused = [
      () => organization.createVersion({ templateId: other.id, locale: "en", content: file.content, format }),
      () => organization.createVersion({ templateId, locale: "de", content: changed, format }),
      () => organization.createVersion({ templateId, locale: "de", content: "<p>Terms</p>", format }),
      () =>
        organization.updateVersion({
          ...{ templateId, versionId: version.id, changes: { content: changed } },
          updateMask: { paths: ["content"] },
        }),
    ];
    for (const ask of refused) {
      expect(await problemFields(ask(), "CLICK_VALIDATION_FAILED")).toEqual(["content"]);
    }
    await publish(organization, version);
    const draft = organization.putVersionDraft({ templateId, versionId: version.id, content: changed, format });
    await expectDomainError(draft, "CLICK_VALIDATION_FAILED");
  });

  test("cannot be published where values are to be filled in", async () => {
    const organization = harness.organization();
    const { id: templateId } = await createTemplate(organization, { type: TemplateType.GENERATED });
    const { content } = await upload(organization, templateId, pdf("Be kind."));
    const version = await createVersion(organization, templateId, { content, format });
    await expectDomainError(publish(organization, version), "CLICK_CONTENT_INVALID");
    const { types } = await organization.listTemplateTypes({});
    expect(types.filter((one) => one.contentFormats.includes(format)).map(({ type }) => type)).toEqual([
      TemplateType.STATIC,
      TemplateType.CONSENT,
    ]);
  });

  test("is approved as this very file, and another one needs another approval", async () => {
    const { organization, templateId, file } = await filed();
    const [ann, ben] = [randomUUID(), randomUUID()].map((id) => harness.organization(organization.orgId, `user:${id}`));
    await present(ann).setPublicationRules({ fourEyes: true });
    const version = await createVersion(present(ann), templateId, { content: file.content, format });
    const name = { templateId, versionId: version.id };
    const approve = async () => {
      const { approval } = await present(ann).requestVersionApproval({ ...name, note: "Please" });
      const decision = { ...name, textHash: approval?.textHash ?? "", approved: true };
      return present(ben).decideVersionApproval(decision);
    };
    await expectDomainError(publish(present(ann), version), "CLICK_APPROVAL_REQUIRED");
    expect((await approve()).approval).toMatchObject({ status: ApprovalStatus.APPROVED });
    const other = await upload(organization, templateId, pdf("Terms", "Be rude."));
    harness.clock.advance(1);
    await present(ann).updateVersion({
      ...{ ...name, changes: { content: other.content } },
      updateMask: { paths: ["content"] },
    });
    await expectDomainError(publish(present(ann), version), "CLICK_APPROVAL_REQUIRED");
    await approve();
    expect(await publish(present(ann), version)).toMatchObject({ revision: 1, contentHash: other.contentHash });
    const next = await upload(organization, templateId, pdf("Terms", "Be kinder."));
    await present(ann).putVersionDraft({ ...name, content: next.content, format });
    await expectDomainError(publish(present(ben), version), "CLICK_APPROVAL_REQUIRED");
    await approve();
    expect(await publish(present(ben), version)).toMatchObject({ revision: 2, contentHash: next.contentHash });
  });

  test("comes at its time with its file, which is kept for as long as it waits", async () => {
    const { organization, templateId, file } = await filed();
    const version = await createVersion(organization, templateId, { content: file.content, format });
    await publish(organization, version);
    const next = await upload(organization, templateId, pdf("Terms", "Be kinder."));
    const name = { templateId, versionId: version.id };
    await organization.putVersionDraft({ ...name, content: next.content, format });
    await schedule(organization, version, new Date(harness.clock.now().getTime() + 3 * day));
    harness.clock.advance(2 * day);
    await sweepFiles();
    expect(await getVersion(organization, version)).toMatchObject({ revision: 1, contentHash: file.contentHash });
    harness.clock.advance(day);
    await sweepFiles();
    expect(await getVersion(organization, version)).toMatchObject({ revision: 2, contentHash: next.contentHash });
    for (const { contentHash } of [file, next]) {
      expect((await organization.getTemplateFile({ templateId, contentHash })).file?.contentHash).toBe(contentHash);
    }
    // One whose publication is called off goes with its draft.
    const third = await upload(organization, templateId, pdf("Terms", "Be kindest."));
    await organization.putVersionDraft({ ...name, content: third.content, format });
    await schedule(organization, version, new Date(harness.clock.now().getTime() + 3 * day));
    await organization.cancelVersionSchedule(name);
    await organization.deleteVersionDraft(name);
    harness.clock.advance(day);
    await sweepFiles();
    const gone = organization.getTemplateFile({ templateId, contentHash: third.contentHash });
    await expectDomainError(gone, "CLICK_FILE_NOT_FOUND");
  });

  test("of an archived template is live again with its file when the template is restored", async () => {
    const { organization, templateId, file } = await filed();
    const version = await createVersion(organization, templateId, { content: file.content, format });
    await publish(organization, version);
    await organization.bulkArchiveTemplates({ templateIds: [templateId] });
    harness.clock.advance(3 * day);
    await sweepFiles();
    expect((await restore(organization, templateId)).status).toBe(TemplateStatus.PUBLISHED);
    const again = await getVersion(organization, version);
    expect(again).toMatchObject({ revision: 1, contentHash: file.contentHash });
    expect((await organization.getTemplateFile({ templateId, contentHash: again.contentHash })).file).toEqual(file);
  });
});
