import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { fromConnectError } from "#platform/errors.ts";
import { createPublished, type Organization, startTemplates, type TemplatesHarness } from "./harness.ts";

/** Ids of one organization. */
interface Ids {
  readonly templateId: string;
  readonly versionId: string;
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
  getRevision: (organization, { versionId }) => organization.getRevision({ versionId, revision: 1 }),
};

const withoutIds = ["createTemplate", "listTemplates", "resolveTemplates"];

const refusal = async (promise: Promise<unknown>) => {
  const error = await promise.then(() => undefined, fromConnectError);
  return error && { code: error.code, message: error.message, details: error.details, metadata: error.metadata };
};

test("every RPC is covered here", () => {
  const names = Object.keys(TemplatesService.method);
  expect([...Object.keys(calls), ...withoutIds].sort()).toEqual(names.sort());
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
    const theirs = { templateId: template.id, versionId: version.id };
    const unknown = { templateId: randomUUID(), versionId: randomUUID() };
    const before = await owner.getTemplate({ templateId: template.id, includeVersions: true });

    const answer = await refusal(call(stranger, theirs));
    expect(answer).toMatchObject({ code: expect.stringMatching(/_NOT_FOUND$/) });
    expect(answer).toEqual(await refusal(call(stranger, unknown)));
    if (["getVersion", "publishVersion"].includes(name)) {
      const ownTemplate = { ...theirs, templateId: own.template.id };
      expect(await refusal(call(stranger, ownTemplate))).toMatchObject({ code: "CLICK_VERSION_NOT_FOUND" });
    }
    expect(await owner.getTemplate({ templateId: template.id, includeVersions: true })).toEqual(before);
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
