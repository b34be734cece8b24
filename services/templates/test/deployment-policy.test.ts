import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { createActive, createDeployment, deactivate, getDeployment, readSnapshots } from "./deployment-harness.ts";
import {
  createPublished,
  createTemplate,
  createVersion,
  problemFields,
  publish,
  startTemplates,
  type TemplatesHarness,
  unpublish,
  updateTemplate,
} from "./harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

describe("overrides of a new deployment", () => {
  test("refuses unknown flags and bad values as overrides", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const policyOverrides = { requireView: "yes", minAge: 200, unknown: true };
    const attempt = createDeployment(organization, id, { policyOverrides });
    expect(await problemFields(attempt, "CLICK_POLICY_FLAG_INVALID")).toEqual([
      "policyOverrides.requireView",
      "policyOverrides.minAge",
      "policyOverrides.unknown",
    ]);
  });

  test("refuses overrides that loosen, and names each", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization, { policyFlags: { requireView: true, minAge: 18 } });
    const policyOverrides = { requireView: false, minAge: 16, requireScroll: true, allowDecline: true };
    const attempt = createDeployment(organization, id, { policyOverrides });
    expect((await problemFields(attempt, "CLICK_POLICY_FLAG_CONFLICT")).sort()).toEqual([
      "policyOverrides.allowDecline",
      "policyOverrides.minAge",
      "policyOverrides.requireView",
    ]);
  });

  test.each([
    ["requireScroll", {}, { displayMode: "LINK", policyOverrides: { requireScroll: true } }],
    ["requireScroll", { requireScroll: true }, { displayMode: "LINK" }],
    ["minDisplaySeconds", {}, { policyOverrides: { minDisplaySeconds: 5 } }],
    ["recordDecline", {}, { policyOverrides: { recordDecline: true } }],
  ])("refuses a contradiction in %s", async (flag, policyFlags, fields) => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization, { policyFlags });
    const attempt = createDeployment(organization, id, fields);
    expect(await problemFields(attempt, "CLICK_POLICY_FLAG_CONFLICT")).toEqual([`policyOverrides.${flag}`]);
  });

  test("takes overrides that hold only together", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const policyOverrides = { minDisplaySeconds: 5, allowDirectAccept: false };
    expect(await createDeployment(organization, id, { policyOverrides })).toMatchObject({ policyOverrides });
  });

  test("its own display mode counts, not the one that the template suggests", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization, { typeConfig: { displayMode: "LINK" } });
    const policyOverrides = { requireScroll: true };
    await createDeployment(organization, id, { displayMode: "INLINE", policyOverrides });
  });
});

describe("the policy of a template with active deployments", () => {
  test("a change gives each of them a new snapshot with what is in force now", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    const plain = await createActive(organization, template.id);
    const strict = await createActive(organization, template.id, { policyOverrides: { minAge: 18 } });
    const draft = await createDeployment(organization, template.id);
    const ofTemplateAndStrict: [number, number][] = [
      [16, 18],
      [21, 21],
      [0, 18],
    ];
    for (const [minAge, inStrict] of ofTemplateAndStrict) {
      await updateTemplate(organization, template.id, ["policy_flags"], { policyFlags: { minAge } });
      const ages = [];
      for (const { id } of [plain, strict]) {
        const { snapshotHash } = await getDeployment(organization, id);
        const snapshot = (await readSnapshots(harness, id)).find(({ hash }) => hash === snapshotHash);
        ages.push(JSON.parse(snapshot?.data ?? "{}").effectivePolicy.minAge);
      }
      expect(ages).toEqual([minAge, inStrict]);
    }
    expect(await getDeployment(organization, plain.id)).toEqual(plain);
    expect((await getDeployment(organization, draft.id)).snapshotHash).toBeUndefined();
  });

  test.each([
    [{ requireScroll: true }, "policyFlags.requireScroll"],
    [{ requireSnapshot: true }, "screenshotId"],
  ])("%j is refused while it contradicts one of them", async (policyFlags, field) => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    const { id } = await createActive(organization, template.id, { displayMode: "LINK" });
    const change = () => updateTemplate(organization, template.id, ["policy_flags"], { policyFlags });
    const error = await expectDomainError(change(), "CLICK_POLICY_FLAG_CONFLICT");
    expect(error.details).toMatchObject([{ field, message: expect.stringContaining(id) }]);
    await deactivate(organization, id);
    await change();
  });

  test("other changes leave the snapshots alone", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    const active = await createActive(organization, template.id);
    await updateTemplate(organization, template.id, ["name"], { name: "Other" });
    const german = await createVersion(organization, template.id, { locale: "de" });
    await publish(organization, german);
    await unpublish(organization, version);
    expect(await getDeployment(organization, active.id)).toEqual(active);
  });
});
