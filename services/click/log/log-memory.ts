import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { isLockFailure } from "#platform/db/errors.ts";
import { withTransaction } from "#platform/db/pool.ts";
import type { NewId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import { type Checkpoint, parseCheckpoint } from "#platform/transparency/checkpoint.ts";
import { verifyNote } from "#platform/transparency/signed-note.ts";
import { type LogWitness, WitnessError, type Witnessed } from "#platform/transparency/witness.ts";
import { originVerifierKeys } from "../keys/evidence-parts.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import { findWitness, lockWitness, type StoredWitness, storeWitness } from "./epoch-store.ts";
import { idTime, logOrigin } from "./leaf.ts";

/** What the witness has of a log, with its signature verified. */
export interface KnownCheckpoint extends Witnessed, Pick<Checkpoint, "origin" | "root"> {}

/** The checkpoints that are kept outside the database. */
export interface LogMemory {
  readonly witness: LogWitness;
  /** What was found last: that the witness is away, or that it is not the one which the database knows. */
  readonly last: { isAway: boolean; isUnknown: boolean };
  /**
   * Rejects with a WitnessError, of no log, unless the witness is the one that the database knows: an empty one remembers
   * nothing of what was signed. A database that knows none takes the one that is there. What was found holds for a few
   * seconds. Takes a connection of its own, so it is called before a transaction.
   */
  recognise(): Promise<void>;
  /** Rejects unless the witness is at this moment the one that was recognised. Takes no connection. */
  requireRecognised(): Promise<void>;
  /**
   * Takes the witness that is there for that of the database, for this operator; undefined when it was that before. What
   * logs had signed is not known then: each goes on in a new epoch, whose number is at least the one that is returned.
   */
  confirm(operator: string): Promise<number | undefined>;
  /** The witness that the database knows. Takes a connection of its own. */
  known(): Promise<StoredWitness | undefined>;
  /**
   * Undefined only when the witness is the one that was recognised. Rejects with a WitnessError when it is not, or when
   * the log did not sign what it has: nothing may be signed beside it.
   */
  read(logId: string): Promise<KnownCheckpoint | undefined>;
}

export interface MemoryDeps {
  readonly witness: LogWitness;
  /** Connects as the integrator. */
  readonly pool: pg.Pool;
  readonly logKeys: Pick<SigningKeys, "all">;
  readonly issuer: string;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly logger: Logger;
}

/** What a witness has its marker under: the name of no log. */
export const markerId = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** How soon the marker is looked at again. */
const freshMs = 5_000;

/**
 * Whether a log that is in this epoch has to begin another one before it signs anything, because an operator has taken the
 * witness for new. The logs of organizations that are younger than that have signed nothing before.
 */
export const mustBegin = (
  logId: string,
  epoch: number,
  witness: Pick<StoredWitness, "firstEpoch" | "since"> | undefined,
): witness is Pick<StoredWitness, "firstEpoch" | "since"> =>
  witness !== undefined && epoch < witness.firstEpoch && !(idTime(logId) > witness.since.getTime());

/**
 * Grows by one a second, and neither a person confirms a witness nor a log opens an epoch so often: a number that was never
 * used, whatever was forgotten, until nine digits are used up in 2057. Former releases counted hours, which are far less.
 */
const secondsOf = (time: Date): number => Math.max(1, Math.floor((time.getTime() - Date.UTC(2026)) / 1_000));

export function createLogMemory(deps: MemoryDeps): LogMemory {
  const { witness, pool, logKeys, issuer, clock, newId, logger } = deps;
  const last = { isAway: false, isUnknown: false };
  let recognised: { readonly marker: string; readonly at: number } | undefined;
  let looking: Promise<void> | undefined;

  /** Under the lock, and in the witness first: what ends the process in between leaves a marker that is adopted. */
  const learn = (operator: string | null): Promise<boolean> =>
    withTransaction(pool, async (client) => {
      const known = await lockWitness(client);
      if (known !== undefined && operator === null) return false;
      const found = await readMarker(witness);
      const marker = found ?? newId();
      if (found === undefined) await writeMarker(witness, marker);
      if (known?.marker === marker) return false;
      const since = clock.now();
      await storeWitness(client, { marker, since, confirmedBy: operator }, secondsOf(since));
      return true;
    }).catch((cause: unknown) => {
      if (!isLockFailure(cause)) throw cause;
      // It waits for the witness, and nobody is to wait for it: the witness is as good as away.
      throw new WitnessError("another process is getting to know the witness and has not ended yet", { cause });
    });
  const adopt = async (): Promise<void> => {
    if (await learn(null)) logger.info("the database knows the witness of its logs from now on");
  };
  const unlessUnknown = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      last.isUnknown = false;
    } catch (error) {
      recognised = undefined;
      if (error instanceof WitnessError) last.isUnknown = true;
      throw error;
    }
  };
  const look = async (): Promise<void> => {
    const known = await findWitness(pool);
    // What the database knows was in the witness before.
    const found = await readMarker(witness);
    if (known === undefined) {
      await adopt();
      return look();
    }
    requireSame(known.marker, found);
    recognised = { marker: known.marker, at: performance.now() };
  };
  const requireRecognised = (): Promise<void> =>
    unlessUnknown(async () => requireSame(recognised?.marker, await readMarker(witness)));
  return {
    ...{ witness, last, requireRecognised },
    recognise: async () => {
      if (recognised !== undefined && performance.now() - recognised.at < freshMs) return;
      looking ??= unlessUnknown(look).finally(() => {
        looking = undefined;
      });
      await looking;
    },
    confirm: async (operator) => {
      const isConfirmed = await learn(operator);
      recognised = undefined;
      if (!isConfirmed) return undefined;
      const { firstEpoch } = (await findWitness(pool)) ?? { firstEpoch: 1 };
      logger.warn(
        { operator, firstEpoch },
        "an operator has taken the witness of the logs for the one to rely on: every log goes on in a new epoch",
      );
      return firstEpoch;
    },
    known: () => findWitness(pool),
    read: async (logId) => {
      const witnessed = await witness.read(logId);
      if (witnessed === undefined) {
        await requireRecognised();
        return undefined;
      }
      const origin = logOrigin(issuer, logId, witnessed.epoch);
      const keys = originVerifierKeys(await logKeys.all(), [origin]);
      const checkpoint = parseCheckpoint(verifyNote(witnessed.note, keys)?.text ?? "");
      if (checkpoint?.origin !== origin || checkpoint.size !== witnessed.size) {
        throw new WitnessError("the log has not signed the checkpoint of the witness", { logId });
      }
      return { ...witnessed, origin, root: checkpoint.root };
    },
  };
}

/** What tells this witness from others. Rejects with a WitnessError of no log. */
export const readMarker = (witness: LogWitness): Promise<string | undefined> =>
  ofNoLog(async () => (await witness.read(markerId))?.note);

const writeMarker = (witness: LogWitness, marker: string): Promise<void> =>
  ofNoLog(() => witness.write(markerId, { epoch: 1, size: 0, note: marker }, undefined));

/** Without its marker nothing that the witness has can be relied on. */
async function ofNoLog<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof WitnessError) || cause.logId === undefined) throw cause;
    throw new WitnessError(`the marker of the witness, ${markerId}, cannot be relied on: ${cause.message}`, { cause });
  }
}

/** Throws why the witness is not the one that the database knows. */
export function requireSame(known: string | undefined, found: string | undefined): void {
  if (known !== undefined && known === found) return;
  throw new WitnessError(
    found === undefined
      ? "the witness lacks its marker: it was emptied or lost, its folder is not mounted, or it is a new one that no operator has confirmed"
      : "the witness is not the one that this database knows, and no operator has confirmed it",
  );
}
