import { randomBytes, randomUUID } from "node:crypto";
import type pg from "pg";
import { createPool, withOrg } from "#platform/db/pool.ts";
import { newId, type OrgId } from "#platform/ids.ts";
import { createLogger, type Logger } from "#platform/logger.ts";
import { createMetrics, type Metrics } from "#platform/metrics.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { parseCheckpoint } from "#platform/transparency/checkpoint.ts";
import { appendHashes, emptyFrontier, rootOf } from "#platform/transparency/merkle.ts";
import { verifierKey, verifyNote } from "#platform/transparency/signed-note.ts";
import { verifyConsistency, verifyInclusion } from "#platform/transparency/verify.ts";
import { signingKeyKek } from "../../keys/sealed-columns.ts";
import { createSigningKeys, type ManagedSigningKeys } from "../../keys/signing-keys.ts";
import { createTestClock, type TestClock } from "../../test/harness.ts";
import { type IntegrateDeps, integrateLog } from "../integrate-log.ts";
import { leafHashOf, logOrigin } from "../leaf.ts";
import { appendLeaves, type LogId } from "../log-store.ts";
import { createProofs, type Proofs } from "../proofs.ts";

/** Logs without the service around them. */
export interface LogHarness {
  readonly database: TestDatabase;
  readonly clock: TestClock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly issuer: string;
  /** Acts for one organization at a time. */
  readonly pool: pg.Pool;
  readonly integratorPool: pg.Pool;
  readonly superuser: pg.Pool;
  readonly logKeys: ManagedSigningKeys;
  readonly proofs: Proofs;
  /** What integrateLog takes. */
  readonly deps: IntegrateDeps;
  /** Records so many leaves in one transaction. */
  append(orgId: OrgId, count: number): Promise<void>;
  /** Integrates a log until its tree is up to its leaves. */
  integrate(logId: string): Promise<void>;
  close(): Promise<void>;
}

export async function startLogs(): Promise<LogHarness> {
  const database = await createTestDatabase();
  const clock = createTestClock();
  const logger = createLogger("click", "silent");
  const metrics = createMetrics();
  const pool = createPool({ url: database.url, role: "assent_click", name: "click" });
  const integratorPool = createPool({ url: database.url, role: "assent_click_integrator", name: "click-integrator" });
  const { superuser } = database;
  const kek = signingKeyKek([randomBytes(32)], "log");
  const logKeys = createSigningKeys({ pool, kek, clock, logger, purpose: "log" });
  const issuer = "https://logs.example.com";
  const deps = { pool: integratorPool, logKeys, issuer, clock, metrics };
  return {
    ...{ database, clock, logger, metrics, issuer, pool, integratorPool, superuser, logKeys, deps },
    proofs: createProofs({ pool }),
    append: (orgId, count) => append(pool, orgId, clock.now(), count),
    integrate: async (logId) => {
      for (;;) {
        const outcome = await integrateLog(deps, logId);
        if (outcome.kind === "current" || (outcome.kind === "published" && !outcome.more)) return;
      }
    },
    close: async () => {
      await Promise.all([pool.end(), integratorPool.end()]);
      await database.drop();
    },
  };
}

async function append(pool: pg.Pool, orgId: OrgId, now: Date, count: number): Promise<void> {
  const leaves = Array.from({ length: count }, () => {
    const leaf = Buffer.from(JSON.stringify({ acceptedAt: now.toISOString(), n: randomUUID() }));
    return { recordId: newId(), leaf, leafHash: leafHashOf(leaf), signedBy: 1, signature: randomBytes(64) };
  });
  await withOrg(pool, orgId, (tenant) => appendLeaves(tenant, leaves));
}

/** A checkpoint whose signature was verified. */
export interface ReadCheckpoint {
  readonly size: number;
  readonly root: Buffer;
  readonly note: string;
}

/** All checkpoints of a log, smallest first, each with the log's signature and origin, and saying what its row says. */
export async function readCheckpoints(logs: LogHarness, logId: string): Promise<ReadCheckpoint[]> {
  const origin = logOrigin(logs.issuer, logId);
  const keys = (await logs.logKeys.all()).map(({ publicKey }) =>
    verifierKey(origin, Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url")),
  );
  const { rows } = await logs.superuser.query<{ size: string; root: Buffer; note: string }>(
    "select size, root, note from click.log_checkpoint where organization_id = $1 order by size",
    [logId],
  );
  return rows.map(({ size, root, note }) => {
    const checkpoint = parseCheckpoint(verifyNote(note, keys)?.text ?? "");
    if (checkpoint?.origin !== origin || checkpoint.size !== Number(size) || !checkpoint.root.equals(root)) {
      throw new Error(`the checkpoint of size ${size} does not hold: ${note}`);
    }
    return { size: checkpoint.size, root, note };
  });
}

/**
 * Throws unless every checkpoint is a beginning of the last one, that is over every leaf of the log and nothing else, and
 * leaves here and there can be proved to be in it.
 */
export async function verifyLog(logs: LogHarness, logId: LogId): Promise<ReadCheckpoint[]> {
  const checkpoints = await readCheckpoints(logs, logId);
  const last = checkpoints.at(-1);
  if (last === undefined) throw new Error("the log has no checkpoint");
  for (const { size, root } of checkpoints) {
    const path = await logs.proofs.consistency(logId as OrgId, size, last.size);
    if (!verifyConsistency(size, last.size, path, root, last.root)) throw new Error(`${size} is not consistent`);
  }
  const { rows: leaves } = await logs.superuser.query<{ leaf: Buffer }>(
    "select leaf from click.log_leaf where organization_id = $1 order by leaf_index",
    [logId],
  );
  const hashes = leaves.map(({ leaf }) => leafHashOf(leaf));
  const whole = appendHashes(emptyFrontier, hashes);
  if (whole.size !== last.size || !rootOf(whole).equals(last.root)) throw new Error("the tree is not over the leaves");
  const step = Math.ceil(hashes.length / 50);
  for (let index = 0; index < hashes.length; index += step) {
    const { path } = await logs.proofs.inclusion(logId as OrgId, index, last.size);
    const isIn = verifyInclusion(index, last.size, hashes[index] as Buffer, path, last.root);
    if (!isIn) throw new Error(`leaf ${index} is not in the tree`);
  }
  return checkpoints;
}
