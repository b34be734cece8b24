import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { isTransient } from "#platform/db/errors.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import type { NewId, OrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import { identityOf } from "#platform/outbox/epochs.ts";
import { type Checkpoint, checkpointText } from "#platform/transparency/checkpoint.ts";
import { appendHashes, emptyRoot, frontierFromBytes, hashBytes, rootOf } from "#platform/transparency/merkle.ts";
import { rootAt } from "#platform/transparency/proofs.ts";
import { signNote } from "#platform/transparency/signed-note.ts";
import { type LogWitness, WitnessError, type Witnessed } from "#platform/transparency/witness.ts";
import type { SigningKey, SigningKeys } from "../keys/signing-keys.ts";
import { insertEpoch, listFormerLogs, lockHead, readLogState } from "./epoch-store.ts";
import { anchorLogId, epochOf, type LeafPayload, type LeafSigner, logOrigin } from "./leaf.ts";
import { type KnownCheckpoint, type LogMemory, mustBegin } from "./log-memory.ts";
import { appendLeaves, findNewestCheckpoint } from "./log-store.ts";

/** The key's name is the log's origin, as C2SP tlog-checkpoint requires. */
export function signCheckpoint({ privateKey, publicKey }: SigningKey, { origin, size, root }: Checkpoint): string {
  const { x = "" } = publicKey.export({ format: "jwk" });
  return signNote(checkpointText(origin, size, root), {
    name: origin,
    key: privateKey,
    publicKey: Buffer.from(x, "base64url"),
  });
}

/** The database does not have what the log has signed: it was set back in time, or somebody changed it. */
export class LogWentBackError extends Error {
  readonly logId: string;
  constructor(logId: string) {
    super("the database does not have what this log has signed");
    this.name = "LogWentBackError";
    this.logId = logId;
  }
}

/** Whether the log, as the database has it, continues this checkpoint. */
export async function continues(client: pg.ClientBase, logId: string, known: KnownCheckpoint): Promise<boolean> {
  const state = await readLogState(client, logId, known.size);
  if (known.epoch !== state.epoch) return known.epoch < state.epoch;
  if (state.rootThen !== null) return state.rootThen.equals(known.root);
  if (known.size <= state.treeSize) {
    const root = await rootAt(known.size, async (level, tile) => {
      const { rows } = await client.query<{ hashes: Buffer }>(
        "select hashes from click.log_tile where organization_id = $1 and level = $2 and tile = $3",
        [logId, level, tile],
      );
      return rows[0]?.hashes ?? Buffer.alloc(0);
    });
    return root.equals(known.root);
  }
  // The witness gets a checkpoint before the database does: what it covers may have been recorded and not published.
  if (known.size > state.leaves) return false;
  const { rows } = await client.query<{ hash: Buffer }>(
    `select leaf_hash as hash from click.log_leaf
     where organization_id = $1 and leaf_index >= $2 and leaf_index < $3 order by leaf_index`,
    [logId, state.treeSize, known.size],
  );
  const hashes = rows.map(({ hash }) => hash);
  if (hashes.some((hash) => hash.length !== hashBytes)) return false;
  const grown = appendHashes(frontierFromBytes(state.treeSize, state.frontier), hashes);
  return grown.size === known.size && rootOf(grown).equals(known.root);
}

/**
 * The first leaf of a new epoch of a log. The epoch begins with everything that the database has of the former one,
 * under the same indexes; this leaf comes next.
 */
export interface EpochLeaf extends LeafPayload {
  readonly kind: "click.log.epoch";
  readonly eid: string;
  readonly epoch: number;
  readonly origin: string;
  /** Absent when the database lacked what the log had signed. */
  readonly because?: "WITNESS_IS_NEW";
  /** What the former epoch has signed last, as far as it is known: the note, word for word; empty when none is known. */
  readonly former: { readonly origin: string; readonly size: number; readonly checkpoint: string };
  /** The size of the last checkpoint that the database had. */
  readonly treeSize: number;
  /** How many leaves it had. */
  readonly leaves: number;
  /** From this index on the database lacks what the former epoch has signed, up to and without the other. */
  readonly missing: { readonly from: number; readonly to: number };
  readonly recordedAt: string;
}

export interface OpenEpochDeps {
  /** Acts for one organization at a time. */
  readonly pool: pg.Pool;
  readonly memory: LogMemory;
  readonly logKeys: Pick<SigningKeys, "signingAt">;
  readonly leafSigner: LeafSigner;
  readonly issuer: string;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * Opens a new epoch of a log if the database does not have what the witness has, or if an operator has taken the witness
 * for new since the log's epoch began: then nobody knows what it had signed. From its commit on all leaves and
 * checkpoints belong to the new origin, so that nothing the former one has signed is ever contradicted under it. The
 * log's head is locked meanwhile: each leaf is recorded before or after. Returns the epoch, if one was opened.
 */
export async function openEpochIfBehind(deps: OpenEpochDeps, logId: string): Promise<number | undefined> {
  const { pool, memory, logKeys, leafSigner, issuer, clock, newId } = deps;
  const now = clock.now();
  const key = await logKeys.signingAt(now);
  const witness = await memory.known();
  const opened = await withOrg(pool, logId as OrgId, async (tenant: Tenant) => {
    const head = await lockHead(tenant);
    if (head === undefined) return undefined;
    const known = await memory.read(logId);
    const isBehind = known !== undefined && !(await continues(tenant.client, logId, known));
    const isRequired = mustBegin(logId, head.epoch, witness);
    if (!isBehind && !isRequired) return undefined;
    await memory.requireRecognised();
    const { treeSize, root } = await readLogState(tenant.client, logId, 0);
    const former = isBehind ? known : await findFormer(deps, tenant, head.epoch);
    const epoch = Math.max(1 + Math.max(head.epoch, known?.epoch ?? 0), isRequired ? witness.firstEpoch : 0);
    const origin = logOrigin(issuer, logId, epoch);
    const recordId = newId();
    const payload: EpochLeaf = {
      ...{ v: 1, kind: "click.log.epoch", iss: issuer, org: logId, eid: recordId, epoch, origin },
      ...(isBehind ? {} : { because: "WITNESS_IS_NEW" }),
      former: { origin: former.origin, size: former.size, checkpoint: former.note },
      ...{ treeSize, leaves: head.leaves },
      // The database lacks nothing of a checkpoint of its own, in whichever epoch that was signed.
      missing: { from: isBehind && former.epoch !== head.epoch ? 0 : Math.min(treeSize, former.size), to: former.size },
      recordedAt: now.toISOString(),
    };
    const leaves = await leafSigner.sign([{ recordId, payload }], now);
    // Before anything of it can be seen: a database that forgets the epoch as well must not open it a second time.
    const note = signCheckpoint(key, { origin, size: treeSize, root: root ?? emptyRoot });
    await memory.witness.write(logId, { epoch, size: treeSize, note }, known);
    await insertEpoch(tenant, {
      ...{ epoch, firstIndex: head.leaves, treeSize, missing: payload.missing, openedAt: now },
      former: { epoch: former.epoch, size: former.size, note: former.note },
      // Whoever took the witness for new has said what this epoch says.
      ...(isBehind ? {} : { confirmedBy: witness?.confirmedBy ?? undefined }),
    });
    await appendLeaves(tenant, leaves);
    return payload;
  });
  if (opened === undefined) return undefined;
  const { epoch, origin, treeSize, leaves, missing, because } = opened;
  const told = { logId, epoch, origin, treeSize, leaves, missing };
  if (because === undefined) {
    deps.logger.error(
      told,
      "the database does not have what this log has signed: a new epoch of the log was opened, confirm it (docs/operations.md, EvidenceWentBack)",
    );
  } else {
    deps.logger.warn(told, "no one knows what this log had signed: a new epoch of it was opened for a new witness");
  }
  deps.metrics.logEpochsOpened.inc({ log: logId === anchorLogId ? "anchor" : "organization" });
  return epoch;
}

/** The newest checkpoint that the database has itself. */
async function findFormer(
  { issuer }: Pick<OpenEpochDeps, "issuer">,
  tenant: Tenant,
  epochNow: number,
): Promise<Pick<KnownCheckpoint, "epoch" | "origin" | "size" | "note">> {
  const newest = await findNewestCheckpoint(tenant);
  const [origin = ""] = newest?.note.split("\n", 1) ?? [];
  const epoch = epochOf(issuer, tenant.orgId, origin) ?? epochNow;
  return { epoch, origin: logOrigin(issuer, tenant.orgId, epoch), size: newest?.size ?? 0, note: newest?.note ?? "" };
}

export interface GuardDeps extends OpenEpochDeps {
  /** Connects as the integrator. */
  readonly integratorPool: pg.Pool;
}

/**
 * Compares all logs that the witness knows with the database, and opens new epochs where it went back, or where an operator
 * has taken the witness for new.
 */
async function compareLogs(deps: GuardDeps): Promise<void> {
  const { memory, logger } = deps;
  const damaged = (error: WitnessError) =>
    // It gets no signature, as the integrator will say; the others go on.
    logger.error({ err: error, logId: error.logId }, "the witness of a log cannot be relied on");
  // An empty witness would have nothing to compare.
  await memory.recognise();
  const witness = await memory.known();
  for await (const names of listFormerLogs(deps.integratorPool)) {
    // Their epochs are before that of the witness, whichever they are.
    for (const logId of names.filter((name) => mustBegin(name, 0, witness))) {
      await unlessDamaged(damaged, () => openEpochIfBehind(deps, logId));
    }
  }
  for await (const { logId } of suspectLogs(deps.integratorPool, memory.witness, damaged)) {
    await unlessDamaged(damaged, () => openEpochIfBehind(deps, logId));
  }
}

/** The logs that may lack what the witness has. Logs that the database does not have sign nothing. */
export async function* suspectLogs(
  pool: pg.Pool,
  witness: LogWitness,
  damaged: (error: WitnessError) => void,
): AsyncGenerator<{ readonly logId: string; readonly checkpoint: Witnessed }> {
  for await (const names of witness.logs()) {
    const logIds = names.filter((name) => logName.test(name));
    const [other] = names.filter((name) => !logName.test(name));
    if (other !== undefined) {
      const told = `the witness has ${names.length - logIds.length} names that are not those of logs`;
      damaged(new WitnessError(told, { logId: other }));
    }
    const known = new Map<string, Witnessed>();
    for (let start = 0; start < logIds.length; start += readsAtOnce) {
      const read = logIds.slice(start, start + readsAtOnce).map(async (logId) => {
        const checkpoint = await unlessDamaged(damaged, () => witness.read(logId));
        if (checkpoint !== undefined) known.set(logId, checkpoint);
      });
      await Promise.all(read);
    }
    for (const logId of await findSuspects(pool, known)) yield { logId, checkpoint: known.get(logId) as Witnessed };
  }
}

const readsAtOnce = 50;
const logName = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function unlessDamaged<T>(
  damaged: (error: WitnessError) => void,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WitnessError) || error.logId === undefined) throw error;
    damaged(error);
    return undefined;
  }
}

async function findSuspects(pool: pg.Pool, known: ReadonlyMap<string, Witnessed>): Promise<string[]> {
  const checkpoints = [...known.values()];
  const { rows } = await pool.query<{ logId: string }>(
    `select h.organization_id as "logId"
     from unnest($1::uuid[], $2::integer[], $3::bigint[], $4::text[]) as n (log_id, epoch, size, root)
     join click.log_head h on h.organization_id = n.log_id
     left join click.log_checkpoint c on c.organization_id = n.log_id and c.size = n.size
     where (h.epoch = n.epoch and encode(c.root, 'base64') = n.root) is not true`,
    [
      [...known.keys()],
      checkpoints.map(({ epoch }) => epoch),
      checkpoints.map(({ size }) => size),
      checkpoints.map(({ note }) => rootIn(note)),
    ],
  );
  return rows.map(({ logId }) => logId);
}

/** In Base64, whatever the signature; empty when there is none. */
const rootIn = (note: string): string => /^[A-Za-z0-9+/]{43}=$/.exec(note.split("\n", 3)[2] ?? "")?.[0] ?? "";

/** Whether the database has what the witness has, by the note alone: for those who do not know the keys. */
export const hasCheckpoint = (client: pg.ClientBase, logId: string, witnessed: Witnessed): Promise<boolean> =>
  continues(client, logId, { ...witnessed, origin: "", root: Buffer.from(rootIn(witnessed.note), "base64") });

/** How soon a witness that was away is asked again. */
const compareAgainMs = 1_000;
/** How often it is looked whether the database is another one than the one that was compared. */
const lookMs = 5_000;
/** How old a comparison may be for what cannot be undone, although the database seems to be the same. */
const oldMs = 600_000;

/** Lets nothing be recorded before the logs were compared once, or the witness was found to be away. */
export interface LogGuard {
  /**
   * Rejects while the database is away. While the witness is away, or is not the one that the database knows, it resolves
   * with false: agreements are recorded meanwhile, and each call may begin the comparison again until the witness has
   * answered once.
   */
  passed(): Promise<boolean>;
  /**
   * For what cannot be undone: whether the database as it is now was compared, which it is if it was not. Rejects while it
   * is away.
   */
  isCurrent(): Promise<boolean>;
  /**
   * Call it often: compares again, without being waited for, when a failover or an operator has put another database or
   * another witness in the place of the one that was compared, also when no log grows.
   */
  watch(): Promise<void>;
}

export function createLogGuard(deps: GuardDeps): LogGuard {
  let hasPassed = false;
  let comparing: Promise<void> | undefined;
  let nextAt = 0;
  /** What was compared last, and when. */
  let compared = { what: "", at: 0 };
  let lookedAt = 0;
  const whatIsThere = async (): Promise<string> =>
    `${await identityOf(deps.integratorPool)} ${(await deps.memory.known())?.marker ?? ""}`;
  const compare = async (): Promise<void> => {
    const at = performance.now();
    try {
      // The first comparison makes the witness known.
      await deps.memory.recognise();
      const what = await whatIsThere();
      await compareLogs(deps);
      deps.memory.last.isAway = false;
      hasPassed = true;
      compared = { what, at };
    } catch (error) {
      // Whatever somebody has put into the witness must not refuse acceptances.
      if (!(error instanceof WitnessError) && isTransient(error)) throw error;
      deps.logger.error({ err: error }, "the logs cannot be compared with their witness: acceptances go on");
      deps.metrics.logWitnessFailing.set(1);
      deps.memory.last.isAway = true;
      nextAt = performance.now() + compareAgainMs;
    } finally {
      comparing = undefined;
    }
  };
  const isSame = async (): Promise<boolean> => hasPassed && compared.what === (await whatIsThere());
  const passed = async (): Promise<boolean> => {
    if (hasPassed) return true;
    const isFirst = nextAt === 0;
    if (performance.now() >= nextAt) comparing ??= compare();
    // Later nobody waits for a witness that is away; the next call tries again.
    if (isFirst) await comparing;
    else comparing?.catch(() => {});
    return hasPassed;
  };
  return {
    passed,
    isCurrent: async () => {
      if (performance.now() - compared.at < oldMs && (await isSame())) return true;
      const before = compared;
      comparing ??= compare();
      await comparing;
      return compared !== before && isSame();
    },
    watch: async () => {
      if (!(await passed()) || performance.now() - lookedAt < lookMs) return;
      lookedAt = performance.now();
      if (await isSame()) return;
      comparing ??= compare();
      comparing.catch(() => {});
    },
  };
}
