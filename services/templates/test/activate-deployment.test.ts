import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { DeploymentStatus } from "#gen/assent/templates/v1/templates_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { defaultPolicyFlags } from "../domain/policy-flags.ts";
import {
  activate,
  createActive,
  createDeployment,
  deactivate,
  getDeployment,
  pinned,
  readSnapshots,
} from "./deployment-harness.ts";
import {
  archiveTemplate,
  archiveVersion,
  createPublished,
  createTemplate,
  createVersion,
  problemFields,
  publish,
  startTemplates,
  type TemplatesHarness,
  unknownIds,
  updateTemplate,
} from "./harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

describe("activateDeployment", () => {
  test("puts the configuration in force and keeps it as a snapshot", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization, { policyFlags: { minAge: 16 } });
    const draft = await createDeployment(organization, template.id, {
      name: "Checkout",
      versionSelector: pinned(version.id),
      localeFallback: ["de"],
      allowedOrigins: ["https://shop.example"],
      theme: { accent: "#00f" },
      screenshotId: "shot-1",
      policyOverrides: { minAge: 18, requireView: true },
    });
    harness.clock.advance(1000);
    const active = await activate(organization, draft.id);
    const now = timestampFromDate(harness.clock.now());
    const [snapshot] = await readSnapshots(harness, draft.id);
    expect(active).toEqual({
      ...draft,
      status: DeploymentStatus.ACTIVE,
      activatedAt: now,
      updatedAt: now,
      snapshotHash: snapshot?.hash,
    });
    expect(JSON.parse(snapshot?.data ?? "")).toEqual({
      snapshotVersion: 1,
      organizationId: organization.orgId,
      deploymentId: draft.id,
      templateId: template.id,
      key: draft.key,
      name: "Checkout",
      environment: "LIVE",
      surface: "WEB",
      displayMode: "INLINE",
      wrapType: "CLICKWRAP",
      versionSelector: { mode: "PINNED", versionId: version.id },
      localeFallback: ["de"],
      allowedOrigins: ["https://shop.example"],
      theme: { accent: "#00f" },
      screenshotId: "shot-1",
      policyOverrides: { minAge: 18, requireView: true },
      effectivePolicy: { ...defaultPolicyFlags("STATIC"), minAge: 18, requireView: true },
    });
  });

  test("activating again changes nothing, and an unchanged configuration has its old snapshot", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    const active = await createActive(organization, template.id);
    harness.clock.advance(1000);
    expect(await activate(organization, active.id)).toEqual(active);
    const inactive = await deactivate(organization, active.id);
    expect(inactive.snapshotHash).toBe(active.snapshotHash);
    harness.clock.advance(1000);
    const again = await activate(organization, active.id);
    const now = timestampFromDate(harness.clock.now());
    expect(again).toEqual({ ...active, activatedAt: now, updatedAt: now });
    expect(await readSnapshots(harness, active.id)).toHaveLength(1);
  });

  test("is refused while there is nothing to serve", async () => {
    const organization = harness.organization();
    const template = await createTemplate(organization);
    const english = await createVersion(organization, template.id);
    const german = await createVersion(organization, template.id, { locale: "de" });
    const latest = await createDeployment(organization, template.id);
    const fixed = await createDeployment(organization, template.id, { versionSelector: pinned(english.id) });
    for (const { id } of [latest, fixed]) {
      await expectDomainError(activate(organization, id), "CLICK_VERSION_NOT_PUBLISHED");
    }
    await publish(organization, german);
    await expectDomainError(activate(organization, fixed.id), "CLICK_VERSION_NOT_PUBLISHED");
    expect(await getDeployment(organization, fixed.id)).toEqual(fixed);
    await activate(organization, latest.id);
    await publish(organization, english);
    await activate(organization, fixed.id);
  });

  test("a deployment pinned to an archived version is refused", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    const german = await createVersion(organization, template.id, { locale: "de" });
    await publish(organization, german);
    const { id } = await createDeployment(organization, template.id, { versionSelector: pinned(version.id) });
    await archiveVersion(harness, version.id);
    await expectDomainError(activate(organization, id), "CLICK_VERSION_NOT_PUBLISHED");
  });

  test("needs the screenshot that the policy requires", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization, { policyFlags: { requireSnapshot: true } });
    const bare = await createDeployment(organization, template.id);
    expect(await problemFields(activate(organization, bare.id), "CLICK_POLICY_FLAG_CONFLICT")).toEqual([
      "screenshotId",
    ]);
    expect(await problemFields(createActive(organization, template.id), "CLICK_POLICY_FLAG_CONFLICT")).toEqual([
      "screenshotId",
    ]);
    await createActive(organization, template.id, { screenshotId: "shot-1" });
  });

  test("is refused when the policy of the template has come to contradict the deployment", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    const { id } = await createDeployment(organization, template.id, { displayMode: "LINK" });
    await updateTemplate(organization, template.id, ["policy_flags"], { policyFlags: { requireScroll: true } });
    expect(await problemFields(activate(organization, id), "CLICK_POLICY_FLAG_CONFLICT")).toEqual([
      "policyOverrides.requireScroll",
    ]);
  });

  test("an archived template is refused", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    const { id } = await createDeployment(organization, template.id);
    await archiveTemplate(harness, template.id);
    await expectDomainError(activate(organization, id), "CLICK_TEMPLATE_ARCHIVED");
  });

  test("concurrent activations make one change", async () => {
    const organization = harness.organization();
    const other = (await harness.another()).organization(organization.orgId);
    const { template } = await createPublished(organization);
    const { id } = await createDeployment(organization, template.id);
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, n) => activate(n % 2 === 0 ? organization : other, id)),
    );
    for (const deployment of all) expect(deployment).toEqual(all[0]);
    expect(await readSnapshots(harness, id)).toHaveLength(1);
  });

  test.each(unknownIds)("does not find %j", async (id) => {
    await expectDomainError(activate(harness.organization(), id), "CLICK_DEPLOYMENT_NOT_FOUND");
  });
});

describe("deactivateDeployment", () => {
  test("takes it out of force; repeated, it changes nothing", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    const active = await createActive(organization, template.id);
    harness.clock.advance(1000);
    const inactive = await deactivate(organization, active.id);
    const now = timestampFromDate(harness.clock.now());
    expect(inactive).toEqual({ ...active, status: DeploymentStatus.INACTIVE, deactivatedAt: now, updatedAt: now });
    harness.clock.advance(1000);
    expect(await deactivate(organization, active.id)).toEqual(inactive);
    expect(await getDeployment(organization, active.id)).toEqual(inactive);
  });

  test("leaves a draft a draft", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const draft = await createDeployment(organization, id);
    harness.clock.advance(1000);
    expect(await deactivate(organization, draft.id)).toEqual(draft);
  });

  test.each(unknownIds)("does not find %j", async (id) => {
    await expectDomainError(deactivate(harness.organization(), id), "CLICK_DEPLOYMENT_NOT_FOUND");
  });
});
