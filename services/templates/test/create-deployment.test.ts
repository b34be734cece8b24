import { randomUUID } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { DeploymentStatus } from "#gen/assent/templates/v1/templates_pb.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { createActive, createDeployment, getDeployment, pinned, readSnapshots } from "./deployment-harness.ts";
import {
  archiveTemplate,
  createPublished,
  createTemplate,
  createVersion,
  problemFields,
  startTemplates,
  type TemplatesHarness,
  unknownIds,
} from "./harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe("createDeployment", () => {
  test("needs nothing but a template and fills in the defaults", async () => {
    const organization = harness.organization();
    const template = await createTemplate(organization);
    const deployment = await createDeployment(organization, template.id);
    const now = timestampFromDate(harness.clock.now());
    expect(deployment).toMatchObject({
      id: expect.stringMatching(uuid),
      organizationId: organization.orgId,
      templateId: template.id,
      key: expect.stringMatching(/^dep_[0-9A-Za-z]{22}$/),
      name: "Terms (WEB, INLINE)",
      status: DeploymentStatus.DRAFT,
      environment: "LIVE",
      surface: "WEB",
      displayMode: "INLINE",
      wrapType: "CLICKWRAP",
      versionSelector: { mode: "LATEST" },
      localeFallback: [],
      allowedOrigins: [],
      theme: {},
      policyOverrides: {},
      createdAt: now,
      updatedAt: now,
    });
    expect(deployment.versionSelector?.versionId).toBeUndefined();
    for (const field of ["brandId", "screenshotId", "activatedAt", "deactivatedAt", "snapshotHash"] as const) {
      expect(deployment[field]).toBeUndefined();
    }
    expect(await getDeployment(organization, deployment.id)).toEqual(deployment);
    expect(await readSnapshots(harness, deployment.id)).toEqual([]);
  });

  test("keeps everything that is given, in canonical form", async () => {
    const organization = harness.organization();
    const { template, version } = await createPublished(organization);
    const deployment = await createDeployment(organization, template.id, {
      name: "Checkout",
      environment: "TEST",
      surface: "KIOSK",
      displayMode: "FULL_PAGE",
      wrapType: "SCROLLWRAP",
      versionSelector: pinned(version.id.toUpperCase()),
      localeFallback: ["DE-at", "de", "de-AT"],
      allowedOrigins: ["https://Shop.Example:443", "http://localhost:3000", "https://shop.example"],
      theme: { accent: "#00f", fonts: ["serif", null], sizes: { title: 1.5 }, isDark: false },
      brandId: "0199AA00-0000-7000-8000-00000000B0A0",
      screenshotId: "shot-1",
      policyOverrides: { requireScroll: true, verificationMethods: ["TYPED_NAME"] },
    });
    expect(deployment).toMatchObject({
      name: "Checkout",
      environment: "TEST",
      surface: "KIOSK",
      displayMode: "FULL_PAGE",
      wrapType: "SCROLLWRAP",
      versionSelector: { mode: "PINNED", versionId: version.id },
      localeFallback: ["de-AT", "de"],
      allowedOrigins: ["https://shop.example", "http://localhost:3000"],
      theme: { accent: "#00f", fonts: ["serif", null], sizes: { title: 1.5 }, isDark: false },
      brandId: "0199aa00-0000-7000-8000-00000000b0a0",
      screenshotId: "shot-1",
      policyOverrides: { requireScroll: true, verificationMethods: ["TYPED_NAME"] },
    });
    expect(await getDeployment(organization, deployment.id)).toEqual(deployment);
  });

  test("keys are all different", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const deployments = await Promise.all(Array.from({ length: 20 }, () => createDeployment(organization, id)));
    expect(new Set(deployments.map((deployment) => deployment.key)).size).toBe(20);
  });

  test("a derived name fits, however long the template's is", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization, { name: "𝕋".repeat(255) });
    const { name } = await createDeployment(organization, id, { surface: "ANDROID", displayMode: "FULL_PAGE" });
    expect(Array.from(name)).toHaveLength(255);
    expect(name).toMatch(/^𝕋+ \(ANDROID, FULL_PAGE\)$/u);
  });

  test("can be active at once, with a snapshot", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    const deployment = await createActive(organization, template.id);
    const now = timestampFromDate(harness.clock.now());
    expect(deployment).toMatchObject({ status: DeploymentStatus.ACTIVE, activatedAt: now });
    const [snapshot, ...more] = await readSnapshots(harness, deployment.id);
    expect(more).toEqual([]);
    expect(deployment.snapshotHash).toBe(snapshot?.hash);
    expect(snapshot?.hash).toBe(sha256Label(snapshot?.data ?? ""));
    expect(await getDeployment(organization, deployment.id)).toEqual(deployment);
  });

  test("cannot be active at once without anything to serve, and then does not exist", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const draft = await createVersion(organization, id);
    for (const versionSelector of [{ mode: "LATEST" }, pinned(draft.id)]) {
      await expectDomainError(createActive(organization, id, { versionSelector }), "CLICK_VERSION_NOT_PUBLISHED");
      expect((await organization.listDeployments({ templateId: id })).deployments).toEqual([]);
      await createDeployment(organization, id, { versionSelector });
      await harness.superuser.query("delete from templates.deployment where template_id = $1", [id]);
    }
  });

  test("is pinned to versions of its template only", async () => {
    const organization = harness.organization();
    const [{ template }, other] = [await createPublished(organization), await createPublished(organization)];
    for (const versionId of [other.version.id, randomUUID()]) {
      const attempt = createDeployment(organization, template.id, { versionSelector: pinned(versionId) });
      await expectDomainError(attempt, "CLICK_VERSION_NOT_FOUND");
    }
  });

  test.each([
    ["environment", { environment: "live" }],
    ["surface", { surface: "" }],
    ["displayMode", { displayMode: "POPUP" }],
    ["wrapType", { wrapType: "BROWSEWRAP" }],
    ["versionSelector.versionId", { versionSelector: { mode: "PINNED" } }],
    ["versionSelector.versionId", { versionSelector: pinned("x") }],
    ["versionSelector.versionId", { versionSelector: { mode: "LATEST", versionId: randomUUID() } }],
    ["localeFallback[1]", { localeFallback: ["en", "no locale"] }],
    ["localeFallback[0]", { localeFallback: [`en-x-${"a-".repeat(100)}a`] }],
    ["allowedOrigins[1]", { allowedOrigins: ["https://a.example", "https://a.example/"] }],
    ["allowedOrigins[0]", { allowedOrigins: ["http://a.example"], environment: "TEST" }],
    ["allowedOrigins[0]", { allowedOrigins: ["http://localhost:3000"] }],
    ["theme", { theme: { text: "x".repeat(8200) } }],
    ["theme", { theme: { a: [[[[[[[[1]]]]]]]] } }],
    ["theme.a[0]", { theme: { a: ["\u0000"] } }],
    ["screenshotId", { screenshotId: "" }],
  ])("refuses a bad %s", async (field, fields) => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const attempt = createDeployment(organization, id, fields);
    expect(await problemFields(attempt, "CLICK_VALIDATION_FAILED")).toEqual([field]);
  });

  test.each([
    [{ name: "" }],
    [{ name: "\u0000" }],
    [{ name: "x".repeat(256) }],
    [{ versionSelector: { mode: "NEWEST" } }],
    [{ versionSelector: {} }],
    [{ localeFallback: Array(21).fill("en") }],
    [{ allowedOrigins: Array(51).fill("https://a.example") }],
    [{ screenshotId: "x".repeat(101) }],
  ])("refuses by its shape: %j", async (fields) => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    await expectDomainError(createDeployment(organization, id, fields), "VALIDATION_FAILED");
  });

  test("an archived template is refused", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    await archiveTemplate(harness, template.id);
    await expectDomainError(createDeployment(organization, template.id), "CLICK_TEMPLATE_ARCHIVED");
  });

  test.each(unknownIds)("does not find the template %j", async (id) => {
    await expectDomainError(createDeployment(harness.organization(), id), "CLICK_TEMPLATE_NOT_FOUND");
  });

  test("a template has at most 100", async () => {
    const organization = harness.organization();
    const { id } = await createTemplate(organization);
    const { key } = await createDeployment(organization, id);
    await harness.superuser.query(
      `insert into templates.deployment (organization_id, id, template_id, key, name, status, environment, surface,
         display_mode, wrap_type, locale_fallback, allowed_origins, theme, policy_overrides, created_by, created_at, updated_at)
       select organization_id, gen_random_uuid(), template_id, left(key, 22) || lpad(n::text, 4, '0'), name, status,
         environment, surface, display_mode, wrap_type, locale_fallback, allowed_origins, theme, policy_overrides,
         created_by, created_at, updated_at
       from templates.deployment, generate_series(1, 99) n where key = $1`,
      [key],
    );
    const attempt = createDeployment(organization, id);
    expect(await problemFields(attempt, "CLICK_VALIDATION_FAILED")).toEqual(["templateId"]);
    expect((await organization.listDeployments({ templateId: id })).deployments).toHaveLength(100);
  });
});
