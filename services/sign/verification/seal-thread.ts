import { answerJobs } from "#platform/worker-jobs.ts";
import { findSeals } from "../seal/verify-seals.ts";
import { additionAfter } from "./verify.ts";

answerJobs((bytes: Uint8Array) => {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const seals = findSeals(file);
  // Of the last one that holds: what came before it is part of what it covers.
  const last = seals.filter(({ signedPartSha256 }) => signedPartSha256 !== undefined).at(-1);
  return seals.map((seal) => ({ ...seal, addition: seal === last ? additionAfter(file, seal.addedBytes) : "" }));
});
