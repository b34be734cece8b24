import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Version } from "#gen/assent/templates/v1/templates_pb.ts";
import { createActive, pinned } from "./deployment-harness.ts";
import {
  createPublished,
  createTemplate,
  createVersion,
  type Organization,
  publish,
  startTemplates,
  type TemplatesHarness,
  unpublish,
} from "./harness.ts";
import { archive, bulkArchive, bulkDuplicate, readSubjects, restore, updateVersion } from "./lifecycle-harness.ts";
import { checkInvariants } from "./lifecycle-invariants.ts";
import { outcomeOf } from "./lifecycle-system.ts";

let harness: TemplatesHarness;
let other: (orgId: string) => Organization;
beforeAll(async () => {
  harness = await startTemplates();
  other = (await harness.another()).organization;
});
afterAll(() => harness.stop());

const rounds = 12;

/** One organization as two processes serve it. */
function twoClients(): [Organization, Organization] {
  const organization = harness.organization();
  return [organization, other(organization.orgId)];
}

/** What the calls came to when they ran at once, as error codes or "ok". */
const atOnce = (...calls: Promise<unknown>[]) => Promise.all(calls.map(outcomeOf));

const check = (organization: Organization, ...versions: Pick<Version, "id" | "templateId">[]) =>
  checkInvariants(harness, organization, {
    templates: versions.map(({ id, templateId }) => ({ id: templateId, versions: [id] })),
  });

/** Runs a race again and again and gives the different ends it came to. */
async function race(run: () => Promise<readonly string[]>): Promise<Set<string>> {
  const ends = new Set<string>();
  for (let round = 0; round < rounds; round += 1) ends.add((await run()).join(" | "));
  return ends;
}

const expectAmong = (ends: Set<string>, ...allowed: string[]) =>
  expect([...ends].filter((end) => !allowed.includes(end))).toEqual([]);

describe("at once", () => {
  test("a bulk archive and an activation: a deployment is never active in an archived template", async () => {
    const ends = await race(async () => {
      const [a, b] = twoClients();
      const { template, version } = await createPublished(a);
      const archiving = bulkArchive(a, template.id);
      const outcomes = await atOnce(archiving, createActive(b, template.id));
      await check(a, version);
      return [String((await archiving).archived), ...outcomes];
    });
    expectAmong(ends, "1 | ok | CLICK_TEMPLATE_ARCHIVED", "0 | ok | ok");
  });

  test.each([
    ["pinned to the version", (version: Version) => ({ versionSelector: pinned(version.id) })],
    ["of what is published", () => ({})],
  ])("an archiving and an activation %s: it never serves nothing", async (_title, fields) => {
    const ends = await race(async () => {
      const [a, b] = twoClients();
      const { template, version } = await createPublished(a);
      const outcomes = await atOnce(archive(a, version), createActive(b, template.id, fields(version)));
      await check(a, version);
      return outcomes;
    });
    expectAmong(ends, "ok | CLICK_VERSION_NOT_PUBLISHED", "CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS | ok");
  });

  test("unpublishing both versions and an activation: one of them stays", async () => {
    const ends = await race(async () => {
      const [a, b] = twoClients();
      const { template, version } = await createPublished(a);
      const second = await publish(a, await createVersion(a, template.id, { locale: "de" }));
      await createActive(a, template.id);
      const outcomes = await atOnce(unpublish(a, version), unpublish(b, second));
      await check(a, version, second);
      return outcomes.sort();
    });
    expectAmong(ends, "CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS | ok");
  });

  test("an archiving and a publication: the version ends archived, and the events tell how", async () => {
    const ends = await race(async () => {
      const [a, b] = twoClients();
      const draft = await createVersion(a, (await createTemplate(a)).id);
      const outcomes = await atOnce(archive(a, draft), publish(b, draft));
      await check(a, draft);
      return [...outcomes, ...(await readSubjects(harness, a.orgId))];
    });
    expectAmong(
      ends,
      "ok | CLICK_VERSION_ARCHIVED | version.archived",
      "ok | ok | version.published | version.unpublished | version.archived",
    );
  });

  test("an update and a publication: what is published is what the version says", async () => {
    const ends = await race(async () => {
      const [a, b] = twoClients();
      const draft = await createVersion(a, (await createTemplate(a)).id);
      const outcomes = await atOnce(updateVersion(a, draft, ["content"], { content: "<p>New</p>" }), publish(b, draft));
      await check(a, draft);
      const { content } = await a.getRevision({ versionId: draft.id, revision: 1 });
      return [...outcomes, Buffer.from(content).toString()];
    });
    expectAmong(ends, "ok | ok | <p>New</p>", "CLICK_VERSION_PUBLISHED | ok | <p>Terms</p>");
  });

  test("a removal and an activation: a deployment is never active in a deleted template", async () => {
    const ends = await race(async () => {
      const [a, b] = twoClients();
      const { template, version } = await createPublished(a);
      const outcomes = await atOnce(a.removeTemplate({ templateId: template.id }), createActive(b, template.id));
      await check(a, version);
      return outcomes;
    });
    expectAmong(ends, "ok | CLICK_TEMPLATE_NOT_FOUND", "CLICK_TEMPLATE_HAS_ACTIVE_DEPLOYMENTS | ok");
  });

  test("a removal and the first publication: what was published stays readable, anything else is gone", async () => {
    const ends = await race(async () => {
      const [a, b] = twoClients();
      const draft = await createVersion(a, (await createTemplate(a)).id);
      const outcomes = await atOnce(a.removeTemplate({ templateId: draft.templateId }), publish(b, draft));
      await check(a, draft);
      const { rows } = await harness.superuser.query("select from templates.template where organization_id = $1", [
        a.orgId,
      ]);
      const revision = await outcomeOf(a.getRevision({ versionId: draft.id, revision: 1 }));
      return [...outcomes, `${rows.length} rows`, revision];
    });
    expectAmong(ends, "ok | CLICK_TEMPLATE_NOT_FOUND | 0 rows | CLICK_VERSION_NOT_FOUND", "ok | ok | 1 rows | ok");
  });

  test("a removal and a new version or deployment: nothing is left without its template", async () => {
    const ends = await race(async () => {
      const [a, b] = twoClients();
      const templateId = (await createTemplate(a)).id;
      const outcomes = await atOnce(
        a.removeTemplate({ templateId }),
        createVersion(b, templateId),
        a.createDeployment({ templateId, fields: {} }),
      );
      const sql = `select count(*)::integer as n from (select organization_id from templates.version
        union all select organization_id from templates.deployment) rest where organization_id = $1`;
      const { rows } = await harness.superuser.query<{ n: number }>(sql, [a.orgId]);
      return [...outcomes, `${rows[0]?.n} rows`];
    });
    for (const end of ends) {
      expect(end).toMatch(/^ok( \| (ok|CLICK_TEMPLATE_NOT_FOUND)){2} \| 0 rows$/);
    }
  });

  test("bulk archives, restorations, publications and copies of the same templates all get through", async () => {
    const [a, b] = twoClients();
    const created = [];
    for (let n = 0; n < 6; n += 1) created.push(await createVersion(a, (await createTemplate(a)).id));
    const ids = created.map(({ templateId }) => templateId);
    for (let round = 0; round < 6; round += 1) {
      const outcomes = await atOnce(
        bulkArchive(a, ...ids),
        bulkArchive(b, ...ids.toReversed()),
        bulkDuplicate(b, ids.toReversed()),
        ...created.map((version) => publish(a, version)),
        ...ids.map((id) => restore(b, id)),
        ...created.map((version) => archive(b, version)),
      );
      expectAmong(new Set(outcomes), "ok", "CLICK_TEMPLATE_ARCHIVED", "CLICK_VERSION_ARCHIVED");
      await check(a, ...created);
    }
  });
});
