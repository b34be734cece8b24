import { randomUUID } from "node:crypto";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TemplateStatus, TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { createActive } from "./deployment-harness.ts";
import {
  createPublished,
  createTemplate,
  getTemplate,
  type Organization,
  present,
  problemFields,
  startTemplates,
  type TemplatesHarness,
} from "./harness.ts";
import {
  actByHand,
  bulkArchive,
  bulkDuplicate,
  consentConfig,
  readSubjects,
  storedColumns,
  untilWaiting,
} from "./lifecycle-harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

describe("bulkDuplicateTemplates", () => {
  test("copies what a template is and nothing of what became of it", async () => {
    const organization = harness.organization();
    const given = {
      name: "Consent",
      type: TemplateType.CONSENT,
      description: "About news",
      defaultLocale: "de",
      typeConfig: consentConfig,
      policyFlags: { requireView: true },
      counterparty: { legalName: "Acme" },
      metadata: { team: "legal" },
    };
    const { template: source } = await createPublished(organization, given);
    await createActive(organization, source.id);
    await harness.superuser.query("update templates.template set created_by = 'somebody' where id = $1", [source.id]);
    const before = await getTemplate(organization, source.id);
    harness.clock.advance(1000);
    const events = await readSubjects(harness, organization.orgId);

    const { duplicates, skipped } = await bulkDuplicate(organization, [source.id]);
    expect(skipped).toEqual([]);
    const newId = duplicates[0]?.newId ?? "";
    expect(duplicates).toEqual([{ sourceId: source.id, newId: expect.stringMatching(/-7/), name: "Consent (copy)" }]);
    const copy = (await organization.getTemplate({ templateId: newId, includeVersions: true })).template;
    expect(copy).toEqual({
      ...before,
      id: newId,
      name: "Consent (copy)",
      slug: "consent-copy",
      status: TemplateStatus.DRAFT,
      createdBy: "cl_test",
      createdAt: copy?.createdAt,
      updatedAt: copy?.createdAt,
      currentVersions: [],
      activeDeploymentCount: 0,
    });
    expect(timestampDate(present(copy?.createdAt))).toEqual(harness.clock.now());
    expect(await getTemplate(organization, source.id)).toEqual(before);
    expect(await readSubjects(harness, organization.orgId)).toEqual(events);
  });

  test("gives the copies in the order of the sources, each once, and lists what it does not find", async () => {
    const organization = harness.organization();
    const [a, b] = [
      await createTemplate(organization, { name: "A" }),
      await createTemplate(organization, { name: "B" }),
    ];
    const stranger = await createTemplate(harness.organization(), { name: "Secret" });
    const unknown = randomUUID();
    const ids = [b.id, stranger.id, a.id, unknown, b.id.toUpperCase(), unknown];
    const { duplicates, skipped } = await bulkDuplicate(organization, ids);
    expect(duplicates.map(({ sourceId, name }) => [sourceId, name])).toEqual([
      [b.id, "B (copy)"],
      [a.id, "A (copy)"],
    ]);
    expect(skipped).toEqual([`${stranger.id} not_found`, `${unknown} not_found`]);
    expect((await organization.listTemplates({})).templates).toHaveLength(4);
  });

  test("a copy of an archived template is a draft", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    await bulkArchive(organization, template.id);
    const { duplicates } = await bulkDuplicate(organization, [template.id]);
    const copy = await getTemplate(organization, duplicates[0]?.newId ?? "");
    expect([copy.status, copy.archivedAt]).toEqual([TemplateStatus.DRAFT, undefined]);
  });

  test("derives a slug of its own for each copy, also when all have one name", async () => {
    const organization = harness.organization();
    await createTemplate(organization, { slug: "shared-2" });
    const ids = [];
    for (let n = 0; n < 20; n += 1) ids.push((await createTemplate(organization, { name: `Source ${n}` })).id);
    const { duplicates } = await bulkDuplicate(organization, ids, "Shared");
    expect(duplicates.map(({ name }) => name)).toEqual(ids.map(() => "Shared"));
    const slugs = [];
    for (const { newId } of duplicates) slugs.push((await getTemplate(organization, newId)).slug);
    expect(slugs).toEqual(["shared", ...Array.from({ length: 19 }, (_, n) => `shared-${n + 3}`)]);
  });

  test("cuts the source's name, never the pattern", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization, { name: "n".repeat(255) });
    const pattern = `Copy of {name} for ${"x".repeat(100)}`;
    const { duplicates } = await bulkDuplicate(organization, [id], pattern);
    expect(duplicates[0]?.name).toBe(`Copy of ${"n".repeat(255 - 113)} for ${"x".repeat(100)}`);
    expect(duplicates[0]?.name).toHaveLength(255);
  });

  test("copies can be copied", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const [first] = (await bulkDuplicate(organization, [id])).duplicates;
    const [second] = (await bulkDuplicate(organization, [first?.newId ?? ""])).duplicates;
    expect(second?.name).toBe("Terms (copy) (copy)");
  });

  test("requests at once get different slugs, over two processes", async () => {
    const organization = harness.organization();
    const other = (await harness.another()).organization(organization.orgId);
    const ids: string[] = [];
    for (const name of ["A", "B", "A", "B 2"]) ids.push((await createTemplate(organization, { name })).id);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        bulkDuplicate(n % 2 === 0 ? organization : other, n % 3 === 0 ? ids : ids.toReversed(), "{name}"),
      ),
    );
    const { templates } = await organization.listTemplates({});
    expect(templates).toHaveLength(4 + 8 * 4);
    expect(new Set(templates.map((template) => template.slug)).size).toBe(templates.length);
    expect(new Set(answers.flatMap(({ duplicates }) => duplicates.map(({ newId }) => newId))).size).toBe(32);
  });

  /** Writes another template with this slug that nobody sees yet. */
  const takeByHand = async ({ orgId }: Organization, slug: string) => {
    const columns = await storedColumns(harness);
    return actByHand(
      harness,
      `insert into templates.template (${columns}) select ${columns} from (
         select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'slug', $2::text))).*
         from templates.template t where organization_id = $1 limit 1) copy`,
      [orgId, slug],
    );
  };

  test("takes another slug when somebody chose the derived one by hand at the same moment", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const end = await takeByHand(organization, "terms-copy");
    const copying = bulkDuplicate(organization, [id]);
    await untilWaiting(harness, 1);
    await end("commit");
    const [copy] = (await copying).duplicates;
    expect(await getTemplate(organization, copy?.newId ?? "")).toMatchObject({ slug: "terms-copy-2" });
    expect((await organization.listTemplates({})).templates).toHaveLength(3);
  });

  test("requests that meet at the same slugs from opposite sides never wait in a circle", async () => {
    const organization = harness.organization();
    const other = (await harness.another()).organization(organization.orgId);
    const numbered: string[] = [];
    const plain: string[] = [];
    for (const name of ["A", "M", "B"]) {
      plain.push((await createTemplate(organization, { name })).id);
      numbered.unshift(
        (await createTemplate(organization, { name: `${name} 2`, slug: `other-${name.toLowerCase()}` })).id,
      );
    }
    // Copies of "A" and of "A 2" both want the slug a-2.
    const end = await takeByHand(organization, "m-2");
    const batches = [bulkDuplicate(organization, plain, "{name}"), bulkDuplicate(other, numbered, "{name}")];
    await untilWaiting(harness, 2);
    await end("rollback");
    expect((await Promise.all(batches)).map(({ duplicates }) => duplicates.length)).toEqual([3, 3]);
    const { templates } = await organization.listTemplates({});
    expect(new Set(templates.map(({ slug }) => slug)).size).toBe(12);
  });

  test.each([
    ["no id", { templateIds: [] }],
    ["51 ids", { templateIds: Array.from({ length: 51 }, () => randomUUID()) }],
    ["a malformed id", { templateIds: ["x"] }],
    ["an empty pattern", { templateIds: [randomUUID()], namePattern: "" }],
    ["a pattern of 256 characters", { templateIds: [randomUUID()], namePattern: "x".repeat(256) }],
  ])("refuses %s", async (_title, request) => {
    await expectDomainError(harness.organization().bulkDuplicateTemplates(request), "VALIDATION_FAILED");
  });

  test("a pattern that cannot be stored is refused", async () => {
    const attempt = bulkDuplicate(harness.organization(), [randomUUID()], "\u0000");
    expect(await problemFields(attempt, "VALIDATION_FAILED")).toEqual(["namePattern"]);
  });
});
