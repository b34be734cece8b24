import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Version, VersionStatus } from "#gen/assent/templates/v1/templates_pb.ts";
import { createActive, pinned } from "./deployment-harness.ts";
import {
  createPublished,
  createTemplate,
  createVersion,
  type Organization,
  present,
  publish,
  readEvents,
  startTemplates,
  type TemplatesHarness,
  unpublish,
} from "./harness.ts";
import {
  archive,
  bulkArchive,
  bulkDuplicate,
  getVersion,
  readSubjects,
  restore,
  saveDraft,
  schedule,
  updateVersion,
} from "./lifecycle-harness.ts";
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

  /** A published version with the draft of another text, as both know it. */
  async function drafted(organization: Organization) {
    const { template, version } = await createPublished(organization);
    return { template, version, draft: await saveDraft(organization, version, "<p>Next</p>", version.updatedAt) };
  }

  test("two publications of a draft: one revision, and one event for it", async () => {
    const ends = await race(async () => {
      const [a, b] = twoClients();
      const { version } = await drafted(a);
      const outcomes = await atOnce(publish(a, version), publish(b, version, false));
      await check(a, version);
      const { revisions, content, draft } = await getVersion(a, version);
      return [...outcomes, content, String(revisions.length), String(draft), ...(await readSubjects(harness, a.orgId))];
    });
    const published = "version.published";
    expectAmong(ends, `ok | ok | <p>Next</p> | 2 | undefined | ${published} | assent.audit.template | ${published}`);
  });

  test("two people who save the draft that they read: one does, the other is told", async () => {
    const ends = await race(async () => {
      const [a, b] = twoClients();
      const { version, draft } = await drafted(a);
      const outcomes = await atOnce(
        saveDraft(a, version, "<p>Mine</p>", draft.updatedAt),
        saveDraft(b, version, "<p>Theirs</p>", draft.updatedAt),
      );
      const saved = await a.getVersionDraft({ templateId: version.templateId, versionId: version.id });
      return [...outcomes, saved.draft?.content ?? ""];
    });
    expectAmong(ends, "ok | CLICK_VERSION_CONFLICT | <p>Mine</p>", "CLICK_VERSION_CONFLICT | ok | <p>Theirs</p>");
  });

  test("two people who begin a draft: one does, the other is told", async () => {
    const ends = await race(async () => {
      const [a, b] = twoClients();
      const { version } = await createPublished(a);
      const outcomes = await atOnce(
        saveDraft(a, version, "<p>Mine</p>", version.updatedAt),
        saveDraft(b, version, "<p>Theirs</p>", version.updatedAt),
      );
      await check(a, version);
      return outcomes.sort();
    });
    expectAmong(ends, "CLICK_VERSION_CONFLICT | ok");
  });

  test("saving and publishing the draft that both read: what goes live is what was read, or nothing", async () => {
    const ends = await race(async () => {
      const [a, b] = twoClients();
      const { version, draft } = await drafted(a);
      const name = { templateId: version.templateId, versionId: version.id };
      const outcomes = await atOnce(
        saveDraft(a, version, "<p>Later</p>", draft.updatedAt),
        b.publishVersion({ ...name, published: true, ifUpdatedAt: present(draft.updatedAt) }),
      );
      await check(a, version);
      return [...outcomes, (await getVersion(a, version)).content];
    });
    expectAmong(
      ends,
      "ok | CLICK_VERSION_CONFLICT | <p>Terms</p>",
      // The draft was gone, and the text that the writer had read is the live one.
      "CLICK_VERSION_CONFLICT | ok | <p>Next</p>",
    );
  });

  /** What all have read, to be published at once or in so many milliseconds. */
  const orderOf = ({ version, draft }: Awaited<ReturnType<typeof drafted>>, inMs?: number) => ({
    ...{ templateId: version.templateId, versionId: version.id, published: true, requireReacceptance: true },
    ifUpdatedAt: present(draft.updatedAt),
    ...(inMs === undefined ? {} : { publishAt: timestampFromDate(new Date(harness.clock.now().getTime() + inMs)) }),
  });

  test("publishing, scheduling and archiving what all have read: in the archive, with nothing to come", async () => {
    const ends = await race(async () => {
      const [a, b] = twoClients();
      const read = await drafted(a);
      const outcomes = await atOnce(
        a.publishVersion(orderOf(read)),
        b.publishVersion(orderOf(read, 1_000)),
        archive(a, read.version),
      );
      await check(a, read.version);
      harness.clock.advance(2_000);
      await check(a, read.version);
      const { revisions, status, schedule: left } = await getVersion(b, read.version);
      expect([status, left]).toEqual([VersionStatus.ARCHIVED, undefined]);
      const told = await readSubjects(harness, a.orgId);
      const count = (subject: string) => told.filter((one) => one === subject).length;
      // Each text that was live was told, and what was announced and did not come was called off.
      expect(count("version.published")).toBe(revisions.length);
      expect(count("version.scheduled")).toBe(count("version.unscheduled"));
      return [...outcomes, String(revisions.length)];
    });
    const archived = "CLICK_VERSION_ARCHIVED";
    expectAmong(
      ends,
      ...[`ok | CLICK_DRAFT_NOT_FOUND | ok | 2`, `ok | CLICK_VERSION_CONFLICT | ok | 2`, `ok | ${archived} | ok | 2`],
      ...["ok | ok | ok | 2", `${archived} | ok | ok | 1`, `${archived} | ${archived} | ok | 1`],
    );
  });

  test("saving and scheduling the draft that both read: what goes live is what was read, or nothing", async () => {
    const ends = await race(async () => {
      const [a, b] = twoClients();
      const read = await drafted(a);
      const outcomes = await atOnce(
        saveDraft(a, read.version, "<p>Later</p>", read.draft.updatedAt),
        b.publishVersion(orderOf(read, 1_000)),
      );
      await check(a, read.version);
      harness.clock.advance(1_000);
      return [...outcomes, (await getVersion(a, read.version)).content];
    });
    expectAmong(ends, "ok | CLICK_VERSION_CONFLICT | <p>Terms</p>", "CLICK_VERSION_SCHEDULED | ok | <p>Next</p>");
  });

  test("two people who schedule the same draft: it comes once, at one of the two times", async () => {
    const ends = await race(async () => {
      const [a, b] = twoClients();
      const read = await drafted(a);
      const begun = harness.clock.now().getTime();
      const outcomes = await atOnce(a.publishVersion(orderOf(read, 1_000)), b.publishVersion(orderOf(read, 2_000)));
      await check(a, read.version);
      harness.clock.advance(2_000);
      const { publishedAt } = await getVersion(b, read.version);
      const told = (await readSubjects(harness, a.orgId)).filter((subject) => subject === "version.published");
      return [...outcomes, `${timestampDate(present(publishedAt)).getTime() - begun} ms`, `${told.length} told`];
    });
    expectAmong(ends, "ok | ok | 1000 ms | 2 told", "ok | ok | 2000 ms | 2 told");
  });

  test("an archiving, a removal and the publication of a draft: one outcome, and no draft stays behind", async () => {
    const ends = await race(async () => {
      const [a, b] = twoClients();
      const { template, version } = await drafted(a);
      const outcomes = await atOnce(
        publish(a, version),
        archive(b, version),
        b.removeTemplate({ templateId: template.id }),
      );
      await check(a, version);
      return outcomes;
    });
    for (const end of ends) {
      expect(end).toMatch(
        /^(ok|CLICK_VERSION_ARCHIVED|CLICK_TEMPLATE_NOT_FOUND) \| (ok|CLICK_TEMPLATE_NOT_FOUND) \| ok$/,
      );
    }
  });

  test("at its second, a scheduled publication and all that can end it: one outcome in every process", async () => {
    const [a, b] = twoClients();
    const ends = await race(async () => {
      const { template, version } = await drafted(a);
      const publishAt = new Date(harness.clock.now().getTime() + 1000);
      await schedule(a, version, publishAt);
      const name = { templateId: template.id, versionId: version.id };
      harness.clock.advance(999);
      const acts = [
        () => publish(b, version),
        () => a.cancelVersionSchedule(name),
        () => schedule(b, version, new Date(publishAt.getTime() + 60_000)),
        () => b.deleteVersionDraft(name),
        () => archive(a, version),
      ].map((act) => act());
      harness.clock.advance(1);
      const reads = [a, b, a, b].map((process) => getVersion(process, version));
      await atOnce(...acts, ...reads);
      await check(a, version);
      const { revisions, status } = await getVersion(a, version);
      const told = (await readEvents(harness, a.orgId)).filter((event) => event.aggregateId === version.id);
      const published = told.filter(({ versionPublished: one }) => one !== undefined);
      // Everything that was published was told once, and whatever came first, the version is in the archive in the end.
      expect(published).toHaveLength(revisions.length);
      return [String(status)];
    });
    expectAmong(ends, String(VersionStatus.ARCHIVED));
  });

  test("a scheduled publication that many readers find due is done once", async () => {
    const ends = await race(async () => {
      const [a, b] = twoClients();
      const { version } = await drafted(a);
      await schedule(a, version, new Date(harness.clock.now().getTime() + 1000));
      harness.clock.advance(1000);
      const found = await Promise.all([a, b, a, b, a, b].map((process) => getVersion(process, version)));
      await check(a, version);
      const published = (await readSubjects(harness, a.orgId)).filter((subject) => subject === "version.published");
      return [...found.map(({ revision }) => String(revision)), `${published.length} told`];
    });
    expectAmong(ends, "2 | 2 | 2 | 2 | 2 | 2 | 2 told");
  });

  test("an activation and the publication of a draft: both come to pass, and the next text is served", async () => {
    const ends = await race(async () => {
      const [a, b] = twoClients();
      const { template, version } = await drafted(a);
      const activation = createActive(b, template.id);
      const outcomes = await atOnce(publish(a, version), activation);
      await check(a, version);
      const served = await a.resolveDeployment({ deployment: { case: "deploymentId", value: (await activation).id } });
      return [...outcomes, ...(served.template?.publishedVersions ?? []).map(({ revision }) => `revision ${revision}`)];
    });
    expectAmong(ends, "ok | ok | revision 2");
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
