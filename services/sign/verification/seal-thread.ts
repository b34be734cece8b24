import { answerJobs } from "#platform/worker-jobs.ts";
import { findSeals } from "../seal/verify-seals.ts";

answerJobs((file: Uint8Array) => findSeals(Buffer.from(file.buffer, file.byteOffset, file.byteLength)));
