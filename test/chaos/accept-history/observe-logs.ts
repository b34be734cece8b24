import { setTimeout as delay } from "node:timers/promises";
import type { JSONWebKeySet } from "jose";
import type pg from "pg";
import { until } from "#platform/testing/until.ts";
import type { Api } from "../../support/api.ts";
import type { AnsweredProof, CheckpointRow, LeafRow, LogView } from "./observation.ts";
import type { Random } from "./random.ts";
import type { Tenant } from "./tenants.ts";

export interface CheckpointWatch {
  /** By organization, whatever was answered, in the order of time. */
  readonly notes: ReadonlyMap<string, readonly string[]>;
  stop(): Promise<void>;
}

const watchMs = 300;

/** Reads the newest checkpoint of each tenant again and again, as an auditor would, at whichever gateway. */
export function watchCheckpoints(
  tenants: readonly Tenant[],
  gateways: readonly string[],
  random: Random,
): CheckpointWatch {
  const notes = new Map(tenants.map((tenant) => [tenant.organizationId, [] as string[]]));
  let isOver = false;
  const watch = async ({ api, organizationId }: Tenant): Promise<void> => {
    while (!isOver) {
      const at = api.with({ baseUrl: random.pick(gateways) });
      const answer = await at.get("/v1/click/log/checkpoint").catch(() => undefined);
      if (answer?.status === 200) notes.get(organizationId)?.push(String(answer.body));
      await delay(watchMs);
    }
  };
  const watching = tenants.map(watch);
  return {
    notes,
    stop: async () => {
      isOver = true;
      await Promise.all(watching);
    },
  };
}

/** Integration is a matter of a second; the promise is a minute. */
const integrationMs = 30_000;

/** Reads a log, after waiting until a checkpoint covers it. */
export async function observeLog(
  pool: pg.Pool,
  { api, organizationId }: Pick<Tenant, "api" | "organizationId">,
  notes: readonly string[],
): Promise<LogView> {
  const readSize = async (): Promise<number> => {
    const { rows } = await pool.query<{ size: string }>("select size from click.log_head where organization_id = $1", [
      organizationId,
    ]);
    return Number(rows[0]?.size ?? 0);
  };
  const readCheckpoints = async (): Promise<CheckpointRow[]> => {
    const { rows } = await pool.query<Omit<CheckpointRow, "size"> & { size: string }>(
      `select size, encode(root, 'hex') as root, note, created_at as "createdAt"
       from click.log_checkpoint where organization_id = $1 order by size`,
      [organizationId],
    );
    return rows.map((row) => ({ ...row, size: Number(row.size) }));
  };
  // What is not integrated after all this time is for the checker to tell.
  await until(async () => (await readCheckpoints()).at(-1)?.size === (await readSize()), integrationMs).catch(() => {});
  const leaves = await readLeaves(pool, organizationId);
  const last = await api.get("/v1/click/log/checkpoint");
  return {
    organizationId,
    size: await readSize(),
    leaves,
    checkpoints: await readCheckpoints(),
    notes: last.status === 200 ? [...notes, String(last.body)] : notes,
    verifierKeys: await readVerifierKeys(api),
    proofs: await readProofs(api, leaves),
  };
}

async function readLeaves(pool: pg.Pool, organizationId: string): Promise<LeafRow[]> {
  const { rows } = await pool.query<Omit<LeafRow, "index"> & { index: string }>(
    `select leaf_index as index, record_id as "recordId", convert_from(leaf, 'UTF8') as leaf,
            encode(leaf_hash, 'hex') as "leafHash"
     from click.log_leaf where organization_id = $1 order by leaf_index`,
    [organizationId],
  );
  return rows.map((row) => ({ ...row, index: Number(row.index) }));
}

async function readVerifierKeys({ baseUrl, organizationId }: Api): Promise<string[]> {
  const response = await fetch(`${baseUrl}/.well-known/click-log-keys?log=${organizationId}`);
  return (await response.text()).trim().split("\n");
}

/** Of every leaf that is a receipt; publications and completions of sessions are none. */
async function readProofs(api: Api, leaves: readonly LeafRow[]): Promise<Record<string, AnsweredProof>> {
  const proofs: Record<string, AnsweredProof> = {};
  for (const { recordId } of leaves) {
    const answer = await api.get(`/v1/click/log/proofs/inclusion?receiptId=${recordId}`);
    if (answer.status === 200) proofs[recordId] = answer.body;
  }
  return proofs;
}

/** The keys that receipts are verified with. */
export async function readKeySet(baseUrl: string): Promise<JSONWebKeySet> {
  const response = await fetch(`${baseUrl}/.well-known/jwks.json`);
  return (await response.json()) as JSONWebKeySet;
}
