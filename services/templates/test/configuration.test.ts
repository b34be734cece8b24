import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TemplateStatus, TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { canonicalJson, sha256Label } from "#platform/canonical-json.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { defaultPolicyFlags } from "../domain/policy-flags.ts";
import { createActive, readSnapshots } from "./deployment-harness.ts";
import {
  createPublished,
  createTemplate,
  getTemplate,
  present,
  problemFields,
  startTemplates,
  type TemplatesHarness,
  unknownIds,
  updateTemplate,
} from "./harness.ts";
import { applyFlags, bulkArchive, getConfiguration } from "./lifecycle-harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

describe("getTemplateConfiguration", () => {
  test("tells configuration, flags, the hash of the policy and the verification", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization, {
      typeConfig: { displayMode: "MODAL" },
      policyFlags: { requireView: true, verificationMethods: ["CUSTOMER_SESSION"], minAge: 18 },
    });
    const policy = {
      ...defaultPolicyFlags("STATIC"),
      requireView: true,
      verificationMethods: ["CUSTOMER_SESSION"],
      minAge: 18,
    };
    const { $typeName: _, ...configuration } = await getConfiguration(organization, template.id);
    expect(configuration).toMatchObject({
      templateId: template.id,
      type: TemplateType.STATIC,
      status: TemplateStatus.PUBLISHED,
      typeConfig: { displayMode: "MODAL", downloadable: true },
      policyFlags: policy,
      effectivePolicy: policy,
      policyHash: sha256Label(canonicalJson(policy)),
      verification: {
        required: true,
        mode: "ALL",
        methods: [
          { method: "AGE_STATEMENT", required: true, level: 1, parameters: { minAge: 18 } },
          { method: "CUSTOMER_SESSION", required: true, level: 2 },
        ],
      },
      updatedAt: (await getTemplate(organization, template.id)).updatedAt,
    });
    expect(configuration.verification?.methods[0]?.validForSeconds).toBeUndefined();
  });

  test("can be read of an archived template", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    await bulkArchive(organization, id);
    expect(await getConfiguration(organization, id)).toMatchObject({ status: TemplateStatus.ARCHIVED });
  });

  test.each(unknownIds)("does not find %j", async (id) => {
    await expectDomainError(getConfiguration(harness.organization(), id), "CLICK_TEMPLATE_NOT_FOUND");
  });
});

describe("applyPolicyFlags", () => {
  test("merges what is stated into what was stated before", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization, { policyFlags: { requireView: true, minAge: 16 } });
    harness.clock.advance(1000);
    const configuration = await applyFlags(organization, id, { minAge: 18, captureIp: "NONE" });
    const expected = { ...defaultPolicyFlags("STATIC"), requireView: true, minAge: 18, captureIp: "NONE" };
    expect(configuration).toMatchObject({ policyFlags: expected, effectivePolicy: expected });
    expect(timestampDate(present(configuration.updatedAt))).toEqual(harness.clock.now());
    expect(await getConfiguration(organization, id)).toEqual(configuration);
    expect((await getTemplate(organization, id)).policyFlags).toEqual(configuration.policyFlags);
    const back = await applyFlags(organization, id, { captureIp: "FULL", verificationMethods: ["TYPED_NAME"] });
    expect(back.policyFlags).toMatchObject({ captureIp: "FULL", minAge: 18, verificationMethods: ["TYPED_NAME"] });
  });

  test("leaves updatedAt alone when nothing changes", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization, { policyFlags: { requireView: true } });
    const before = await getConfiguration(organization, id);
    harness.clock.advance(1000);
    expect(await applyFlags(organization, id, {})).toEqual(before);
    expect(await applyFlags(organization, id, { requireView: true, minAge: 0 })).toEqual(before);
    expect(await applyFlags(organization, id, { ...before.policyFlags })).toEqual(before);
  });

  test("names every bad flag and changes nothing", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const before = await getConfiguration(organization, id);
    const bad = {
      requireScrol: true,
      minAge: 121,
      requireView: "yes",
      captureIp: "FULL",
      verificationMethods: ["OIDC"],
    };
    expect((await problemFields(applyFlags(organization, id, bad), "CLICK_POLICY_FLAG_INVALID")).sort()).toEqual([
      "policyFlags.minAge",
      "policyFlags.requireScrol",
      "policyFlags.requireView",
      "policyFlags.verificationMethods",
    ]);
    expect(await getConfiguration(organization, id)).toEqual(before);
  });

  test("names contradictions with what stays, with the type and with the configuration", async () => {
    const organization = harness.organization();
    const conflict = async (request: Parameters<typeof createTemplate>[1], flags: Parameters<typeof applyFlags>[2]) => {
      const { id } = await createTemplate(organization, request);
      return problemFields(applyFlags(organization, id, flags), "CLICK_POLICY_FLAG_CONFLICT");
    };
    expect(await conflict({}, { minDisplaySeconds: 5 })).toEqual(["policyFlags.minDisplaySeconds"]);
    const shown = { policyFlags: { minDisplaySeconds: 5, requireRenderToken: true } };
    expect(await conflict(shown, { requireRenderToken: false })).toEqual(["policyFlags.minDisplaySeconds"]);
    const link = { typeConfig: { displayMode: "LINK" } };
    expect(await conflict(link, { requireScroll: true })).toEqual(["policyFlags.requireScroll"]);
    const consent = { type: TemplateType.CONSENT };
    expect(await conflict(consent, { requireCheckbox: false })).toEqual(["policyFlags.requireCheckbox"]);
    expect(await conflict({}, { recordDecline: true })).toEqual(["policyFlags.recordDecline"]);
  });

  test("what is stated together can resolve a contradiction", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const { policyFlags } = await applyFlags(organization, id, { minDisplaySeconds: 5, allowDirectAccept: false });
    expect(policyFlags).toMatchObject({ minDisplaySeconds: 5, allowDirectAccept: false });
  });

  test("gives active deployments a snapshot with the new policy", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    const deployment = await createActive(organization, template.id);
    await applyFlags(organization, template.id, { requireView: true });
    const snapshots = await readSnapshots(harness, deployment.id);
    expect(snapshots.map(({ data }) => JSON.parse(data).effectivePolicy.requireView).sort()).toEqual([false, true]);
    await applyFlags(organization, template.id, { requireView: true });
    expect(await readSnapshots(harness, deployment.id)).toHaveLength(2);
  });

  test("concurrent merges of different flags all last", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const flags = ["requireView", "requireScroll", "requireTypedName", "legalHold", "honorGpc", "esignDisclosure"];
    await Promise.all(flags.map((flag) => applyFlags(organization, id, { [flag]: true })));
    const { policyFlags } = await getConfiguration(organization, id);
    expect(policyFlags).toMatchObject(Object.fromEntries(flags.map((flag) => [flag, true])));
  });

  test("an archived template is refused", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    await bulkArchive(organization, id);
    await expectDomainError(applyFlags(organization, id, { requireView: true }), "CLICK_TEMPLATE_ARCHIVED");
    await expectDomainError(applyFlags(organization, id, {}), "CLICK_TEMPLATE_ARCHIVED");
  });

  test.each(unknownIds)("does not find %j", async (id) => {
    await expectDomainError(applyFlags(harness.organization(), id, {}), "CLICK_TEMPLATE_NOT_FOUND");
  });
});

describe("typeConfig", () => {
  test("is checked by the type when a template is created", async () => {
    const organization = harness.organization();
    const create = (type: TemplateType) =>
      createTemplate(organization, { type, typeConfig: { purposes: [{ key: "news" }], extra: 1 } });
    expect((await problemFields(create(TemplateType.CONSENT), "CLICK_VALIDATION_FAILED")).sort()).toEqual([
      "typeConfig.extra",
      "typeConfig.purposes[0].name",
    ]);
    expect((await problemFields(create(TemplateType.GENERATED), "CLICK_VALIDATION_FAILED")).sort()).toEqual([
      "typeConfig.extra",
      "typeConfig.purposes",
    ]);
    expect((await organization.listTemplates({})).templates).toEqual([]);
  });

  test("is checked by the type that the template has or gets when it is updated", async () => {
    const organization = harness.organization();
    const template = await createTemplate(organization);
    const changes = { type: TemplateType.CONSENT, typeConfig: { purposes: [{ key: "news", name: "News" }] } };
    const update = (paths: string[]) => updateTemplate(organization, template.id, paths, changes);
    expect(await problemFields(update(["type_config"]), "CLICK_VALIDATION_FAILED")).toEqual(["typeConfig.purposes"]);
    expect(await getTemplate(organization, template.id)).toEqual(template);
    expect((await update(["type", "type_config"])).typeConfig).toMatchObject(changes.typeConfig);
  });

  test("that is too large is refused before the template is looked for", async () => {
    const organization = harness.organization();
    const typeConfig = { a: "x".repeat(65_536) };
    const update = updateTemplate(organization, "unknown", ["type_config"], { typeConfig });
    expect(await problemFields(update, "CLICK_VALIDATION_FAILED")).toEqual(["typeConfig"]);
  });
});
