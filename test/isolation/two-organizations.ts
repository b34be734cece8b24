import type pg from "pg";
import { Plan } from "#gen/assent/auth/v1/auth_pb.ts";
import { createPool } from "#platform/db/pool.ts";
import { until } from "#platform/testing/until.ts";
import { type System, startSystem } from "../support/system.ts";
import { adminQuestions, createCredentials } from "./admin-questions.ts";
import { type Bench, fingerprintOf } from "./mutation-run.ts";
import { allQuestions, creation, type Question } from "./questions.ts";
import { createResources, everythingOf } from "./resources.ts";
import { type Statements, watchStatements } from "./statements.ts";

/** The product with two organizations in this process, where its statements can be watched. */
export interface TwoOrganizations extends Bench {
  readonly superuser: pg.Pool;
  /** What the second organization can ask. */
  readonly questions: readonly Question[];
  stop(): Promise<void>;
}

export async function startTwoOrganizations(): Promise<TwoOrganizations> {
  const statements = watchStatements();
  // A log of anchors that outgrows those of the organizations would stand in for them where a predicate is missing.
  const system = await startSystem("single process", { anchorIntervalSeconds: 3_600 });
  const superuser = createPool({ url: system.inspectUrl, name: "test", max: 1 });
  return { ...(await fill(system, superuser, statements)), stop: () => stop(system, superuser, statements) };
}

async function fill(system: System, superuser: pg.Pool, statements: Statements) {
  const [a, b] = [await system.newOrganization(), await system.newOrganization()];
  const limits = { accept: 100_000, render: 100_000, other: 100_000, sign: 100_000 };
  await system.admin.setOrganizationLimits({ organizationId: b.organizationId, limits });
  await system.admin.setOrganizationPlan({ organizationId: b.organizationId, plan: Plan.GEN_PRO });
  // Some of it is called the same in both: whoever asks by name has to be told about its own.
  const onlyA = await createResources(a, "of-a");
  const ofA = [onlyA, await createResources(a, "same"), await everythingOf(a, onlyA)];
  const ofB = await createResources(b, "same");
  const [credentialsOfA, credentialsOfB] = [
    await createCredentials(system, a.organizationId),
    await createCredentials(system, b.organizationId),
  ];
  const ids = JSON.stringify(ofA).match(/[0-9a-f]{8}-[0-9a-f-]{27}|dep_\w+/g) ?? [];
  const traces = [...new Set([...ids, credentialsOfA.keyId, credentialsOfA.clientId])];
  const tenants = { b, ofA: onlyA, ofB, traces };
  await settled(superuser, a.organizationId);
  return {
    statements,
    superuser,
    traces,
    create: await creation(tenants).prepare(),
    fingerprint: await fingerprintOf(superuser, a.organizationId),
    questions: [...(await allQuestions(tenants)), ...adminQuestions(system, credentialsOfA, credentialsOfB)],
  };
}

/** What is done in the background for an organization, and whether nothing of it is left to do. */
const backgroundWork = {
  log: "select h.size = t.size from click.log_head h join click.log_tree t using (organization_id) where organization_id = $1",
  statistics: "select exists (select from click.stat_holder where organization_id = $1)",
  publications: `select not exists (select from templates.revision r where organization_id = $1 and not exists (
      select from click.publication p
      where p.organization_id = $1 and p.version_id = r.version_id and p.revision = r.revision))`,
  documents:
    "select not exists (select from docgen.document where organization_id = $1 and status in ('queued', 'rendering'))",
  agreements: `select not exists (select from sign.job
    where organization_id = $1 and failed_at is null and run_at < now() + interval '1 minute')`,
  deliveries: `select not exists (select from webhooks.delivery
    where organization_id = $1 and due_at < now() + interval '1 minute')`,
  // Of all organizations, whichever it is asked for.
  events:
    "select $1::uuid is not null and coalesce(max(position) <= (select position from click.relay_cursor), true) from click.outbox",
};

/** Resolves when nothing is left to be done in the background for this organization. */
async function settled(superuser: pg.Pool, organizationId: string): Promise<void> {
  const columns = Object.entries(backgroundWork).map(([name, question]) => `(${question}) as ${name}`);
  await until(async () => {
    const { rows } = await superuser.query<Record<string, boolean | null>>(`select ${columns.join(", ")}`, [
      organizationId,
    ]);
    const undone = Object.entries(rows[0] ?? {}).flatMap(([name, isDone]) => (isDone === true ? [] : [name]));
    if (undone.length > 0) throw new Error(`still to be done: ${undone.join(", ")}`);
    return true;
  });
}

async function stop(system: System, superuser: pg.Pool, statements: Statements): Promise<void> {
  statements.restore();
  await superuser.end();
  await system.stop();
}
