import type pg from "pg";
import { identifier } from "../db/ddl.ts";
import { DomainError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { isOutage } from "../outage.ts";
import type { Worker } from "../periodic.ts";
import { decryptBytes, encrypt, type KeyRing } from "../secrets.ts";

/**
 * What a service makes its keyed hashes with. Whatever is recognised by such a hash (an idempotency key, a person, a
 * credential) could not be recognised with another one, and most of it is nowhere to be read any more. So this key stays when
 * the master key is replaced: it is stored, sealed under the master key, and sealed anew like everything else.
 */
export interface HashKey {
  /** 32 bytes. Throws SERVICE_UNAVAILABLE until it was read. */
  value(): Buffer;
  /** Reads it when it was not read yet. Throws while the database is away, and when no master key opens it. */
  load(): Promise<void>;
  /** Tries again every second until it was read. */
  readonly worker: Worker;
}

export interface HashKeyOptions {
  /** Connects as the role that may make it. */
  readonly pool: pg.Pool;
  readonly schema: string;
  readonly masterKeys: KeyRing;
  readonly logger: Logger;
  /**
   * Before there was such a key, the hashes were made with the master key itself. Which one of the ring that was, by what is
   * in the database; undefined when there is nothing in it.
   */
  findFormer(): Promise<Buffer | undefined>;
}

/** What the stored key is sealed for. */
export const hashKeyContext = "hash key";

const retryMs = 1_000;

export function createHashKey(options: HashKeyOptions): HashKey {
  const { pool, masterKeys, logger } = options;
  const table = `${identifier(options.schema)}.hash_key`;
  let key: Buffer | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let isTold = false;

  const read = async (): Promise<Buffer | undefined> => {
    const { rows } = await pool.query<{ sealed: Buffer }>(`select sealed from ${table}`);
    return rows[0]?.sealed;
  };
  const make = async (): Promise<Buffer> => {
    const sealed = encrypt(masterKeys[0], (await options.findFormer()) ?? masterKeys[0], hashKeyContext);
    // Another process may have made it first; its key counts.
    await pool.query(`insert into ${table} (sealed) values ($1) on conflict do nothing`, [sealed]);
    return (await read()) ?? sealed;
  };
  const open = (sealed: Buffer): Buffer => {
    try {
      return decryptBytes(masterKeys, sealed, hashKeyContext);
    } catch (cause) {
      throw new Error("the key of the hashes cannot be opened: no master key is the one that it was sealed with", {
        cause,
      });
    }
  };
  const load = async (): Promise<void> => {
    key ??= open((await read()) ?? (await make()));
  };
  const tryAgain = async (): Promise<void> => {
    await load().catch((error: unknown) => {
      if (isOutage(error)) logger.debug({ err: error }, "the key of the hashes could not be read yet");
      else if (!isTold)
        logger.error({ reason: (error as Error).message }, "nothing can be answered without the key of the hashes");
      isTold ||= !isOutage(error);
    });
    if (key === undefined && !isStopped) timer = setTimeout(tryAgain, retryMs);
  };
  return {
    value: () => {
      if (key === undefined) throw new DomainError("SERVICE_UNAVAILABLE");
      return key;
    },
    load,
    worker: {
      name: "hash key",
      start: async () => void tryAgain(),
      stop: async () => {
        isStopped = true;
        clearTimeout(timer);
      },
    },
  };
}
