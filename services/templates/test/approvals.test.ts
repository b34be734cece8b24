import { randomUUID } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  type Approval,
  ApprovalStatus,
  TemplateStatus,
  TemplateType,
  type Version,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { fromConnectError } from "#platform/errors.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import {
  clientId,
  createPublished,
  createTemplate,
  createVersion,
  type Organization,
  present,
  publish,
  readEvents,
  startTemplates,
  type TemplatesHarness,
  type TemplatesProcess,
  unpublish,
  updateTemplate,
} from "./harness.ts";
import {
  archive,
  bulkArchive,
  bulkDuplicate,
  consentConfig,
  getVersion,
  readSubjects,
  restore,
  saveDraft,
  schedule,
  updateVersion,
} from "./lifecycle-harness.ts";

let harness: TemplatesHarness;
let second: TemplatesProcess;
beforeAll(async () => {
  harness = await startTemplates();
  second = await harness.another();
});
afterAll(() => harness.stop());

const ann = `user:${randomUUID()}`;
const ben = `user:${randomUUID()}`;
const cleo = `user:${randomUUID()}`;

/** A program and three people of one organization, in two processes. */
function colleagues(orgId: string = randomUUID()) {
  const as = (by: string, process: TemplatesProcess = harness) => process.organization(orgId, by);
  return { program: as(clientId), ann: as(ann), ben: as(ben, second), cleo: as(cleo), orgId };
}

/** The same where nothing is published without a second person. */
async function careful() {
  const all = colleagues();
  await all.ann.setPublicationRules({ fourEyes: true });
  return all;
}

const nameOf = ({ id: versionId, templateId }: Pick<Version, "id" | "templateId">) => ({ templateId, versionId });

const approvalOf = async (who: Organization, version: Version): Promise<Approval> =>
  present((await who.getVersionApproval(nameOf(version))).approval);

const ask = async (who: Organization, version: Version, note = "Please") =>
  present((await who.requestVersionApproval({ ...nameOf(version), note })).approval);

async function approve(who: Organization, version: Version, textHash?: string) {
  const hash = textHash ?? (await approvalOf(who, version)).textHash ?? "";
  const decision = { ...nameOf(version), textHash: hash, approved: true };
  return present((await who.decideVersionApproval(decision)).approval);
}

async function decline(who: Organization, version: Version, reason = "Section 3 is missing.") {
  const { textHash = "" } = await approvalOf(who, version);
  return present((await who.decideVersionApproval({ ...nameOf(version), textHash, reason })).approval);
}

/** A text of Ann's that Ben has approved of. */
async function approved({ ann: author, ben: reader }: Awaited<ReturnType<typeof careful>>, content = "<p>Mine</p>") {
  const { id } = await createTemplate(author);
  const version = await createVersion(author, id, { content });
  await ask(author, version);
  await approve(reader, version);
  return version;
}

const required = (promise: Promise<unknown>) => expectDomainError(promise, "CLICK_APPROVAL_REQUIRED");
const notAllowed = (promise: Promise<unknown>) => expectDomainError(promise, "CLICK_APPROVAL_NOT_ALLOWED");
const tomorrow = () => new Date(harness.clock.now().getTime() + 86_400_000);

describe("the rules of publication", () => {
  test("are off at first, are a person's to change, and every change is told once", async () => {
    const { program, ann: owner, orgId } = colleagues();
    expect((await program.getPublicationRules({})).rules).toMatchObject({ fourEyes: false });
    await notAllowed(program.setPublicationRules({ fourEyes: true }));
    await notAllowed(harness.organization(orgId, "user:nobody").setPublicationRules({ fourEyes: true }));
    const { version } = await createPublished(owner);
    expect(version.revision).toBe(1);
    for (const fourEyes of [true, true, false]) {
      expect((await owner.setPublicationRules({ fourEyes })).rules).toMatchObject({ fourEyes, updatedBy: ann });
    }
    const told = (await readEvents(harness, orgId)).flatMap(({ auditedOrganization: one }) => one ?? []);
    expect(told.map(({ action, changes, actor }) => [action, changes, actor])).toEqual(
      ["true", "false"].map((value) => [
        "publication-rules.changed",
        [{ field: "fourEyes", value }],
        { kind: "user", id: ann.slice(5) },
      ]),
    );
  });

  test("call off what was scheduled alone, and let what was approved come", async () => {
    const all = colleagues();
    const at = tomorrow();
    const { version: alone } = await createPublished(all.ann);
    await saveDraft(all.ann, alone, "<p>Alone</p>");
    await schedule(all.ann, alone, at);
    const { version: read } = await createPublished(all.ann);
    await saveDraft(all.ann, read, "<p>Read</p>");
    await ask(all.ann, read);
    await approve(all.ben, read);
    await schedule(all.ann, read, at);
    const other = await approved(all);
    const order = { ...nameOf(other), published: true, publishAt: timestampFromDate(at) };
    await all.ann.publishVersion({ ...order, changeSummary: "Nobody has read this." });
    await all.cleo.setPublicationRules({ fourEyes: true });
    for (const one of [alone, other]) expect((await getVersion(all.ann, one)).schedule).toBeUndefined();
    expect(await readSubjects(harness, all.orgId)).toContain("version.unscheduled");
    harness.clock.advance(86_400_000);
    expect([(await getVersion(all.ann, alone)).revision, (await getVersion(all.ben, read)).revision]).toEqual([1, 2]);
  });
});

describe("with four eyes, a text", () => {
  test("is published by nobody before another person has approved of it, and by anybody then", async () => {
    const all = await careful();
    const { id } = await createTemplate(all.ann);
    const version = await createVersion(all.ann, id, { content: "<p>Mine</p>" });
    for (const who of [all.ann, all.ben, all.program]) {
      await required(publish(who, version));
      await required(schedule(who, version, tomorrow()));
    }
    expect(await ask(all.ann, version)).toMatchObject({
      ...{ required: true, status: ApprovalStatus.REQUESTED, authors: [ann], requestedBy: ann, note: "Please" },
    });
    await required(publish(all.ben, version));
    expect(await approve(all.ben, version)).toMatchObject({ status: ApprovalStatus.APPROVED, decidedBy: ben });
    expect((await publish(all.program, version)).revision).toBe(1);
    // Whoever tries again, not knowing that it was published, is told that it was.
    expect((await publish(all.program, version)).revision).toBe(1);
    expect(await approvalOf(all.ann, version)).toMatchObject({ status: ApprovalStatus.NONE, authors: [] });
  });

  test("is approved by no program, not by its authors, and not by who has asked", async () => {
    const all = await careful();
    const { id } = await createTemplate(all.ann);
    const version = await createVersion(all.ann, id);
    await updateVersion(all.cleo, version, ["title"], { title: "Cleo's words" });
    const { textHash = "", authors } = await ask(all.program, version);
    expect(authors).toEqual([ann, cleo]);
    for (const who of [all.ann, all.cleo, all.program]) await notAllowed(approve(who, version, textHash));
    await ask(all.ben, version);
    await notAllowed(approve(all.ben, version));
    await ask(all.ann, version);
    expect(await approve(all.ben, version)).toMatchObject({ status: ApprovalStatus.APPROVED });
  });

  test("of a program may be approved by any person, never by another program", async () => {
    const all = await careful();
    const { id } = await createTemplate(all.program);
    const version = await createVersion(all.program, id);
    await ask(all.program, version);
    await notAllowed(approve(harness.organization(all.orgId, "cl_other"), version));
    expect(await approve(all.ann, version)).toMatchObject({ status: ApprovalStatus.APPROVED });
    expect((await publish(all.program, version)).revision).toBe(1);
  });

  test("that was saved since needs another approval, whoever has saved it and even if it says the same again", async () => {
    const all = await careful();
    const version = await approved(all);
    harness.clock.advance(1);
    await updateVersion(all.ann, version, ["content"], { content: "<p>Other</p>" });
    await required(publish(all.ann, version));
    expect(await approvalOf(all.ann, version)).toMatchObject({ status: ApprovalStatus.OUTDATED });
    harness.clock.advance(1);
    await updateVersion(all.ann, version, ["content"], { content: "<p>Mine</p>" });
    await required(publish(all.ann, version));
    await ask(all.ann, version);
    await approve(all.ben, version);
    const live = await publish(all.ann, version);
    await saveDraft(all.ben, live, "<p>Next</p>");
    await required(publish(all.ben, live));
    await required(schedule(all.ben, live, tomorrow()));
    await ask(all.ben, live);
    // Who has written what is live has not written what comes next.
    await approve(all.ann, live);
    await saveDraft(all.cleo, live, "<p>Next, please</p>");
    await required(publish(all.ben, live));
    await expectDomainError(approve(all.ann, live), "CLICK_APPROVAL_NOT_REQUESTED");
    const { textHash } = await ask(all.cleo, live);
    await expectDomainError(approve(all.ann, live, "sha256:00"), "CLICK_VERSION_CONFLICT");
    await approve(all.ann, live, textHash);
    expect((await publish(all.ben, live)).revision).toBe(2);
  });

  test("is published with the words that were approved", async () => {
    const all = await careful();
    const version = await approved(all);
    const order = { ...nameOf(version), published: true };
    await required(all.ann.publishVersion({ ...order, changeSummary: "Nothing new." }));
    await required(all.ann.publishVersion({ ...order, effectiveAt: timestampFromDate(tomorrow()) }));
    const publishAt = timestampFromDate(tomorrow());
    await required(all.ann.publishVersion({ ...order, publishAt, changeSummary: "Nothing new." }));
    expect((await publish(all.ann, version)).revision).toBe(1);
  });

  test("that was refused is not published, until somebody asks anew and it is approved", async () => {
    const all = await careful();
    const { id } = await createTemplate(all.ann);
    const version = await createVersion(all.ann, id);
    await expectDomainError(approve(all.ben, version), "CLICK_APPROVAL_NOT_REQUESTED");
    await ask(all.ann, version);
    await expectDomainError(decline(all.ben, version, " "), "CLICK_VALIDATION_FAILED");
    await notAllowed(decline(all.program, version));
    await notAllowed(decline(all.ann, version));
    for (const _ of [1, 2]) {
      expect(await decline(all.ben, version)).toMatchObject({
        ...{ status: ApprovalStatus.REFUSED, decidedBy: ben, reason: "Section 3 is missing." },
      });
    }
    await required(publish(all.ann, version));
    await expectDomainError(approve(all.cleo, version), "CLICK_APPROVAL_NOT_REQUESTED");
    await ask(all.ann, version);
    await approve(all.cleo, version);
    // Second thoughts count while nothing is scheduled.
    await decline(all.ben, version);
    await required(publish(all.ann, version));
    await ask(all.ann, version);
    await approve(all.ben, version);
    await schedule(all.ann, version, tomorrow());
    await expectDomainError(decline(all.ben, version), "CLICK_VERSION_SCHEDULED");
    const told = await readEvents(harness, all.orgId);
    const audited = told.flatMap(({ auditedTemplate: one }) => (one?.action?.startsWith("approval.") ? [one] : []));
    expect(audited.map(({ action }) => action?.slice("approval.".length))).toEqual(
      "requested refused requested granted refused requested granted".split(" "),
    );
    expect(audited[1]).toMatchObject({
      actor: { kind: "user", id: ben.slice(5) },
      changes: [{ field: "textHash" }, { field: "reason", value: "Section 3 is missing." }],
    });
    const { approvalRefused } = told.find((event) => event.approvalRefused !== undefined) ?? {};
    expect(approvalRefused).toMatchObject({ versionId: version.id, by: ben, comment: "Section 3 is missing." });
  });

  test("that is scheduled comes with the approval that it had, and can be put off", async () => {
    const all = await careful();
    const version = await approved(all);
    await schedule(all.ann, version, tomorrow());
    const later = new Date(tomorrow().getTime() + 1000);
    await schedule(all.program, version, later);
    harness.clock.advance(86_401_000);
    expect((await getVersion(all.ann, version)).revision).toBe(1);
  });

  test("that was taken back needs an approval to be live again", async () => {
    const all = await careful();
    const live = await publish(all.ann, await approved(all));
    await unpublish(all.ann, live);
    await required(publish(all.ann, live));
    await ask(all.ann, live);
    await approve(all.cleo, live);
    expect((await publish(all.ann, live)).revision).toBe(1);
    // A draft that says what is live makes nothing live.
    await saveDraft(all.ann, live, "<p>Mine</p>");
    expect((await publish(all.ann, live)).revision).toBe(1);
  });

  test("of an archived template comes back by a person who has not written it", async () => {
    const all = await careful();
    const live = await publish(all.ann, await approved(all));
    await bulkArchive(all.ann, live.templateId);
    for (const who of [all.ann, all.program]) await required(restore(who, live.templateId));
    expect((await restore(all.ben, live.templateId)).status).toBe(TemplateStatus.PUBLISHED);
    await bulkDuplicate(all.program, [live.templateId]);
    const { templates } = await all.ann.listTemplates({});
    expect(templates.map(({ status }) => status).sort()).toEqual([TemplateStatus.DRAFT, TemplateStatus.PUBLISHED]);
  });

  test("has the authors of its words and of drafts that an earlier release has saved", async () => {
    const all = await careful();
    const live = await publish(all.ann, await approved(all));
    await unpublish(all.ann, live);
    await updateVersion(all.ben, live, ["change_summary"], { changeSummary: "Ben's words" });
    await updateVersion(all.cleo, live, ["content"], { content: "<p>Cleo's</p>" });
    expect((await ask(all.program, live)).authors).toEqual([ben, cleo]);
    await notAllowed(approve(all.ben, live));
    await approve(all.ann, live);
    await publish(all.program, live);
    // Whoever changes what is live begins anew.
    await unpublish(all.ann, live);
    await updateVersion(all.ann, live, ["content"], { content: "<p>Ann's</p>" });
    expect((await ask(all.ann, live)).authors).toEqual([ann]);
    await approve(all.ben, live);
    await publish(all.program, live);
    await saveDraft(all.cleo, live, "<p>Next</p>");
    await harness.superuser.query("update templates.version_draft set authors = '{}' where version_id = $1", [live.id]);
    expect((await ask(all.cleo, live)).authors).toEqual([cleo]);
    await approve(all.ben, live);
    await publish(all.program, live);
    await bulkArchive(all.ann, live.templateId);
    await required(restore(all.cleo, live.templateId));
    expect((await restore(all.ann, live.templateId)).status).toBe(TemplateStatus.PUBLISHED);
  });

  test("is live with the settings that it was approved with, which no program changes while it is scheduled", async () => {
    const all = await careful();
    const version = await approved(all);
    const settings = (legalName: string) => ({ counterparty: { legalName } });
    const change = (who: Organization, legalName: string) =>
      updateTemplate(who, version.templateId, ["counterparty"], settings(legalName));
    await updateTemplate(all.program, version.templateId, ["name"], { name: "Another name" });
    expect(await approvalOf(all.ann, version)).toMatchObject({ status: ApprovalStatus.APPROVED });
    await change(all.program, "Somebody Else");
    expect(await approvalOf(all.ann, version)).toMatchObject({ status: ApprovalStatus.OUTDATED });
    await required(publish(all.program, version));
    await ask(all.ann, version);
    await change(all.program, "Somebody");
    expect((await all.ben.listApprovalRequests({})).requests).toEqual([]);
    await ask(all.ann, version);
    await approve(all.ben, version);
    await schedule(all.program, version, tomorrow());
    await required(change(all.program, "A Third"));
    await change(all.ann, "A Third");
    const told = (await readEvents(harness, all.orgId)).flatMap(({ auditedTemplate: one }) => one ?? []);
    expect(told.at(-1)).toMatchObject({ action: "template.settings-changed", changes: [{ field: "counterparty" }] });
    harness.clock.advance(86_400_000);
    expect((await getVersion(all.ann, version)).revision).toBe(1);
  });

  test("is shown with settings that no program changes, and what people change is written down", async () => {
    const all = await careful();
    const template = { type: TemplateType.CONSENT, typeConfig: consentConfig };
    const { id } = await createTemplate(all.ann, template);
    const purposeTexts = { news: "I want news." };
    const version = await createVersion(all.ann, id, { content: "<p>News?</p>", texts: { purposeTexts } });
    await updateTemplate(all.program, id, ["type_config"], { typeConfig: { ...consentConfig, jurisdiction: "DE" } });
    await ask(all.ann, version);
    await approve(all.ben, version);
    await publish(all.ann, version);
    const changes = { typeConfig: { ...consentConfig, jurisdiction: "CH" } };
    await required(updateTemplate(all.program, id, ["type_config"], changes));
    await updateTemplate(all.program, id, ["name"], { name: "News" });
    await updateTemplate(all.ann, id, ["type_config"], changes);
    const told = (await readEvents(harness, all.orgId)).flatMap(({ auditedTemplate: one }) => one ?? []);
    expect(told.at(-1)).toMatchObject({ action: "template.settings-changed", changes: [{ field: "typeConfig" }] });
  });
});

describe("what waits for an approval", () => {
  test("is listed page by page, the longest waiting first, without what was saved since", async () => {
    const all = await careful();
    const versions: Version[] = [];
    for (const name of ["One", "Two", "Three"]) {
      const { id } = await createTemplate(all.ann, { name });
      versions.push(await createVersion(all.ann, id));
      harness.clock.advance(10);
      await ask(all.ann, present(versions.at(-1)), `Read ${name}`);
    }
    const first = await all.ben.listApprovalRequests({ limit: 2 });
    const rest = await all.ben.listApprovalRequests({ limit: 2, cursor: first.nextCursor });
    expect(rest.nextCursor).toBe("");
    const listed = [...first.requests, ...rest.requests];
    expect(
      listed.map(({ templateName, note, authors, requestedBy }) => [templateName, note, authors, requestedBy]),
    ).toEqual(["One", "Two", "Three"].map((name) => [name, `Read ${name}`, [ann], ann]));
    const [one, two, three] = versions.map((version) => present(version));
    await updateVersion(all.ann, present(one), ["title"], { title: "New" });
    await decline(all.ben, present(two));
    await archive(all.ann, present(three));
    expect((await all.ben.listApprovalRequests({})).requests).toEqual([]);
    await expectDomainError(all.ben.listApprovalRequests({ cursor: "nonsense" }), "CLICK_VALIDATION_FAILED");
  });

  test("is nothing when there is nothing to publish", async () => {
    const { ann: author, ben: reader } = colleagues();
    const { version } = await createPublished(author);
    expect(await approvalOf(author, version)).toMatchObject({ required: false, status: ApprovalStatus.NONE });
    await expectDomainError(ask(author, version), "CLICK_DRAFT_NOT_FOUND");
    await expectDomainError(approve(reader, version, "sha256:00"), "CLICK_DRAFT_NOT_FOUND");
    await archive(author, version);
    await expectDomainError(ask(author, version), "CLICK_VERSION_ARCHIVED");
    const draft = await createVersion(author, (await createTemplate(author)).id);
    await ask(author, draft);
    await author.removeTemplate({ templateId: draft.templateId });
    await expectDomainError(approvalOf(author, draft), "CLICK_TEMPLATE_NOT_FOUND");
  });
});

const outcomeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "ok",
    (error: unknown) => fromConnectError(error)?.code ?? String(error),
  );

/** The outcomes of calls that are made at the same moment, in the order of the calls. */
const atOnce = (...calls: Promise<unknown>[]) => Promise.all(calls.map(outcomeOf));
const rounds = Array.from({ length: 8 }, (_, round) => round);

describe("at the same moment", () => {
  test.each(rounds)("an approval, an edit and a publication: what is live was approved (%i)", async () => {
    const all = await careful();
    const { id } = await createTemplate(all.ann);
    const version = await createVersion(all.ann, id, { content: "<p>Shown to Ben</p>" });
    const { textHash } = await ask(all.ann, version);
    harness.clock.advance(5);
    const [decided] = await atOnce(
      approve(all.ben, version, textHash),
      updateVersion(all.ann, version, ["content"], { content: "<p>Not shown to Ben</p>" }),
      publish(all.program, version),
    );
    expect(["ok", "CLICK_VERSION_CONFLICT", "CLICK_DRAFT_NOT_FOUND"]).toContain(decided);
    await outcomeOf(publish(all.ann, version));
    const { revision, content } = await getVersion(all.ann, version);
    if (revision > 0) expect([revision, content]).toEqual([1, "<p>Shown to Ben</p>"]);
  });

  test.each(rounds)("two approvals and a refusal: one decision each, told once (%i)", async () => {
    const all = await careful();
    const { id } = await createTemplate(all.ann);
    const version = await createVersion(all.ann, id);
    const { textHash } = await ask(all.ann, version);
    const approvals = [approve(all.ben, version, textHash), approve(all.cleo, version, textHash)];
    expect(await atOnce(...approvals)).toEqual(["ok", "ok"]);
    const subjects = await readSubjects(harness, all.orgId);
    expect(subjects.filter((subject) => subject === "approval.granted")).toHaveLength(1);
    const { decidedBy } = await approvalOf(all.ann, version);
    const answers = await Promise.all(approvals);
    expect(answers.map((answer) => answer.decidedBy)).toEqual([decidedBy, decidedBy]);
    await atOnce(decline(all.ben, version), publish(all.program, version), publish(all.ann, version));
    const { revision } = await getVersion(all.ann, version);
    const published = (await readSubjects(harness, all.orgId)).filter((subject) => subject === "version.published");
    expect(published).toHaveLength(revision);
  });

  test.each(rounds)("the rule that is switched on, a publication and a schedule: nothing slips by (%i)", async () => {
    const all = colleagues();
    const { version } = await createPublished(all.ann);
    await saveDraft(all.ann, version, "<p>Next</p>");
    const other = await createVersion(all.ann, (await createTemplate(all.ann)).id);
    const [switched, published, scheduled] = await atOnce(
      all.cleo.setPublicationRules({ fourEyes: true }),
      publish(all.program, version),
      schedule(harness.organization(all.orgId, ben), other, tomorrow()),
    );
    expect(switched).toBe("ok");
    for (const outcome of [published, scheduled]) expect(["ok", "CLICK_APPROVAL_REQUIRED"]).toContain(outcome);
    expect((await getVersion(all.ann, other)).schedule).toBeUndefined();
    harness.clock.advance(86_400_000);
    expect((await getVersion(all.ann, other)).revision).toBe(0);
  });
});
