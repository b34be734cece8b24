import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { onePixel } from "#api/kinds.ts";
import { SkipReason, TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { fromConnectError } from "#platform/errors.ts";
import { newDeploymentKey, newScreenshotId } from "../domain/deployment.ts";
import { createActive, pinned } from "./deployment-harness.ts";
import { createPublished, type Organization, startTemplates, type TemplatesHarness } from "./harness.ts";
import { saveDraft, schedule } from "./lifecycle-harness.ts";

/** Ids of one organization. */
interface Ids {
  readonly templateId: string;
  readonly versionId: string;
  readonly deploymentId: string;
  readonly deploymentKey: string;
  readonly screenshotId: string;
  readonly contentHash: string;
}

/** Every RPC that takes an id, as an organization calls it. ResolveTemplates names its organization itself. */
const calls: Record<string, (organization: Organization, ids: Ids) => Promise<unknown>> = {
  getTemplate: (organization, { templateId }) => organization.getTemplate({ templateId, includeVersions: true }),
  updateTemplate: (organization, { templateId }) =>
    organization.updateTemplate({ templateId, changes: { name: "Taken over" }, updateMask: { paths: ["name"] } }),
  createVersion: (organization, { templateId }) =>
    organization.createVersion({ templateId, locale: "de", content: "Taken over" }),
  getVersion: (organization, ids) => organization.getVersion({ ...ids, includeTemplate: true }),
  listVersions: (organization, { templateId }) => organization.listVersions({ templateId, includeTemplate: true }),
  publishVersion: (organization, ids) => organization.publishVersion({ ...ids, published: false }),
  createDeployment: (organization, { templateId }) =>
    organization.createDeployment({ templateId, fields: {}, activate: true }),
  listDeployments: (organization, { templateId }) => organization.listDeployments({ templateId }),
  getDeployment: (organization, { deploymentId }) => organization.getDeployment({ deploymentId }),
  updateDeployment: (organization, { deploymentId }) =>
    organization.updateDeployment({ deploymentId, fields: { name: "Taken over" }, updateMask: { paths: ["name"] } }),
  activateDeployment: (organization, { deploymentId }) => organization.activateDeployment({ deploymentId }),
  deactivateDeployment: (organization, { deploymentId }) => organization.deactivateDeployment({ deploymentId }),
  removeDeployment: (organization, { deploymentId }) => organization.removeDeployment({ deploymentId }),
  createScreenshot: (organization, { deploymentId }) =>
    organization.createScreenshot({ deploymentId, content: Buffer.from(onePixel, "base64") }),
  createTemplateFile: (organization, { templateId }) =>
    organization.createTemplateFile({ templateId, content: Buffer.from("%PDF-1.7\nBe kind.") }),
  getTemplateFile: (organization, ids) => organization.getTemplateFile(ids),
  listScreenshots: (organization, { deploymentId }) => organization.listScreenshots({ deploymentId }),
  getScreenshot: (organization, ids) => organization.getScreenshot(ids),
  deleteScreenshot: (organization, ids) => organization.deleteScreenshot(ids),
  resolveDeployment: (organization, { deploymentKey }) =>
    organization.resolveDeployment({ deployment: { case: "key", value: deploymentKey } }),
  getRevision: (organization, { versionId }) => organization.getRevision({ versionId, revision: 1 }),
  updateVersion: (organization, ids) =>
    organization.updateVersion({ ...ids, changes: { title: "Taken over" }, updateMask: { paths: ["title"] } }),
  archiveVersion: (organization, ids) => organization.archiveVersion(ids),
  getVersionDraft: (organization, ids) => organization.getVersionDraft(ids),
  putVersionDraft: (organization, ids) => organization.putVersionDraft({ ...ids, content: "Taken over" }),
  deleteVersionDraft: (organization, ids) => organization.deleteVersionDraft(ids),
  cancelVersionSchedule: (organization, ids) => organization.cancelVersionSchedule(ids),
  getVersionApproval: (organization, ids) => organization.getVersionApproval(ids),
  requestVersionApproval: (organization, ids) => organization.requestVersionApproval(ids),
  decideVersionApproval: (organization, ids) =>
    organization.decideVersionApproval({ ...ids, textHash: "sha256:00", approved: true }),
  removeTemplate: (organization, { templateId }) => organization.removeTemplate({ templateId }),
  getTemplateConfiguration: (organization, { templateId }) => organization.getTemplateConfiguration({ templateId }),
  countTemplateParts: (organization, { templateId }) => organization.countTemplateParts({ templateId }),
  applyPolicyFlags: (organization, { templateId }) =>
    organization.applyPolicyFlags({ templateId, policyFlags: { legalHold: true } }),
};

const withoutIds = [
  "createTemplate",
  "listTemplates",
  "resolveTemplates",
  "listTemplateTypes",
  "validateContent",
  "listPublishedPurposes",
  "listApprovalRequests",
  "getPublicationRules",
  "setPublicationRules",
];

/** Every RPC that answers for many ids at once: an unknown one is no error there. */
const bulkCalls: Record<string, (organization: Organization, templateIds: string[]) => Promise<unknown>> = {
  bulkArchiveTemplates: (organization, templateIds) => organization.bulkArchiveTemplates({ templateIds }),
  bulkDuplicateTemplates: (organization, templateIds) => organization.bulkDuplicateTemplates({ templateIds }),
};

const refusal = async (promise: Promise<unknown>) => {
  const error = await promise.then(() => undefined, fromConnectError);
  return error && { code: error.code, message: error.message, details: error.details, metadata: error.metadata };
};

test("every RPC is covered here", () => {
  const names = Object.keys(TemplatesService.method);
  expect([...Object.keys(calls), ...Object.keys(bulkCalls), ...withoutIds].sort()).toEqual(names.sort());
});

// Each lock must hold without the other: the queries by themselves, and row-level security beneath them.
describe.each([
  ["with row-level security", false],
  ["with the queries alone", true],
])("another organization's ids, %s", (_title, bypassRowSecurity) => {
  let harness: TemplatesHarness;
  beforeAll(async () => {
    harness = await startTemplates({ bypassRowSecurity });
  });
  afterAll(() => harness.stop());

  test.each(Object.entries(calls))("%s answers them like unknown ones and changes nothing", async (name, call) => {
    const [owner, stranger] = [harness.organization(), harness.organization()];
    const own = await createPublished(stranger);
    const { template, version } = await createPublished(owner);
    const deployment = await createActive(owner, template.id);
    const draft = await saveDraft(owner, version, "<p>Next</p>");
    await schedule(owner, version, new Date("2199-12-31T23:00:00Z"));
    const content = Buffer.from(onePixel, "base64");
    const { screenshot } = await owner.createScreenshot({ deploymentId: deployment.id, content });
    const pdf = Buffer.from("%PDF-1.7\nBe kind.");
    const { file } = await owner.createTemplateFile({ templateId: template.id, content: pdf });
    const theirs: Ids = {
      templateId: template.id,
      versionId: version.id,
      deploymentId: deployment.id,
      deploymentKey: deployment.key,
      screenshotId: screenshot?.id ?? "",
      contentHash: file?.contentHash ?? "",
    };
    const unknown: Ids = {
      templateId: randomUUID(),
      versionId: randomUUID(),
      deploymentId: randomUUID(),
      deploymentKey: newDeploymentKey(),
      screenshotId: newScreenshotId(),
      contentHash: `sha256:${"0".repeat(64)}`,
    };
    const before = await owner.getTemplate({ templateId: template.id, includeVersions: true });

    const answer = await refusal(call(stranger, theirs));
    expect(answer).toMatchObject({ code: expect.stringMatching(/_NOT_FOUND$/) });
    expect(answer).toEqual(await refusal(call(stranger, unknown)));
    if (/^(get|publish|update|archive)Version$|Version(Draft|Schedule|Approval)$/.test(name)) {
      const ownTemplate = { ...theirs, templateId: own.template.id };
      expect(await refusal(call(stranger, ownTemplate))).toMatchObject({ code: "CLICK_VERSION_NOT_FOUND" });
    }
    expect(await owner.getTemplate({ templateId: template.id, includeVersions: true })).toEqual(before);
    expect((await owner.listDeployments({ templateId: template.id })).deployments).toEqual([deployment]);
    expect((await owner.getVersionDraft(theirs)).draft).toEqual(draft);
    expect((await owner.listScreenshots(theirs)).screenshots).toEqual([screenshot]);
  });

  test("deployments are resolved by id, pinned and listed within their organization only", async () => {
    const [owner, stranger] = [harness.organization(), harness.organization()];
    const [theirs, own] = [await createPublished(owner), await createPublished(stranger)];
    const deployment = await createActive(owner, theirs.template.id);
    const name = { case: "deploymentId", value: deployment.id } as const;
    expect(await refusal(stranger.resolveDeployment({ deployment: name }))).toMatchObject({
      code: "CLICK_DEPLOYMENT_NOT_FOUND",
    });
    const fields = { versionSelector: pinned(theirs.version.id) };
    expect(await refusal(createActive(stranger, own.template.id, fields))).toMatchObject({
      code: "CLICK_VERSION_NOT_FOUND",
    });
    const ownDeployment = await createActive(stranger, own.template.id);
    const { versions } = await stranger.listVersions({ templateId: own.template.id, includeDeployments: true });
    expect(versions.flatMap((version) => version.deployments)).toEqual([ownDeployment]);
  });

  test.each(Object.entries(bulkCalls))("%s answers them like unknown ones and changes nothing", async (_name, call) => {
    const [owner, stranger] = [harness.organization(), harness.organization()];
    const { template } = await createPublished(owner);
    const unknown = randomUUID();
    const before = await owner.getTemplate({ templateId: template.id, includeVersions: true });
    for (const id of [template.id, unknown]) {
      expect(await call(stranger, [id])).toMatchObject({ skipped: [{ id, reason: SkipReason.NOT_FOUND }] });
      expect(await stranger.listTemplates({})).toMatchObject({ templates: [] });
    }
    expect(await owner.getTemplate({ templateId: template.id, includeVersions: true })).toEqual(before);
    expect((await owner.listTemplates({})).templates).toHaveLength(1);
  });

  test("lists show the own templates only, and foreign cursors show no more", async () => {
    const [owner, stranger] = [harness.organization(), harness.organization()];
    await createPublished(owner);
    await createPublished(owner);
    const own = await createPublished(stranger);
    const { nextCursor } = await owner.listTemplates({ limit: 1 });
    for (const cursor of ["", nextCursor]) {
      const { templates } = await stranger.listTemplates({ cursor, includeVersions: true });
      expect(templates.every((template) => template.id === own.template.id)).toBe(true);
      for (const { versions } of templates) expect(versions).toEqual([own.version]);
    }
  });

  test("slugs of others are free, and the same bytes are stored for each", async () => {
    const [a, b] = [harness.organization(), harness.organization()];
    for (const organization of [a, b]) {
      expect((await createPublished(organization)).template.slug).toBe("terms");
    }
    const { rows } = await harness.superuser.query(
      "select count(distinct organization_id)::integer as owners from templates.content where organization_id in ($1, $2)",
      [a.orgId, b.orgId],
    );
    expect(rows).toEqual([{ owners: 2 }]);
  });
});
