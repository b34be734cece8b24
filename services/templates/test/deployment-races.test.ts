import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type Deployment, TemplateStatus, type Version } from "#gen/assent/templates/v1/templates_pb.ts";
import { fromConnectError } from "#platform/errors.ts";
import { createActive, createDeployment, pinned, updateDeployment } from "./deployment-harness.ts";
import {
  createPublished,
  createVersion,
  type Organization,
  publish,
  startTemplates,
  type TemplatesHarness,
  type TemplatesProcess,
  unpublish,
  updateTemplate,
} from "./harness.ts";

let harness: TemplatesHarness;
let another: TemplatesProcess;
beforeAll(async () => {
  harness = await startTemplates();
  another = await harness.another();
});
afterAll(() => harness.stop());

/** Active deployments that have nothing to serve, of one organization or of all; there is none at any moment. */
async function findStarving(orgId?: string): Promise<unknown[]> {
  const { rows } = await harness.superuser.query(
    `select d.id, d.template_id, d.version_id from templates.deployment d
     join templates.template t on t.organization_id = d.organization_id and t.id = d.template_id
     where d.organization_id = coalesce($1, d.organization_id) and d.status = 'ACTIVE' and (t.archived_at is not null or t.deleted_at is not null or not exists (
       select from templates.version v where v.organization_id = d.organization_id and v.template_id = d.template_id
         and v.status = 'PUBLISHED' and v.id = coalesce(d.version_id, v.id)))`,
    [orgId],
  );
  return rows;
}

/** Active deployments whose snapshot does not say what is in force. */
async function findStale(orgId?: string): Promise<unknown[]> {
  const { rows } = await harness.superuser.query(
    `select d.id from templates.deployment d
     join templates.template t on t.organization_id = d.organization_id and t.id = d.template_id
     join templates.deployment_snapshot s on s.organization_id = d.organization_id and s.hash = d.snapshot_hash
     where d.organization_id = coalesce($1, d.organization_id) and d.status = 'ACTIVE' and (s.data::jsonb -> 'effectivePolicy' -> 'minAge' <> t.policy_flags -> 'minAge'
       or s.data::jsonb -> 'name' <> to_jsonb(d.name)
       or s.data::jsonb -> 'versionSelector' -> 'versionId' <> coalesce(to_jsonb(d.version_id), 'null'))`,
    [orgId],
  );
  return rows;
}

afterEach(async () => {
  expect(await findStarving()).toEqual([]);
  expect(await findStale()).toEqual([]);
});

/** Undefined for success; throws for what is no refusal of ours, and when the database gave up. */
async function codeOf(promise: Promise<unknown>): Promise<string | undefined> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const code = fromConnectError(error)?.code;
  if (error !== undefined && (code === undefined || code === "SERVICE_UNAVAILABLE")) throw error;
  return code;
}

const withdrawals = {
  archiveVersion: {
    run: (organization: Organization, version: Version) =>
      organization.archiveVersion({ templateId: version.templateId, versionId: version.id }),
    refusals: ["CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS"],
    inTheWay: "CLICK_VERSION_NOT_PUBLISHED",
  },
  unpublish: {
    run: unpublish,
    refusals: ["CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS"],
    inTheWay: "CLICK_VERSION_NOT_PUBLISHED",
  },
  removeTemplate: {
    run: (organization: Organization, { templateId }: Version) => organization.removeTemplate({ templateId }),
    refusals: ["CLICK_TEMPLATE_HAS_ACTIVE_DEPLOYMENTS"],
    inTheWay: "CLICK_DEPLOYMENT_NOT_FOUND",
  },
  bulkArchiveTemplates: {
    run: async (organization: Organization, { templateId }: Version) => {
      const { archived } = await organization.bulkArchiveTemplates({ templateIds: [templateId] });
      if (archived === 0) throw new SkippedError();
    },
    refusals: ["SKIPPED"],
    inTheWay: "CLICK_TEMPLATE_ARCHIVED",
  },
};

/** A bulk operation does not fail for what it passes over. */
class SkippedError extends Error {}

const rounds = 25;

describe.each(Object.entries(withdrawals))("activation against %s", (_name, withdrawal) => {
  const withdraw = (organization: Organization, version: Version) =>
    codeOf(withdrawal.run(organization, version)).catch((error: unknown) => {
      if (error instanceof SkippedError) return "SKIPPED";
      throw error;
    });

  test.each([
    ["a deployment of whatever is published", false],
    ["a pinned deployment", true],
  ])("%s: exactly one of the two succeeds", async (_title, isPinned) => {
    const organization = harness.organization();
    const other = another.organization(organization.orgId);
    const runRound = async (round: number) => {
      const { template, version } = await createPublished(organization);
      const fields = isPinned ? { versionSelector: pinned(version.id) } : {};
      const { id } = await createDeployment(organization, template.id, fields);
      const activate = () => codeOf(organization.activateDeployment({ deploymentId: id }));
      const takeAway = () => withdraw(other, version);
      const [activation, taking] =
        round % 2 === 0
          ? await Promise.all([activate(), takeAway()])
          : (await Promise.all([takeAway(), activate()])).reverse();
      const outcome = [activation, taking];
      expect([
        [undefined, withdrawal.refusals[0]],
        [withdrawal.inTheWay, undefined],
      ]).toContainEqual(outcome);
    };
    for (let round = 0; round < rounds; round += 5) {
      await Promise.all([0, 1, 2, 3, 4].map((n) => runRound(round + n)));
    }
  });

  test("creation of an active deployment: exactly one of the two succeeds", async () => {
    const organization = harness.organization();
    const runRound = async () => {
      const { template, version } = await createPublished(organization);
      const outcomes = await Promise.all([
        codeOf(createActive(organization, template.id)),
        withdraw(organization, version),
      ]);
      expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(1);
    };
    for (let round = 0; round < rounds; round += 5) await Promise.all(Array.from({ length: 5 }, runRound));
  });
});

interface Scene {
  readonly organization: Organization;
  readonly templateId: string;
  readonly versions: readonly Version[];
  readonly deployments: readonly Deployment[];
}

/** Anything that anybody may do to one template; `n` chooses the object and the value. */
const steps: Record<string, (scene: Scene, n: number) => Promise<unknown>> = {
  activate: ({ organization, deployments }, n) =>
    organization.activateDeployment({ deploymentId: pick(deployments, n).id }),
  deactivate: ({ organization, deployments }, n) =>
    organization.deactivateDeployment({ deploymentId: pick(deployments, n).id }),
  removeDeployment: ({ organization, deployments }, n) =>
    organization.removeDeployment({ deploymentId: pick(deployments, n).id }),
  rename: ({ organization, deployments }, n) =>
    updateDeployment(organization, pick(deployments, n).id, ["name"], { name: `name ${n}` }),
  repin: ({ organization, deployments, versions }, n) => {
    const versionSelector = n % 3 === 0 ? { mode: "LATEST" } : pinned(pick(versions, n).id);
    return updateDeployment(organization, pick(deployments, n).id, ["version_selector"], { versionSelector }, true);
  },
  createActive: ({ organization, templateId }) => createActive(organization, templateId),
  publish: ({ organization, versions }, n) => publish(organization, pick(versions, n)),
  unpublish: ({ organization, versions }, n) => unpublish(organization, pick(versions, n)),
  archiveVersion: ({ organization, versions }, n) =>
    organization.archiveVersion({ templateId: pick(versions, n).templateId, versionId: pick(versions, n).id }),
  archiveTemplate: ({ organization, templateId }) => organization.bulkArchiveTemplates({ templateIds: [templateId] }),
  restoreTemplate: ({ organization, templateId }) =>
    updateTemplate(organization, templateId, ["status"], { status: TemplateStatus.DRAFT }),
  removeTemplate: ({ organization, templateId }) => organization.removeTemplate({ templateId }),
  changePolicy: ({ organization, templateId }, n) =>
    organization.applyPolicyFlags({ templateId, policyFlags: { minAge: n } }),
  updateTemplate: ({ organization, templateId }, n) =>
    updateTemplate(organization, templateId, ["policy_flags"], { policyFlags: { minAge: n + 20 } }),
};

function pick<T>(items: readonly T[], n: number): T {
  const item = items[n % items.length];
  if (item === undefined) throw new Error("there is nothing to pick");
  return item;
}

describe("everything at once", () => {
  test("never leaves an active deployment with nothing to serve or with an old snapshot", async () => {
    const step = fc.record({ name: fc.constantFrom(...Object.keys(steps)), n: fc.nat({ max: 5 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 16 }), async (chosen) => {
        const organization = harness.organization();
        const { orgId } = organization;
        const { template, version } = await createPublished(organization);
        const german = await publish(organization, await createVersion(organization, template.id, { locale: "de" }));
        const deployments = [
          await createActive(organization, template.id),
          await createDeployment(organization, template.id, { versionSelector: pinned(version.id) }),
        ];
        const scene = { organization, templateId: template.id, versions: [version, german], deployments };
        const running = Promise.all(chosen.map(({ name, n }) => codeOf(Promise.resolve(steps[name]?.(scene, n)))));
        // What is committed is right at every moment, not only in the end.
        let isDone = false;
        const watching = (async () => {
          while (!isDone) expect([await findStarving(orgId), await findStale(orgId)]).toEqual([[], []]);
        })();
        try {
          await running;
        } finally {
          isDone = true;
          await watching;
        }
        expect([await findStarving(orgId), await findStale(orgId)]).toEqual([[], []]);
      }),
      { numRuns: 20 },
    );
  });
});
