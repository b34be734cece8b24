import { argon2id } from "@noble/hashes/argon2.js";
import { answerJobs } from "./worker-jobs.ts";

/** A password to be stretched to 32 bytes by argon2id with one lane. */
export interface StretchJob {
  readonly message: string;
  readonly nonce: Uint8Array;
  readonly memoryKib: number;
  readonly passes: number;
}

answerJobs(({ message, nonce, memoryKib, passes }: StretchJob) =>
  argon2id(message, nonce, { m: memoryKib, t: passes, p: 1, dkLen: 32 }),
);
