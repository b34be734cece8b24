import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { defaultPolicyFlags } from "../domain/policy-flags.ts";
import {
  clientId,
  createTemplate,
  getTemplate,
  problemFields,
  startTemplates,
  type TemplatesHarness,
  templateJson,
} from "./harness.ts";
import { storedColumns } from "./lifecycle-harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

describe("createTemplate", () => {
  test("fills in everything that is not given", async () => {
    const organization = harness.organization();
    const template = await createTemplate(organization, { name: "Terms of Service" });
    const now = harness.clock.now().toISOString();
    expect(templateJson(template)).toEqual({
      id: template.id,
      organizationId: organization.orgId,
      name: "Terms of Service",
      slug: "terms-of-service",
      type: "TEMPLATE_TYPE_STATIC",
      status: "TEMPLATE_STATUS_DRAFT",
      defaultLocale: "en",
      typeConfig: { downloadable: true },
      policyFlags: defaultPolicyFlags("STATIC"),
      createdBy: clientId,
      createdAt: now,
      updatedAt: now,
    });
    expect(template.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(await getTemplate(organization, template.id)).toEqual(template);
  });

  test("keeps everything that is given", async () => {
    const organization = harness.organization();
    const given = {
      name: "Consent 🙂",
      slug: "my-consent",
      type: TemplateType.CONSENT,
      description: "",
      defaultLocale: "PT-br",
      typeConfig: { controller: { name: "Acme Ltd" }, jurisdiction: "EU", withdrawalMethod: "By mail 🙂" },
      policyFlags: { requireView: true, verificationMethods: ["TYPED_NAME"] },
      counterparty: { legalName: "Acme Ltd", url: "https://acme.example" },
      metadata: { team: "legal", "": "empty" },
    };
    const template = await createTemplate(organization, given);
    expect(templateJson(template)).toMatchObject({
      ...given,
      type: "TEMPLATE_TYPE_CONSENT",
      defaultLocale: "pt-BR",
      policyFlags: { ...defaultPolicyFlags("CONSENT"), ...given.policyFlags },
    });
    expect(await getTemplate(organization, template.id)).toEqual(template);
  });

  test("a slug that was given and is taken is refused", async () => {
    const organization = harness.organization();
    await createTemplate(organization, { slug: "terms" });
    await expectDomainError(createTemplate(organization, { slug: "terms" }), "CLICK_TEMPLATE_SLUG_EXISTS");
    await expect(createTemplate(harness.organization(), { slug: "terms" })).resolves.toMatchObject({ slug: "terms" });
  });

  test("a derived slug gets the first free number", async () => {
    const organization = harness.organization();
    await createTemplate(organization, { slug: "terms-3" });
    const slugs = [];
    for (let n = 0; n < 4; n += 1) slugs.push((await createTemplate(organization)).slug);
    expect(slugs).toEqual(["terms", "terms-2", "terms-4", "terms-5"]);
  });

  test("a derived slug is found beyond many taken ones", async () => {
    const organization = harness.organization();
    await createTemplate(organization);
    const columns = await storedColumns(harness);
    await harness.superuser.query(
      `insert into templates.template (${columns}) select ${columns} from (
         select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'slug', 'terms-' || n))).*
         from templates.template t, generate_series(2, 60) n where organization_id = $1) copies`,
      [organization.orgId],
    );
    expect(await createTemplate(organization)).toMatchObject({ slug: "terms-61" });
  });

  test("names without Latin letters get usable slugs", async () => {
    const organization = harness.organization();
    expect(await createTemplate(organization, { name: "利用規約" })).toMatchObject({ slug: "template" });
    expect(await createTemplate(organization, { name: "隐私政策" })).toMatchObject({ slug: "template-2" });
  });

  test("concurrent creations with one name get a slug each, over two processes", async () => {
    const organization = harness.organization();
    const other = (await harness.another()).organization(organization.orgId);
    const created = await Promise.all(
      Array.from({ length: 24 }, (_, n) => createTemplate(n % 2 === 0 ? organization : other, { name: "Same name" })),
    );
    const slugs = new Set(created.map((template) => template.slug));
    expect(slugs).toEqual(new Set(["same-name", ...Array.from({ length: 23 }, (_, n) => `same-name-${n + 2}`)]));
  });

  test("concurrent creations with one given slug leave one template", async () => {
    const organization = harness.organization();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, () => createTemplate(organization, { slug: "wanted" })),
    );
    const refused = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(refused).toHaveLength(7);
    for (const { reason } of refused) await expectDomainError(Promise.reject(reason), "CLICK_TEMPLATE_SLUG_EXISTS");
    expect((await organization.listTemplates({})).templates).toHaveLength(1);
  });

  test("derived slugs survive a race with slugs chosen by hand", async () => {
    const organization = harness.organization();
    const byHand = Array.from({ length: 8 }, (_, n) => createTemplate(organization, { slug: `race-${n + 2}` }));
    const derived = Array.from({ length: 8 }, () => createTemplate(organization, { name: "Race" }));
    await Promise.allSettled(byHand);
    expect(new Set((await Promise.all(derived)).map((template) => template.slug)).size).toBe(8);
  });

  test.each([
    ["slug", { slug: "Not A Slug" }],
    ["defaultLocale", { defaultLocale: "en_US" }],
    ["metadata.k", { metadata: { k: "v".repeat(501) } }],
    ["metadata", { metadata: { ["k".repeat(501)]: "v" } }],
    ["typeConfig", { typeConfig: { a: "x".repeat(65_536) } }],
    ["typeConfig.documents[1].name", { typeConfig: { documents: [{ name: "A" }, { name: "\u0000" }] } }],
  ])("names the bad field %s", async (field, request) => {
    expect(await problemFields(createTemplate(harness.organization(), request), "CLICK_VALIDATION_FAILED")).toEqual([
      field,
    ]);
  });

  test.each([
    ["name", { name: "a\u0000" }],
    ["counterparty.address", { counterparty: { legalName: "Acme", address: "\u0000" } }],
  ])("names the text %s with control characters", async (field, request) => {
    const problems = await problemFields(createTemplate(harness.organization(), request), "VALIDATION_FAILED");
    expect(problems.map((path) => path.replace(/^fields\./, ""))).toEqual([field]);
  });

  test.each([{ name: "" }, { name: "a".repeat(256) }, { type: TemplateType.UNSPECIFIED }, { type: 9 as TemplateType }])(
    "refuses %j",
    async (request) => {
      const error = ConnectError.from(await createTemplate(harness.organization(), request).catch((e: unknown) => e));
      expect(error.code).toBe(Code.InvalidArgument);
    },
  );

  test("names unknown flags and contradictions", async () => {
    const organization = harness.organization();
    const create = (policyFlags: Record<string, boolean>, type: TemplateType = TemplateType.STATIC) =>
      createTemplate(organization, { policyFlags, type });
    expect(await problemFields(create({ nonsense: true }), "CLICK_POLICY_FLAG_INVALID")).toEqual([
      "policyFlags.nonsense",
    ]);
    expect(
      await problemFields(create({ requireCheckbox: false }, TemplateType.CONSENT), "CLICK_POLICY_FLAG_CONFLICT"),
    ).toEqual(["policyFlags.requireCheckbox"]);
    expect((await organization.listTemplates({})).templates).toEqual([]);
  });

  test("needs a caller", async () => {
    const error = ConnectError.from(
      await harness.client.createTemplate({ name: "x", type: 1 }).catch((e: unknown) => e),
    );
    expect(error.code).toBe(Code.Unauthenticated);
  });
});
