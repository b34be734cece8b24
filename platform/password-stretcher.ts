import * as crypto from "node:crypto";
import { promisify } from "node:util";
import { DomainError } from "./errors.ts";
import type { StretchJob } from "./stretch-thread.ts";
import { createWorkerPool } from "./worker-pool.ts";

/** What argon2id costs. */
export interface Argon2Cost {
  readonly memoryKib: number;
  readonly passes: number;
}

/** What OWASP recommends with one lane: some 30 ms and 19 MiB. */
export const defaultCost: Argon2Cost = { memoryKib: 19_456, passes: 2 };

/** The same characters typed on different keyboards are the same password (RFC 8265 §4.2). */
export const composed = (password: string): string => password.normalize("NFC");

export interface PasswordStretcher {
  /** The parameters of what is stretched now, to be stored with it. */
  readonly scheme: string;
  /** Makes 32 bytes of a password, dearly. Rejects with SERVICE_UNAVAILABLE when too many wait. */
  stretch(password: string, salt: Buffer, scheme?: string): Promise<Buffer>;
}

/** Each takes a thread and 19 MiB; other work of the process needs threads too. */
const maxAtOnce = 2;
/** At 30 ms each the last one waits for under a second. */
const maxWaiting = 50;

type Compute = (job: StretchJob) => Promise<Buffer>;

/** Node computes it itself since 24.7; before that, JavaScript does in a thread, which takes some ten times as long. */
export const computedByNode: Compute | undefined = (() => {
  const { argon2 } = crypto as Partial<typeof crypto>;
  if (argon2 === undefined) return undefined;
  const run = promisify(argon2);
  return ({ message, nonce, memoryKib, passes }) =>
    run("argon2id", { message, nonce, tagLength: 32, memory: memoryKib, passes, parallelism: 1 });
})();

export function computedByThreads(): Compute {
  const pool = createWorkerPool<StretchJob, Uint8Array>({
    module: new URL("./stretch-thread.ts", import.meta.url),
    ...{ size: maxAtOnce, maxWaiting: maxAtOnce, waitMs: 30_000, deadlineMs: 30_000, maxHeapMb: 128 },
  });
  return async (job) => Buffer.from(await pool.run(job));
}

export function createPasswordStretcher(
  cost: Argon2Cost = defaultCost,
  compute: Compute = computedByNode ?? computedByThreads(),
): PasswordStretcher {
  const scheme = `argon2id,v=19,m=${cost.memoryKib},t=${cost.passes},p=1`;
  const waiting: (() => void)[] = [];
  let running = 0;

  const enter = async (): Promise<void> => {
    if (running < maxAtOnce) {
      running += 1;
      return;
    }
    if (waiting.length >= maxWaiting) throw new DomainError("SERVICE_UNAVAILABLE");
    // The place is handed over by who leaves.
    await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  };

  return {
    scheme,
    stretch: async (password, salt, storedScheme = scheme) => {
      const { memoryKib, passes } = costOf(storedScheme);
      await enter();
      try {
        return await compute({ message: composed(password), nonce: salt, memoryKib, passes });
      } finally {
        leave();
      }
    },
  };
}

const schemePattern = /^argon2id,v=19,m=(\d{1,9}),t=(\d{1,4}),p=1$/;

/** Passwords that were stored with other parameters go on working. */
function costOf(scheme: string): Argon2Cost {
  const [, memoryKib, passes] = schemePattern.exec(scheme) ?? [];
  if (memoryKib === undefined || passes === undefined) throw new Error("a password is stored in an unknown form");
  return { memoryKib: Number(memoryKib), passes: Number(passes) };
}
