import { randomUUID } from "node:crypto";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TemplateStatus, TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { defaultPolicyFlags } from "../domain/policy-flags.ts";
import {
  archiveTemplate,
  createPublished,
  createTemplate,
  createVersion,
  getTemplate,
  present,
  problemFields,
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

describe("updateTemplate", () => {
  test("changes the fields that the mask names and no others", async () => {
    const organization = harness.organization();
    const template = await createTemplate(organization, { description: "Old", metadata: { a: "1" } });
    harness.clock.advance(1000);
    const paths = ["name", "slug", "default_locale", "metadata", "brand_id"];
    const changed = await updateTemplate(organization, template.id, paths, {
      brandId: "0199AA00-0000-7000-8000-00000000b0a0",
      name: "New",
      slug: "brand-new",
      defaultLocale: "DE",
      metadata: { b: "2" },
      description: "not named in the mask",
    });
    const { $typeName: _, ...expected } = template;
    expect(changed).toMatchObject({
      ...expected,
      name: "New",
      slug: "brand-new",
      defaultLocale: "de",
      metadata: { b: "2" },
      brandId: "0199aa00-0000-7000-8000-00000000b0a0",
      updatedAt: changed.updatedAt,
    });
    expect(changed.metadata).toEqual({ b: "2" });
    expect(timestampDate(present(changed.updatedAt))).toEqual(harness.clock.now());
    expect(await getTemplate(organization, template.id)).toEqual(changed);
  });

  test("replaces configuration, flags and counterparty as a whole and fills in the defaults", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization, {
      typeConfig: { displayMode: "MODAL" },
      policyFlags: { requireView: true },
      counterparty: { legalName: "Acme", address: "Street 1" },
    });
    const changed = await updateTemplate(organization, id, ["type_config", "policy_flags", "counterparty"], {
      typeConfig: { downloadable: false },
      policyFlags: { requireScroll: true },
      counterparty: { legalName: "Acme Ltd" },
    });
    expect(changed).toMatchObject({
      typeConfig: { downloadable: false },
      policyFlags: { ...defaultPolicyFlags("STATIC"), requireScroll: true },
      counterparty: { legalName: "Acme Ltd" },
    });
    expect(changed.counterparty?.address).toBeUndefined();
    expect(changed.typeConfig).toEqual({ downloadable: false });
  });

  test("clears a named field that is absent", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization, {
      description: "Old",
      defaultLocale: "de",
      counterparty: { legalName: "Acme" },
      metadata: { a: "1" },
      policyFlags: { requireView: true },
    });
    const paths = ["description", "default_locale", "counterparty", "metadata", "policy_flags"];
    const cleared = await updateTemplate(organization, id, paths, {});
    expect(cleared).toMatchObject({ defaultLocale: "en", policyFlags: defaultPolicyFlags("STATIC") });
    expect([cleared.description, cleared.counterparty, cleared.metadata]).toEqual([undefined, undefined, {}]);
  });

  test("leaves updatedAt alone when nothing changes", async () => {
    const organization = harness.organization();
    const template = await createTemplate(organization, { metadata: { a: "1" } });
    harness.clock.advance(1000);
    const again = { name: "Terms", slug: "terms", type: TemplateType.STATIC, metadata: { a: "1" } };
    expect(await updateTemplate(organization, template.id, Object.keys(again), again)).toEqual(template);
    expect(await updateTemplate(organization, template.id, [], {})).toEqual(template);
  });

  test("a taken slug is refused, also when two take it at once", async () => {
    const organization = harness.organization();
    await createTemplate(organization, { slug: "taken" });
    const [a, b] = [await createTemplate(organization), await createTemplate(organization)];
    const rename = (id: string, slug: string) => updateTemplate(organization, id, ["slug"], { slug });
    await expectDomainError(rename(a.id, "taken"), "CLICK_TEMPLATE_SLUG_EXISTS");
    const outcomes = await Promise.allSettled([rename(a.id, "both"), rename(b.id, "both")]);
    expect(outcomes.map((outcome) => outcome.status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("concurrent updates of different fields all last", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    await Promise.all([
      updateTemplate(organization, id, ["name"], { name: "A" }),
      updateTemplate(organization, id, ["description"], { description: "B" }),
      updateTemplate(organization, id, ["metadata"], { metadata: { c: "C" } }),
      updateTemplate(organization, id, ["policy_flags"], { policyFlags: { legalHold: true } }),
    ]);
    expect(await getTemplate(organization, id)).toMatchObject({
      name: "A",
      description: "B",
      metadata: { c: "C" },
      policyFlags: { legalHold: true },
    });
  });

  test("the type can change until the first publication, and never after it", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const changeType = (type: TemplateType) => updateTemplate(organization, id, ["type"], { type });
    expect(await changeType(TemplateType.CONSENT)).toMatchObject({
      type: TemplateType.CONSENT,
      typeConfig: { purposes: [] },
      policyFlags: defaultPolicyFlags("CONSENT"),
    });
    await updateTemplate(organization, id, ["type_config"], { typeConfig: consentConfig });
    const version = await publish(organization, await createVersion(organization, id));
    await expectDomainError(changeType(TemplateType.STATIC), "CLICK_TEMPLATE_TYPE_LOCKED");
    await unpublish(organization, version);
    await expectDomainError(changeType(TemplateType.STATIC), "CLICK_TEMPLATE_TYPE_LOCKED");
    expect(await changeType(TemplateType.CONSENT)).toMatchObject({ type: TemplateType.CONSENT });
  });

  test("a configuration must keep what a published version needs", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization, {
      type: TemplateType.GENERATED,
      typeConfig: { variables: [{ key: "price" }, { key: "term" }] },
    });
    const configure = (...keys: string[]) => {
      const typeConfig = { variables: keys.map((key) => ({ key })) };
      return updateTemplate(organization, id, ["type_config"], { typeConfig });
    };
    const version = await publish(
      organization,
      await createVersion(organization, id, { content: "<p>{{price}} {{fullName}}</p>" }),
    );
    const fields = await problemFields(configure("term"), "CLICK_CONTENT_INVALID");
    expect(fields).toEqual(["content.placeholder"]);
    expect((await getTemplate(organization, id)).typeConfig?.variables).toHaveLength(2);
    expect((await configure("price")).typeConfig?.variables).toMatchObject([{ key: "price" }]);
    await unpublish(organization, version);
    expect((await configure()).typeConfig).toMatchObject({ variables: [] });
    await expectDomainError(publish(organization, version), "CLICK_CONTENT_INVALID");
  });

  test("an archived template takes no change until it is restored, then its versions tell its status", async () => {
    const organization = harness.organization();
    const [draft, published] = [await createTemplate(organization), (await createPublished(organization)).template];
    for (const [{ id }, status] of [
      [draft, TemplateStatus.DRAFT],
      [published, TemplateStatus.PUBLISHED],
    ] as const) {
      await archiveTemplate(harness, id);
      const archived = await getTemplate(organization, id);
      expect(archived.status).toBe(TemplateStatus.ARCHIVED);
      expect(timestampDate(present(archived.archivedAt))).toEqual(harness.clock.now());
      await expectDomainError(updateTemplate(organization, id, ["name"], { name: "X" }), "CLICK_TEMPLATE_ARCHIVED");
      const restore = () => updateTemplate(organization, id, ["status"], { status: TemplateStatus.DRAFT });
      const restored = await restore();
      expect([restored.status, restored.archivedAt]).toEqual([status, undefined]);
      expect(await restore()).toEqual(restored);
    }
  });

  test("a restoration can change other fields at once", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    await archiveTemplate(harness, id);
    const changes = { name: "Back", status: TemplateStatus.DRAFT };
    expect(await updateTemplate(organization, id, ["name", "status"], changes)).toMatchObject({
      name: "Back",
      status: TemplateStatus.DRAFT,
    });
  });

  test.each([
    ["updateMask", ["id"], {}],
    ["updateMask", ["policy_flags.requireScroll"], {}],
    ["updateMask", ["counterparty.legal_name"], {}],
    ["updateMask", ["toString"], {}],
    ["name", ["name"], {}],
    ["slug", ["slug"], {}],
    ["slug", ["slug"], { slug: "No Slug" }],
    ["type", ["type"], {}],
    ["status", ["status"], {}],
    ["status", ["status"], { status: TemplateStatus.PUBLISHED }],
    ["status", ["status"], { status: TemplateStatus.ARCHIVED }],
    ["defaultLocale", ["default_locale"], { defaultLocale: "x_y" }],
    ["metadata.k", ["metadata"], { metadata: { k: "v".repeat(501) } }],
  ])("names the bad field %s of the paths %j", async (field, paths, changes) => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    expect(await problemFields(updateTemplate(organization, id, paths, changes), "CLICK_VALIDATION_FAILED")).toEqual([
      field,
    ]);
  });

  test("names a text with control characters by its place in the request", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const attempt = updateTemplate(organization, id, ["description"], { description: "\u0000" });
    expect(await problemFields(attempt, "VALIDATION_FAILED")).toEqual(["changes.description"]);
  });

  test("checks the flags", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const apply = (policyFlags: Record<string, boolean | number>) =>
      updateTemplate(organization, id, ["policy_flags"], { policyFlags });
    await expectDomainError(apply({ minAge: 121 }), "CLICK_POLICY_FLAG_INVALID");
    await expectDomainError(apply({ minDisplaySeconds: 10 }), "CLICK_POLICY_FLAG_CONFLICT");
  });

  test.each([randomUUID(), "x"])("does not find %j", async (id) => {
    const update = updateTemplate(harness.organization(), id, ["name"], { name: "X" });
    await expectDomainError(update, "CLICK_TEMPLATE_NOT_FOUND");
  });
});
