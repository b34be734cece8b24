import { randomUUID } from "node:crypto";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TemplateStatus, VersionStatus } from "#gen/assent/templates/v1/templates_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { createActive, createDeployment, deactivate } from "./deployment-harness.ts";
import {
  createPublished,
  createTemplate,
  getTemplate,
  present,
  publish,
  startTemplates,
  type TemplatesHarness,
  updateTemplate,
} from "./harness.ts";
import {
  actByHand,
  bulkArchive,
  bulkDuplicate,
  getVersion,
  readSubjects,
  restore,
  untilWaiting,
} from "./lifecycle-harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

describe("bulkArchiveTemplates", () => {
  test("archives what it can and lists the rest in the order they were named", async () => {
    const organization = harness.organization();
    const draft = await createTemplate(organization);
    const { template: published, version } = await createPublished(organization);
    const { template: deployed } = await createPublished(organization);
    await createActive(organization, deployed.id);
    const stranger = await createTemplate(harness.organization());
    const unknown = randomUUID();
    harness.clock.advance(1000);
    expect(await bulkArchive(organization, stranger.id, draft.id, deployed.id, unknown, published.id)).toEqual({
      archived: 2,
      skipped: [`${stranger.id} not_found`, `${deployed.id} has_active_deployments`, `${unknown} not_found`],
    });
    for (const { id } of [draft, published]) {
      const archived = await getTemplate(organization, id);
      expect(archived.status).toBe(TemplateStatus.ARCHIVED);
      expect(timestampDate(present(archived.archivedAt))).toEqual(harness.clock.now());
    }
    expect(await getTemplate(organization, deployed.id)).toMatchObject({ status: TemplateStatus.PUBLISHED });
    expect(await getVersion(organization, version)).toMatchObject({ status: VersionStatus.PUBLISHED });
    expect((await readSubjects(harness, organization.orgId)).slice(2)).toEqual([
      "template.archived",
      "template.archived",
    ]);
  });

  test("counts a template once, however often and in whatever case it is named", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const unknown = randomUUID();
    expect(await bulkArchive(organization, id, id.toUpperCase(), unknown, id, unknown.toUpperCase())).toEqual({
      archived: 1,
      skipped: [`${unknown} not_found`],
    });
    expect(await readSubjects(harness, organization.orgId)).toEqual(["template.archived"]);
  });

  test("counts one that is archived already, and changes nothing of it", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    await bulkArchive(organization, id);
    const archived = await getTemplate(organization, id);
    harness.clock.advance(1000);
    expect(await bulkArchive(organization, id)).toEqual({ archived: 1, skipped: [] });
    expect(await getTemplate(organization, id)).toEqual(archived);
    expect(await readSubjects(harness, organization.orgId)).toHaveLength(1);
  });

  test("deployments that are not active do not matter", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    await createDeployment(organization, template.id);
    await deactivate(organization, (await createActive(organization, template.id)).id);
    expect(await bulkArchive(organization, template.id)).toEqual({ archived: 1, skipped: [] });
  });

  test("an archived template takes no change until it is restored", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    await bulkArchive(organization, template.id);
    await expectDomainError(
      updateTemplate(organization, template.id, ["name"], { name: "X" }),
      "CLICK_TEMPLATE_ARCHIVED",
    );
    await expectDomainError(publish(organization, version), "CLICK_TEMPLATE_ARCHIVED");
    expect(await restore(organization, template.id)).toMatchObject({ status: TemplateStatus.PUBLISHED });
    await restore(organization, template.id);
    expect((await readSubjects(harness, organization.orgId)).slice(1)).toEqual([
      "template.archived",
      "template.restored",
    ]);
  });

  test("takes 100 templates", async () => {
    const organization = harness.organization();
    const ids = [];
    for (let n = 0; n < 100; n += 1) ids.push((await createTemplate(organization, { slug: `t-${n}` })).id);
    expect(await bulkArchive(organization, ...ids)).toEqual({ archived: 100, skipped: [] });
  });

  test.each([
    ["none", []],
    ["101", Array.from({ length: 101 }, () => randomUUID())],
    ["a malformed one", [randomUUID(), "x"]],
  ])("refuses %s", async (_title, templateIds) => {
    await expectDomainError(harness.organization().bulkArchiveTemplates({ templateIds }), "VALIDATION_FAILED");
  });

  test("batches that name the same templates in opposite orders never wait in a circle", async () => {
    const organization = harness.organization();
    const other = (await harness.another()).organization(organization.orgId);
    const ids: string[] = [];
    for (let n = 0; n < 9; n += 1) ids.push((await createTemplate(organization)).id);
    const backwards = ids.toReversed();
    const release = await actByHand(harness, "select from templates.template where id = $1 for update", [ids[4]]);
    const batches = [
      bulkArchive(organization, ...ids),
      bulkArchive(other, ...backwards),
      bulkDuplicate(organization, backwards),
      bulkDuplicate(other, ids),
    ] as const;
    // Each has taken the locks before the one that is held, in the order that it follows.
    await untilWaiting(harness, batches.length);
    await release("rollback");
    const [first, second, ...copies] = await Promise.all(batches);
    expect([first, second]).toEqual(Array(2).fill({ archived: 9, skipped: [] }));
    expect(copies.map(({ duplicates }) => duplicates.length)).toEqual([9, 9]);
    expect(await readSubjects(harness, organization.orgId)).toHaveLength(9);
  });
});
