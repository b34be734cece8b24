import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { connect, ErrorCode, type KV, type NatsConnection, NatsError, StorageType } from "nats";
import { sha256Label } from "../canonical-json.ts";
import type { FreshText } from "../config.ts";
import { flushFolder, makePrivateFolder, noneIfMissing, writeDurably } from "../durable-file.ts";
import { natsOptions } from "../events/nats.ts";

/** The newest signed checkpoint of a log. */
export interface WitnessedCheckpoint {
  /** Later epochs of a log are newer, whatever their size. */
  readonly epoch: number;
  readonly size: number;
  /** The signed note. */
  readonly note: string;
}

/** What a witness has of a log, and what it was when it was read. */
export interface Witnessed extends WitnessedCheckpoint {
  readonly version: string;
}

/**
 * Keeps the newest checkpoint of each log outside the database, so that a database which was set back in time is
 * recognised before it signs anything that contradicts what it has signed. Several processes may share one.
 */
export interface LogWitness {
  /** Undefined when it knows nothing of the log. */
  read(logId: string): Promise<Witnessed | undefined>;
  /**
   * Replaces what was read. It is on the disk when this resolves. Rejects with a WitnessError when something else has
   * been written since: an older checkpoint never replaces a newer one.
   */
  write(logId: string, checkpoint: WitnessedCheckpoint, read: Witnessed | undefined): Promise<void>;
  /** The names of what it has, some at a time: those of logs, and whatever else somebody has put there. */
  logs(): AsyncIterable<string[]>;
  close(): Promise<void>;
}

/** The witness cannot be relied on. With a log, only for that one. */
export class WitnessError extends Error {
  readonly logId: string | undefined;
  constructor(message: string, { logId, cause }: { logId?: string; cause?: unknown } = {}) {
    super(message, { cause });
    this.name = "WitnessError";
    this.logId = logId;
  }
}

/** `LOG_WITNESS`: a folder, or `nats` for a bucket of JetStream. */
export const createLogWitness = (place: string, natsUrl: FreshText): LogWitness =>
  place === "nats" ? createNatsWitness(natsUrl) : createFolderWitness(place);

const otherWriter = (logId: string) =>
  new WitnessError("the witness got another checkpoint of this log at the same time", { logId });

const damagedFile = (logId: string) => new WitnessError("the file of the witness is damaged", { logId });

const isNewer = (one: WitnessedCheckpoint, than: WitnessedCheckpoint): boolean =>
  one.epoch > than.epoch || (one.epoch === than.epoch && one.size > than.size);

/**
 * A folder for each log, and in it a file with the note, which is never changed: its name has epoch, size and a hash
 * of the note. The newest counts. Who writes one looks afterwards whether anybody else has, too.
 */
function createFolderWitness(root: string): LogWitness {
  const folderOf = (logId: string): string => join(root, logId.slice(-2), logId);
  const list = async (logId: string): Promise<string[]> => {
    const names = await readdir(folderOf(logId)).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOTDIR" && (await stat(folderOf(logId)))) throw damagedFile(logId);
      return noneIfMissing(error);
    });
    return names.filter((name) => fileName.test(name));
  };
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof WitnessError) throw cause;
      throw new WitnessError(`the folder of the witness cannot be used: ${(cause as Error).message}`, { cause });
    }
  };
  const readNewest = async (logId: string): Promise<Witnessed | undefined> => {
    for (let attempt = 1; attempt <= maxReads; attempt += 1) {
      const [newest, next] = (await list(logId)).map(parseName).sort(newestFirst);
      if (newest === undefined) return undefined;
      if (next !== undefined && !isNewer(newest, next)) {
        throw new WitnessError("the witness has two checkpoints of one size", { logId });
      }
      const note = await readFile(join(folderOf(logId), newest.version), "utf8").catch((error) => {
        if (error.code === "EISDIR") throw damagedFile(logId);
        return undefinedIfMissing(error);
      });
      // A newer one has taken its place meanwhile.
      if (note === undefined) continue;
      if (nameOf({ ...newest, note }) !== newest.version) {
        throw damagedFile(logId);
      }
      return { ...newest, note };
    }
    throw otherWriter(logId);
  };
  const write = async (logId: string, checkpoint: WitnessedCheckpoint, read: Witnessed | undefined): Promise<void> => {
    const folder = folderOf(logId);
    const name = nameOf(checkpoint);
    makePrivateFolder(root);
    // What was read was there: nothing else is made in its place when it is gone.
    if (read === undefined) await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeDurably(join(folder, name), checkpoint.note);
    // The folder itself may be new, and those above it.
    if (read === undefined) for (const above of [join(folder, ".."), root]) await flushFolder(above);
    const others = (await list(logId)).filter((other) => other !== name);
    if (others.some((other) => other !== read?.version && (read === undefined || isNewer(parseName(other), read)))) {
      await rm(join(folder, name), { force: true });
      throw otherWriter(logId);
    }
    if (read !== undefined && !others.includes(read.version)) {
      await rm(join(folder, name), { force: true });
      throw new WitnessError("the folder of the witness has lost what was in it");
    }
    for (const other of others) await rm(join(folder, other), { force: true });
  };
  return {
    read: (logId) => guarded(() => readNewest(logId)),
    write: (logId, checkpoint, read) =>
      guarded(async () => {
        if (read !== undefined && !isNewer(checkpoint, read)) throw otherWriter(logId);
        await write(logId, checkpoint, read);
      }),
    async *logs() {
      for (const part of await guarded(() => readdir(root).catch(noneIfMissing))) {
        if (!/^[0-9a-f]{2}$/.test(part)) continue;
        yield await guarded(() =>
          readdir(join(root, part)).catch((error: NodeJS.ErrnoException) => {
            if (error.code === "ENOTDIR") return [part];
            return noneIfMissing(error);
          }),
        );
      }
    },
    close: async () => {},
  };
}

/** A file may be replaced so often while it is read. */
const maxReads = 5;
const fileName = /^(\d{1,9})\.(\d{1,16})\.[0-9a-f]{16}\.note$/;

const nameOf = ({ epoch, size, note }: WitnessedCheckpoint): string =>
  `${epoch}.${size}.${sha256Label(note).slice("sha256:".length).slice(0, 16)}.note`;

function parseName(version: string): Omit<Witnessed, "note"> & { note: "" } {
  const [, epoch, size] = fileName.exec(version) ?? [];
  return { epoch: Number(epoch), size: Number(size), note: "", version };
}

const newestFirst = (a: WitnessedCheckpoint, b: WitnessedCheckpoint): number => b.epoch - a.epoch || b.size - a.size;

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

const bucket = "CLICK_LOG_WITNESS";
const keyPrefix = `$KV.${bucket}.`;
const natsTimeoutMs = 5_000;
const logsAtOnce = 500;

interface Bucket {
  readonly nc: NatsConnection;
  readonly kv: KV;
}

/** A value for each log in a bucket of JetStream, replaced only if its revision is still the one that was read. */
function createNatsWitness(url: FreshText): LogWitness {
  let connecting: Promise<Bucket> | undefined;
  const start = async (): Promise<Bucket> => {
    const nc = await connect({
      ...natsOptions(url),
      ...{ name: "assent-witness", timeout: natsTimeoutMs, maxReconnectAttempts: -1, reconnectTimeWait: 250 },
      // Notices within 30 s that the other end is gone without a word.
      ...{ pingInterval: 10_000, maxPingOut: 2 },
    });
    try {
      return { nc, kv: await makeBucket(nc) };
    } catch (error) {
      await nc.close();
      throw error;
    }
  };
  const connected = (): Promise<Bucket> => {
    if (connecting !== undefined) return connecting;
    const forget = (): void => {
      if (connecting === made) connecting = undefined;
    };
    const made = start().catch((error: unknown) => {
      forget();
      throw error;
    });
    connecting = made;
    // The client gives a connection up for good when its login is refused twice.
    made.then(({ nc }) => nc.closed()).then(forget, () => {});
    return made;
  };
  const withBucket = async <T>(work: (bucket: Bucket) => Promise<T>): Promise<T> => {
    try {
      return await work(await connected());
    } catch (cause) {
      if (cause instanceof WitnessError) throw cause;
      throw new WitnessError(`the witness in NATS cannot be used: ${(cause as Error).message}`, { cause });
    }
  };
  return {
    read: (logId) =>
      withBucket(async ({ kv }) => {
        const entry = await kv.get(logId);
        if (entry === null || entry.operation !== "PUT") return undefined;
        return { ...parseValue(logId, entry.string()), version: String(entry.revision) };
      }),
    write: (logId, { epoch, size, note }, read) =>
      withBucket(async ({ nc, kv }) => {
        if (read !== undefined && !isNewer({ epoch, size, note }, read)) throw otherWriter(logId);
        const value = JSON.stringify({ epoch, size, note });
        const create = () =>
          kv.create(logId, value).catch(async (error: unknown) => {
            // Nobody answers for a bucket that was lost.
            if (!(error instanceof NatsError) || error.code !== ErrorCode.NoResponders) throw error;
            await makeBucket(nc);
            return kv.create(logId, value);
          });
        const written = read === undefined ? create() : kv.update(logId, value, Number(read.version));
        await written.catch((error: unknown) => {
          // 10071: wrong last sequence.
          const isTaken = error instanceof NatsError && error.api_error?.err_code === 10071;
          throw isTaken ? otherWriter(logId) : error;
        });
      }),
    // A request and its answer: an iterator of keys that is not emptied at once, or breaks off, ends as if it were complete.
    async *logs() {
      const subjects = await withBucket(async ({ nc }) => {
        const jsm = await nc.jetstreamManager({ timeout: natsTimeoutMs, checkAPI: false });
        const { state } = await jsm.streams.info(`KV_${bucket}`, { subjects_filter: `${keyPrefix}>` });
        return Object.keys(state.subjects ?? {});
      });
      for (let first = 0; first < subjects.length; first += logsAtOnce) {
        yield subjects.slice(first, first + logsAtOnce).map((subject) => subject.slice(keyPrefix.length));
      }
    },
    close: async () => {
      await (await connecting?.catch(() => undefined))?.nc.close();
    },
  };
}

function makeBucket(nc: NatsConnection): Promise<KV> {
  const options = { history: 1, storage: StorageType.File, replicas: nc.info?.cluster === undefined ? 1 : 3 };
  // Read from the leader, which has what was written last.
  return nc.jetstream({ timeout: natsTimeoutMs }).views.kv(bucket, { ...options, allow_direct: false });
}

/** As a file's name can say it. */
const maxEpoch = 999_999_999;

const isCount = (value: unknown, most: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;

function parseValue(logId: string, text: string): WitnessedCheckpoint {
  try {
    const { epoch, size, note } = JSON.parse(text) as Partial<WitnessedCheckpoint>;
    if (isCount(epoch, maxEpoch) && isCount(size, Number.MAX_SAFE_INTEGER) && typeof note === "string") {
      return { epoch, size, note };
    }
  } catch {
    // Told below.
  }
  throw new WitnessError("the value of the witness is damaged", { logId });
}
