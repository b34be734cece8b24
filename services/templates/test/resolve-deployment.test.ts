import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sha256Label } from "#platform/canonical-json.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { activate, createActive, createDeployment, deactivate, updateDeployment } from "./deployment-harness.ts";
import {
  archiveTemplate,
  createPublished,
  createVersion,
  type Organization,
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

const byKey = (organization: Organization, key: string) =>
  organization.resolveDeployment({ deployment: { case: "key", value: key } });
const byId = (organization: Organization, id: string) =>
  organization.resolveDeployment({ deployment: { case: "deploymentId", value: id } });

describe("resolveDeployment", () => {
  test("gives the deployment, its template and its snapshot, by key and by id", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization, {
      policyFlags: { minAge: 16 },
      counterparty: { legalName: "Acme" },
    });
    await publish(organization, await createVersion(organization, template.id, { locale: "de" }));
    await createVersion(organization, template.id, { locale: "fr" });
    const active = await createActive(organization, template.id, {
      allowedOrigins: ["https://shop.example"],
      localeFallback: ["de"],
      theme: { accent: "#00f" },
      policyOverrides: { minAge: 18 },
    });
    const resolved = await byKey(organization, active.key);
    expect(resolved.deployment).toEqual(active);
    expect(await byId(organization, active.id.toUpperCase())).toEqual(resolved);
    const item = { organizationId: organization.orgId, template: { case: "templateId", value: template.id } } as const;
    const { results } = await harness.client.resolveTemplates({ items: [item] });
    expect(resolved.template).toEqual(results[0]?.snapshot);
    expect(resolved.template?.publishedVersions).toHaveLength(2);
    expect(sha256Label(resolved.snapshotJson)).toBe(active.snapshotHash);
    expect(JSON.parse(resolved.snapshotJson)).toMatchObject({
      deploymentId: active.id,
      policyOverrides: { minAge: 18 },
      effectivePolicy: { minAge: 18, requireCheckbox: false },
    });
  });

  test("is never stale", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    const active = await createActive(organization, template.id);
    const changed = await updateDeployment(organization, active.id, ["name"], { name: "Other" });
    expect((await byKey(organization, active.key)).deployment).toEqual(changed);
    await updateTemplate(organization, template.id, ["policy_flags"], { policyFlags: { minAge: 21 } });
    const { snapshotJson, template: snapshot, deployment } = await byKey(organization, active.key);
    expect(JSON.parse(snapshotJson).effectivePolicy.minAge).toBe(21);
    expect(snapshot?.policyFlags).toMatchObject({ minAge: 21 });
    expect(sha256Label(snapshotJson)).toBe(deployment?.snapshotHash);
  });

  test("finds active deployments only", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    const { id, key } = await createDeployment(organization, template.id);
    const expectMissing = async () => {
      await expectDomainError(byKey(organization, key), "CLICK_DEPLOYMENT_NOT_FOUND");
      await expectDomainError(byId(organization, id), "CLICK_DEPLOYMENT_NOT_FOUND");
    };
    await expectMissing();
    await activate(organization, id);
    await byKey(organization, key);
    await deactivate(organization, id);
    await expectMissing();
    await activate(organization, id);
    await archiveTemplate(harness, template.id);
    await expectMissing();
  });

  test.each([...unknownIds, "dep_", `dep_${"0".repeat(22)}`, `dep_${"0".repeat(23)}`])(
    "does not find %j",
    async (name) => {
      const organization = harness.organization();
      await expectDomainError(byKey(organization, name), "CLICK_DEPLOYMENT_NOT_FOUND");
      await expectDomainError(byId(organization, name), "CLICK_DEPLOYMENT_NOT_FOUND");
    },
  );

  test("needs a name and a caller", async () => {
    await expectDomainError(harness.organization().resolveDeployment({}), "VALIDATION_FAILED");
    const name = { case: "deploymentId", value: randomUUID() } as const;
    await expect(harness.client.resolveDeployment({ deployment: name })).rejects.toThrow();
  });

  test("answers SERVICE_UNAVAILABLE while the database is too busy", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    const { key } = await createActive(organization, template.id);
    const holder = await harness.superuser.connect();
    try {
      await holder.query("begin; lock table templates.deployment in access exclusive mode");
      await expectDomainError(byKey(organization, key), "SERVICE_UNAVAILABLE");
    } finally {
      await holder.query("rollback");
      holder.release();
    }
    await byKey(organization, key);
  });

  test("what belongs together is read together while everything changes", async () => {
    const organization = harness.organization();
    const { template } = await createPublished(organization);
    const active = await createActive(organization, template.id, { policyOverrides: { minAge: 1 } });
    let isDone = false;
    const changes = (async () => {
      for (let age = 2; age <= 30; age += 1) {
        await updateTemplate(organization, template.id, ["policy_flags"], { policyFlags: { minAge: age } });
      }
      isDone = true;
    })();
    for (let reads = 0; !isDone || reads < 5; reads += 1) {
      const { deployment, template: snapshot, snapshotJson } = await byKey(organization, active.key);
      expect(sha256Label(snapshotJson)).toBe(deployment?.snapshotHash);
      expect(JSON.parse(snapshotJson).effectivePolicy.minAge).toBe(Math.max(1, Number(snapshot?.policyFlags?.minAge)));
    }
    await changes;
  });
});
