import { randomUUID } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import {
  createActive,
  createDeployment,
  deactivate,
  getDeployment,
  pinned,
  readSnapshots,
  updateDeployment,
} from "./deployment-harness.ts";
import {
  archiveTemplate,
  createPublished,
  createTemplate,
  createVersion,
  problemFields,
  publish,
  startTemplates,
  type TemplatesHarness,
  unknownIds,
} from "./harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

const everything = {
  name: "Checkout",
  environment: "TEST",
  surface: "IOS",
  displayMode: "MODAL",
  wrapType: "SIGN_IN_WRAP",
  localeFallback: ["fr"],
  allowedOrigins: ["http://localhost:3000"],
  theme: { accent: "#00f" },
  brandId: "0199aa00-0000-7000-8000-00000000b0a0",
  screenshotId: "shot-1",
  policyOverrides: { requireView: true },
};

const paths = {
  name: "name",
  environment: "environment",
  surface: "surface",
  displayMode: "display_mode",
  wrapType: "wrap_type",
  localeFallback: "locale_fallback",
  allowedOrigins: "allowed_origins",
  theme: "theme",
  brandId: "brand_id",
  screenshotId: "screenshot_id",
  policyOverrides: "policy_overrides",
} as const satisfies Record<keyof typeof everything, string>;

describe("updateDeployment", () => {
  test("changes the fields of the mask and no other", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    const before = await createDeployment(organization, template.id);
    harness.clock.advance(1000);
    const fields = { ...everything, versionSelector: pinned(version.id) };
    const renamed = await updateDeployment(organization, before.id, ["name"], fields);
    const updatedAt = timestampFromDate(harness.clock.now());
    expect(renamed).toEqual({ ...before, name: "Checkout", updatedAt });
    const after = await updateDeployment(
      organization,
      before.id,
      [...Object.values(paths), "version_selector"],
      fields,
    );
    expect(after).toMatchObject(fields);
    expect([after.key, after.id, after.status, after.createdAt]).toEqual([
      before.key,
      before.id,
      before.status,
      before.createdAt,
    ]);
    expect(await getDeployment(organization, before.id)).toEqual(after);
    expect(await readSnapshots(harness, before.id)).toEqual([]);
  });

  test("named fields that are absent take their defaults again", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    const bare = await createDeployment(organization, template.id);
    const selected = { ...everything, versionSelector: pinned(version.id) };
    const full = await createDeployment(organization, template.id, selected);
    const mask = [...Object.values(paths), "version_selector"];
    const cleared = await updateDeployment(organization, full.id, mask, {});
    expect(cleared).toEqual({ ...bare, id: full.id, key: full.key });
  });

  test("changes nothing when everything is as wanted already", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    const fields = { ...everything, policyOverrides: { requireView: true, minAge: 3 } };
    const before = await createActive(organization, template.id, fields);
    harness.clock.advance(1000);
    for (const mask of [[], Object.values(paths)]) {
      expect(await updateDeployment(organization, before.id, mask, fields)).toEqual(before);
    }
    expect(await readSnapshots(harness, before.id)).toHaveLength(1);
  });

  test.each([
    ["version_selector", "CLICK_DEPLOYMENT_ACTIVE"],
    ["allowed_origins", "CLICK_DEPLOYMENT_ACTIVE"],
  ] as const)("%s of an active deployment changes only by force", async (path, code) => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    const before = await createActive(organization, template.id);
    const fields = { versionSelector: pinned(version.id), allowedOrigins: ["https://shop.example"] };
    await expectDomainError(updateDeployment(organization, before.id, [path], fields), code);
    await expectDomainError(updateDeployment(organization, before.id, ["name", path], fields), code);
    expect(await getDeployment(organization, before.id)).toEqual(before);
    const after = await updateDeployment(organization, before.id, [path], fields, true);
    expect(after.snapshotHash).not.toBe(before.snapshotHash);
    const stopped = await deactivate(organization, before.id);
    const back = { versionSelector: { mode: "LATEST" }, allowedOrigins: [] };
    expect(await updateDeployment(organization, stopped.id, [path], back)).toMatchObject(
      path === "version_selector" ? { versionSelector: back.versionSelector } : { allowedOrigins: [] },
    );
  });

  test.each(Object.entries(paths))(
    "each change of %s of an active deployment makes a snapshot",
    async (field, path) => {
      const organization = harness.organization();
      const { template } = await createPublished(organization);
      const base = field === "allowedOrigins" ? { environment: "TEST" } : {};
      const before = await createActive(organization, template.id, base);
      const after = await updateDeployment(organization, before.id, [path], everything, true);
      const snapshots = await readSnapshots(harness, before.id);
      expect(snapshots.map((snapshot) => snapshot.hash).sort()).toEqual(
        [before.snapshotHash, after.snapshotHash].sort(),
      );
      const snapshot = snapshots.find(({ hash }) => hash === after.snapshotHash);
      expect(JSON.parse(snapshot?.data ?? "")).toMatchObject({
        [field]: everything[field as keyof typeof everything],
      });
      const again = await updateDeployment(organization, before.id, [path], { ...base, name: before.name }, true);
      expect(again.snapshotHash).toBe(before.snapshotHash);
      expect(await readSnapshots(harness, before.id)).toEqual(snapshots);
    },
  );

  test("an active deployment can be moved by force only to what is published", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    const draft = await createVersion(organization, template.id, { locale: "de" });
    const active = await createActive(organization, template.id);
    const move = (versionId: string) =>
      updateDeployment(organization, active.id, ["version_selector"], { versionSelector: pinned(versionId) }, true);
    await expectDomainError(move(draft.id), "CLICK_VERSION_NOT_PUBLISHED");
    await expectDomainError(move(randomUUID()), "CLICK_VERSION_NOT_FOUND");
    expect(await getDeployment(organization, active.id)).toEqual(active);
    await move(version.id);
    await publish(organization, draft);
    await move(draft.id);
  });

  test("an inactive deployment can be pinned to any version of its template", async () => {
    const organization = harness.organization();
    const template = await createTemplate(organization);
    const draft = await createVersion(organization, template.id);
    const { id } = await createDeployment(organization, template.id);
    const move = (versionId: string) =>
      updateDeployment(organization, id, ["version_selector"], { versionSelector: pinned(versionId) });
    expect(await move(draft.id)).toMatchObject({ versionSelector: pinned(draft.id) });
    const other = await createPublished(organization);
    await expectDomainError(move(other.version.id), "CLICK_VERSION_NOT_FOUND");
  });

  test("an override may only tighten what the template says now", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization, { policyFlags: { minAge: 18 } });
    const deployment = await createDeployment(organization, id, { policyOverrides: { minAge: 21 } });
    const override = (policyOverrides: { [flag: string]: number | boolean }) =>
      updateDeployment(organization, deployment.id, ["policy_overrides"], { policyOverrides });
    expect(await problemFields(override({ minAge: 17 }), "CLICK_POLICY_FLAG_CONFLICT")).toEqual([
      "policyOverrides.minAge",
    ]);
    expect(await problemFields(override({ minAge: 121 }), "CLICK_POLICY_FLAG_INVALID")).toEqual([
      "policyOverrides.minAge",
    ]);
    expect(await override({ minAge: 18, requireView: true })).toMatchObject({
      policyOverrides: { minAge: 18, requireView: true },
    });
  });

  test("contradictions between fields are refused, whichever of them changes", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const scrolled = await createDeployment(organization, id, { policyOverrides: { requireScroll: true } });
    const linked = await createDeployment(organization, id, { displayMode: "LINK" });
    const local = await createDeployment(organization, id, {
      environment: "TEST",
      allowedOrigins: ["http://localhost"],
    });
    const expected = ["policyOverrides.requireScroll"];
    const toLink = updateDeployment(organization, scrolled.id, ["display_mode"], { displayMode: "LINK" });
    expect(await problemFields(toLink, "CLICK_POLICY_FLAG_CONFLICT")).toEqual(expected);
    const policyOverrides = { requireScroll: true };
    const toScroll = updateDeployment(organization, linked.id, ["policy_overrides"], { policyOverrides });
    expect(await problemFields(toScroll, "CLICK_POLICY_FLAG_CONFLICT")).toEqual(expected);
    const toLive = updateDeployment(organization, local.id, ["environment"], { environment: "LIVE" });
    expect(await problemFields(toLive, "CLICK_VALIDATION_FAILED")).toEqual(["allowedOrigins[0]"]);
  });

  test("an active deployment keeps the screenshot that its policy requires", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    const overrides = { policyOverrides: { requireSnapshot: true } };
    const active = await createActive(organization, template.id, { ...overrides, screenshotId: "shot-1" });
    const clear = () => updateDeployment(organization, active.id, ["screenshot_id"], {});
    expect(await problemFields(clear(), "CLICK_POLICY_FLAG_CONFLICT")).toEqual(["screenshotId"]);
    await updateDeployment(organization, active.id, ["screenshot_id"], { screenshotId: "shot-2" });
    await deactivate(organization, active.id);
    expect((await clear()).screenshotId).toBeUndefined();
  });

  test.each(["key", "status", "id", "organization_id", "template_id", "snapshot_hash", "version_selector.mode", "x"])(
    "the mask may not name %s",
    async (path) => {
      const organization = harness.organization();
      const { id } = await createTemplate(organization);
      const deployment = await createDeployment(organization, id);
      const attempt = updateDeployment(organization, deployment.id, ["name", path], { name: "Other" });
      expect(await problemFields(attempt, "CLICK_VALIDATION_FAILED")).toEqual(["updateMask"]);
      expect(await getDeployment(organization, deployment.id)).toEqual(deployment);
    },
  );

  test("a deployment of an archived template is refused", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    const { id } = await createDeployment(organization, template.id);
    await archiveTemplate(harness, template.id);
    await expectDomainError(updateDeployment(organization, id, ["name"], { name: "x" }), "CLICK_TEMPLATE_ARCHIVED");
  });

  test.each(unknownIds)("does not find %j", async (id) => {
    const attempt = updateDeployment(harness.organization(), id, ["name"], { name: "x" });
    await expectDomainError(attempt, "CLICK_DEPLOYMENT_NOT_FOUND");
  });
});
