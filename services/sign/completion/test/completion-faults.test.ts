import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import { createPool, withOrg } from "#platform/db/pool.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { until } from "#platform/testing/until.ts";
import type { Agreement } from "../../agreement/agreement.ts";
import { changeAgreement } from "../../agreement/change-agreement.ts";
import { filesOf } from "../../agreement/file-store.ts";
import { sign } from "../../agreement/test/lifecycle-requests.ts";
import { sampleContext, sampleDraft, sampleRecipient } from "../../agreement/test/lifecycle-samples.ts";
import { noMatches } from "../../create/place-tabs.ts";
import { prepareSeal } from "../../intake/prepare-seal.ts";
import { ordinaryPdf } from "../../intake/test/pdfs.ts";
import { completeAgreements } from "../../jobs/handlers.ts";
import type { JobHandler } from "../../jobs/job.ts";
import { createJobLoop } from "../../jobs/job-loop.ts";
import { createCompletionWatch } from "../../jobs/sweep.ts";
import { createPemSigner } from "../../seal/seal-signer.ts";
import { createSealer, type Sealer } from "../../seal/sealer.ts";
import { sendAgreement } from "../../send/send.ts";
import {
  documentWith,
  type SigningSetup,
  startSigning,
  type TestOrganization,
} from "../../signing/test/signing-setup.ts";
import { testSeal } from "../../test/harness.ts";
import { createWitness, type Witness } from "../../witness/witness.ts";
import { type CompletionDeps, completeAgreement } from "../complete-agreement.ts";
import { createFontLibrary } from "../font-library.ts";
import { holds } from "./completion-setup.ts";

let setup: SigningSetup;
let organization: TestOrganization;
let file: Buffer;
let claimerPool: pg.Pool;
let deps: CompletionDeps;
let witness: Witness;
const metrics = createMetrics();
const alarms: unknown[] = [];
const logger = createLogger("sign", "silent");

beforeAll(async () => {
  setup = await startSigning();
  organization = setup.organization();
  file = await ordinaryPdf(1);
  claimerPool = createPool({ url: setup.databaseUrl, role: "assent_sign_claimer", max: 2, name: "sign-claimer" });
  const fonts = createFontLibrary();
  witness = createWitness({
    logger: { ...logger, error: (fields: unknown) => alarms.push(fields) } as unknown as typeof logger,
    metrics,
  });
  deps = {
    ...setup.deps,
    intake: { prepareSeal: (preparation) => prepareSeal(preparation, fonts) },
    witness,
    sealer: createSealer({ signer: createPemSigner(await testSeal()) }),
  };
});

afterAll(async () => {
  await claimerPool.end();
  await witness.close();
  await setup.stop();
});

/** An agreement with two documents that waits to be completed, and its job. */
async function completing(): Promise<Agreement> {
  const documents = [documentWith(file, "1"), documentWith(Buffer.from(file), "2")];
  const draft = sampleDraft([sampleRecipient("1")], { id: crypto.randomUUID(), documents });
  const sent = sendAgreement(draft, noMatches, sampleContext()).agreement;
  await organization.insert(sent, [file]);
  const caller = { orgId: organization.orgId, requestId: "request-1", traceparent: "" };
  return changeAgreement(deps, caller, { id: sent.id, isTemplate: false }, (agreement) =>
    sign("1")(agreement, { ...sampleContext(), newId: deps.newId }),
  );
}

/** Before and after each thing that a completion needs of others. */
type Boundary = `${"before" | "after"} ${"reading" | "preparing" | "sealing" | "printing" | "ending"} ${number}`;
const boundaries: readonly Boundary[] = (
  [
    ["reading", 2],
    ["preparing", 3],
    ["sealing", 3],
    ["printing", 1],
    ["ending", 1],
  ] as const
).flatMap(([step, times]) =>
  Array.from({ length: times }, (_, index) => index + 1).flatMap((time): Boundary[] => [
    `before ${step} ${time}`,
    `after ${step} ${time}`,
  ]),
);

/** Does the work of one agreement, and fails or halts at the boundary the first time. */
function faulty(meet: (boundary: Boundary) => Promise<void>): JobHandler["run"] {
  const counts = new Map<string, number>();
  const around = async <T>(step: string, work: () => Promise<T>): Promise<T> => {
    const time = (counts.get(step) ?? 0) + 1;
    counts.set(step, time);
    await meet(`before ${step} ${time}` as Boundary);
    const result = await work();
    await meet(`after ${step} ${time}` as Boundary);
    return result;
  };
  const sealer: Sealer = {
    ...deps.sealer,
    now: () => sealer,
    seal: (...given) => around("sealing", () => deps.sealer.seal(...given)),
  };
  const { run } = completeAgreements({
    ...deps,
    files: { ...deps.files, read: (...given) => around("reading", () => deps.files.read(...given)) },
    intake: { prepareSeal: (given) => around("preparing", () => deps.intake.prepareSeal(given)) },
    sealer,
    renderer: {
      ...deps.renderer,
      renderHtml: (...given) => around("printing", () => deps.renderer.renderHtml(...given)),
    },
  });
  return (job, hold, signal) => run(job, { endIn: (tenant) => around("ending", () => hold.endIn(tenant)) }, signal);
}

const loopWith = (run: JobHandler["run"]) =>
  createJobLoop({
    ...{ pool: deps.pool, claimerPool, clock: deps.clock, logger },
    handlers: { completion: { concurrency: 100, maxAttempts: 100, run } },
  });

const openJobs = async (): Promise<number> => {
  const { rowCount } = await setup.superuser.query("select from sign.job where kind = 'completion'");
  return rowCount ?? 0;
};

async function requireCompletedOnce(agreements: readonly Agreement[]): Promise<void> {
  for (const { id } of agreements) {
    const agreement = await organization.load(id);
    expect(agreement).toMatchObject({ status: "completed", sealLevel: "B-B" });
    const { rows } = await setup.superuser.query<{ subject: string; count: number }>(
      `select subject, count(*)::int as count from sign.outbox
        where subject in ('assent.sign.agreement.completed', 'assent.sign.document.completed')
          and (data::json->>'aggregateId') = $1 group by subject order by subject`,
      [id],
    );
    expect(rows.map(({ count }) => count)).toEqual([1, 2]);
    const actions = (await organization.trail(id)).map(({ action }) => action);
    expect(actions.filter((action) => action === "agreement.completed")).toHaveLength(1);
    const originals = new Set(agreement.documents.map((document) => document.id));
    const sealed = filesOf(agreement).filter((one) => !originals.has(one.id));
    expect(sealed).toHaveLength(3);
    for (const one of sealed) {
      const bytes = await withOrg(deps.pool, organization.orgId, (tenant) => deps.files.read(tenant, id, one));
      expect(holds(bytes)).toBe(true);
    }
  }
  // Nothing is left of what was begun in vain: of each agreement two originals, two sealed files and a certificate.
  const ids = agreements.map(({ id }) => id);
  const { rows } = await setup.superuser.query<{ count: number }>(
    `select count(*)::int as count from sign.blob_reference r where organization_id = $1 and owner_id in (
      select unnest(array[d.id, d.sealed_id]) from sign.document d where agreement_id = any($2::uuid[])
      union select certificate_id from sign.agreement where id = any($2::uuid[]))`,
    [organization.orgId, ids],
  );
  expect(rows[0]?.count).toBe(5 * ids.length);
}

describe("a completion that is broken off", () => {
  test("is done exactly once, wherever something fails", async () => {
    const broken = new Map<string, Boundary>();
    for (const boundary of boundaries) broken.set((await completing()).id, boundary);
    const met = new Set<Boundary>();
    const loop = loopWith((job, hold, signal) =>
      faulty(async (boundary) => {
        if (broken.get(job.key) !== boundary || met.has(boundary)) return;
        met.add(boundary);
        throw new Error(`broken ${boundary}`);
      })(job, hold, signal),
    );
    await loop.start();
    try {
      await until(() => met.size === boundaries.length);
      await until(async () => {
        // The clock of this test stands still, and failed work is put off by a second.
        setup.advance(100);
        return (await openJobs()) === 0;
      });
    } finally {
      await loop.stop();
    }
    await requireCompletedOnce(await Promise.all([...broken.keys()].map(organization.load)));
  });

  test("is done exactly once when its process halts for longer than its lease and goes on later", async () => {
    const halts = new Map<string, Boundary>();
    for (const boundary of boundaries) {
      // A transaction that halts keeps its locks until the database ends it.
      if (!boundary.includes("ending")) halts.set((await completing()).id, boundary);
    }
    const goOn = Promise.withResolvers<void>();
    const met = new Set<Boundary>();
    const halting = loopWith((job, hold, signal) =>
      faulty(async (boundary) => {
        if (halts.get(job.key) !== boundary || met.has(boundary)) return;
        met.add(boundary);
        await goOn.promise;
      })(job, hold, signal),
    );
    const healthy = loopWith((job, hold, signal) => completeAgreements(deps).run(job, hold, signal));
    await halting.start();
    try {
      await until(() => met.size === halts.size);
      expect(await openJobs()).toBe(halts.size);
      await setup.superuser.query(
        "update sign.job set claimed_until = now() - interval '1 second' where kind = 'completion'",
      );
      await healthy.start();
      await until(async () => (await openJobs()) === 0, 20_000);
    } finally {
      goOn.resolve();
      await healthy.stop();
      await halting.stop();
    }
    await requireCompletedOnce(await Promise.all([...halts.keys()].map(organization.load)));
  });

  test("is completed by one of two who do it at the same time", async () => {
    const agreement = await completing();
    const caller = { orgId: organization.orgId, requestId: "request-1", traceparent: "" };
    const once = () => completeAgreement(deps, caller, agreement.id, async () => {}, new AbortController().signal);
    expect((await Promise.all([once(), once(), once()])).filter(Boolean)).toHaveLength(1);
    await requireCompletedOnce([agreement]);
    await setup.superuser.query("delete from sign.job where kind = 'completion'");
  });

  test("stops with an alarm when what would be sealed is not what people have seen, and goes on when it is", async () => {
    const agreement = await completing();
    const { orgId } = organization;
    const prepareHonestly = deps.intake.prepareSeal;
    let isHonest = false;
    // As a library would that reads another file in the same bytes.
    const forged = Buffer.from(file.toString("latin1").replaceAll("595 842", "595 841"), "latin1");
    const prepareForged: typeof prepareHonestly = (given) =>
      prepareHonestly(isHonest ? given : { ...given, bytes: forged });
    const handler = completeAgreements({ ...deps, intake: { prepareSeal: prepareForged } });
    const loop = loopWith(handler.run);
    const jobOf = async () =>
      (await setup.superuser.query("select attempts, last_error from sign.job where kind = 'completion'")).rows[0];
    await loop.start();
    try {
      await until(async () => {
        setup.advance(100);
        return (await jobOf())?.attempts >= 3;
      });
      expect((await jobOf()).last_error).toContain("is not what people have seen");
      expect((await organization.load(agreement.id)).status).toBe("completing");
      const { rows } = await setup.superuser.query("select from sign.blob_reference where organization_id = $1", [
        orgId,
      ]);
      const before = rows.length;
      expect(alarms.at(-1)).toMatchObject({ agreementId: agreement.id, difference: expect.stringContaining("page 1") });
      const { values } = await metrics.signWitnessed.get();
      expect(values.find(({ labels }) => labels.outcome === "different")?.value).toBeGreaterThanOrEqual(2);
      isHonest = true;
      await until(async () => {
        setup.advance(3_600_000);
        return (await openJobs()) === 0;
      });
      expect(before).toBeGreaterThan(0);
    } finally {
      await loop.stop();
    }
    await requireCompletedOnce([agreement]);
  });

  test("shows in the metrics how long it has waited", async () => {
    const metrics = createMetrics();
    const warnings: unknown[] = [];
    const watched = { ...logger, warn: (fields: unknown) => warnings.push(fields) } as unknown as typeof logger;
    await completing();
    setup.advance(150_000);
    const watch = createCompletionWatch({ claimerPool, clock: deps.clock, logger: watched, metrics }, 10);
    await watch.start();
    const gauge = async () => (await metrics.signCompletingOldestSeconds.get()).values[0]?.value ?? 0;
    await until(async () => (await gauge()) >= 150);
    await watch.stop();
    expect(warnings).toHaveLength(1);
  });
});
