import { randomUUID } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  type ResolveTemplatesRequest_ItemSchema,
  TemplateStatus,
  TemplateType,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { defaultPolicyFlags } from "../domain/policy-flags.ts";
import {
  archiveTemplate,
  archiveVersion,
  createPublished,
  createTemplate,
  createVersion,
  editVersion,
  type Organization,
  present,
  publish,
  startTemplates,
  type TemplatesHarness,
  unpublish,
  updateTemplate,
} from "./harness.ts";
import { consentConfig } from "./lifecycle-harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

type Item = MessageInitShape<typeof ResolveTemplatesRequest_ItemSchema>;

const resolve = async (...items: Item[]) => (await harness.client.resolveTemplates({ items })).results;
const byId = (organizationId: string, templateId: string, knownEtag = ""): Item => ({
  organizationId,
  template: { case: "templateId", value: templateId },
  knownEtag,
});
const bySlug = (organizationId: string, slug: string, knownEtag = ""): Item => ({
  organizationId,
  template: { case: "templateSlug", value: slug },
  knownEtag,
});
const etagOf = async (organization: Organization, templateId: string): Promise<string> =>
  present((await resolve(byId(organization.orgId, templateId)))[0]).etag;

describe("resolveTemplates", () => {
  test("gives all that an acceptance needs to know", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization, {
      name: "Consent",
      type: TemplateType.CONSENT,
      defaultLocale: "de",
      typeConfig: consentConfig,
      policyFlags: { requireView: true, verificationMethods: ["TYPED_NAME"] },
      counterparty: { legalName: "Acme" },
    });
    await createVersion(organization, template.id, { locale: "fr" });
    const [result] = await resolve(byId(organization.orgId, template.id));
    expect(result?.etag).toMatch(/^[0-9a-f]{32}$/);
    expect(result?.snapshot).toMatchObject({
      organizationId: organization.orgId,
      templateId: template.id,
      slug: "consent",
      name: "Consent",
      type: TemplateType.CONSENT,
      status: TemplateStatus.PUBLISHED,
      defaultLocale: "de",
      typeConfig: consentConfig,
      policyFlags: {
        ...defaultPolicyFlags("CONSENT"),
        requireView: true,
        verificationMethods: ["TYPED_NAME"],
      },
      counterparty: { legalName: "Acme" },
      publishedVersions: [
        { versionId: version.id, locale: "en", revision: 1, label: "1.0", contentHash: version.contentHash },
      ],
    });
  });

  test("answers each item of a batch over organizations in its place", async () => {
    const [a, b] = [harness.organization(), harness.organization()];
    const [ofA, ofB] = [await createPublished(a), await createTemplate(b, { name: "Terms" })];
    const results = await resolve(
      bySlug(b.orgId, "terms"),
      byId(a.orgId, randomUUID()),
      byId(a.orgId, ofA.template.id),
      byId(a.orgId, ofB.id),
      byId(b.orgId, ofA.template.id),
      bySlug(a.orgId, "terms"),
      bySlug(a.orgId, "unknown"),
      byId(randomUUID(), ofA.template.id),
      byId(a.orgId, ofA.template.id.toUpperCase()),
      byId(b.orgId, ofB.id),
    );
    const names = results.map((r) => (r.snapshot ? `${r.snapshot.organizationId} ${r.snapshot.templateId}` : r.etag));
    const [nameOfA, nameOfB] = [`${a.orgId} ${ofA.template.id}`, `${b.orgId} ${ofB.id}`];
    expect(names).toEqual([nameOfB, "", nameOfA, "", "", nameOfA, "", "", nameOfA, nameOfB]);
    expect(results[2]).toEqual(results[5]);
    expect(results[0]).toMatchObject({ snapshot: { status: TemplateStatus.DRAFT, publishedVersions: [] } });
  });

  test("names that can be no name are unknown and spoil nothing", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const results = await resolve(
      byId(organization.orgId, "x"),
      byId(organization.orgId, ""),
      byId(organization.orgId, "\u0000"),
      bySlug(organization.orgId, "\u0000"),
      bySlug(organization.orgId, "TERMS"),
      bySlug(organization.orgId, "a".repeat(10_000)),
      byId(organization.orgId, id, "\u0000"),
    );
    expect(results.map((result) => result.snapshot?.templateId)).toEqual([...Array(6), id]);
    expect(results.slice(0, 6).every((result) => result.etag === "")).toBe(true);
    expect(await resolve()).toEqual([]);
  });

  test("leaves out what the asker has already", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    const etag = await etagOf(organization, template.id);
    const [same, bySameSlug, other] = await resolve(
      byId(organization.orgId, template.id, etag),
      bySlug(organization.orgId, template.slug, etag),
      byId(organization.orgId, template.id, "0".repeat(32)),
    );
    expect([same?.etag, same?.snapshot]).toEqual([etag, undefined]);
    expect(bySameSlug).toEqual(same);
    expect(other).toMatchObject({ etag, snapshot: { templateId: template.id } });
  });

  test("takes 256 items", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const results = await resolve(...Array.from({ length: 256 }, () => byId(organization.orgId, id)));
    expect(new Set(results.map((result) => result.snapshot?.templateId))).toEqual(new Set([id]));
  });

  test("the etag changes with everything that matters, at once, and comes back with the state", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization, { slug: "start" });
    const change = (paths: string[], changes: Parameters<typeof updateTemplate>[3]) =>
      updateTemplate(organization, id, paths, changes);
    const draft = await createVersion(organization, id);
    const seen = [await etagOf(organization, id)];
    const steps = [
      () => change(["name"], { name: "Other" }),
      () => change(["slug"], { slug: "other" }),
      () => change(["type"], { type: TemplateType.GENERATED }),
      () => change(["default_locale"], { defaultLocale: "fr" }),
      () => change(["type_config"], { typeConfig: { missing: "EMPTY" } }),
      () => change(["policy_flags"], { policyFlags: { legalHold: true } }),
      () => change(["counterparty"], { counterparty: { legalName: "Acme" } }),
      () => publish(organization, draft),
      () => archiveTemplate(harness, id),
    ];
    for (const step of steps) {
      await step();
      const etag = await etagOf(organization, id);
      expect(seen).not.toContain(etag);
      seen.push(etag);
    }
    await change(["status"], { status: TemplateStatus.DRAFT });
    expect(await etagOf(organization, id)).toBe(seen.at(-2));
    await unpublish(organization, draft);
    expect(await etagOf(organization, id)).toBe(seen.at(-3));
    await editVersion(harness, draft.id, "other");
    expect(await etagOf(organization, id)).toBe(seen.at(-3));
    await publish(organization, draft);
    expect(seen).not.toContain(await etagOf(organization, id));
  });

  test("the etag does not change with what does not matter", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    const etag = await etagOf(organization, template.id);
    harness.clock.advance(1000);
    await updateTemplate(organization, template.id, ["description", "metadata"], {
      description: "x",
      metadata: { a: "b" },
    });
    const german = await createVersion(organization, template.id, { locale: "de" });
    await archiveVersion(harness, german.id);
    expect(await etagOf(organization, template.id)).toBe(etag);
  });

  test("a slug that moved to another template names that one", async () => {
    const organization = harness.organization();
    const [a, b] = [await createTemplate(organization, { slug: "moving" }), await createTemplate(organization)];
    const etag = await etagOf(organization, a.id);
    await updateTemplate(organization, a.id, ["slug"], { slug: "moved" });
    await updateTemplate(organization, b.id, ["slug"], { slug: "moving" });
    expect(await resolve(bySlug(organization.orgId, "moving", etag))).toMatchObject([
      { snapshot: { templateId: b.id } },
    ]);
  });

  test("an archived template resolves as such", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    await archiveTemplate(harness, template.id);
    const [result] = await resolve(byId(organization.orgId, template.id));
    expect(result?.snapshot).toMatchObject({ status: TemplateStatus.ARCHIVED, publishedVersions: [{ revision: 1 }] });
  });
});
