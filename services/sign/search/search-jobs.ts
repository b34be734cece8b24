import { setImmediate as nextTurn } from "node:timers/promises";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { writeTogether } from "../agreement/agreement-columns.ts";
import type { SignDeps } from "../deps.ts";
import type { Job, JobHandler, JobOutcome } from "../jobs/job.ts";
import { hashedWord } from "./file-search.ts";
import {
  copyWords,
  countWaiting,
  findUnread,
  forgetSome,
  holdOff,
  type IndexedFile,
  nextUnread,
  noteFilled,
  noteWords,
  readingOf,
  readSetting,
  stemsOf,
} from "./search-store.ts";

type IndexDeps = Pick<SignDeps, "pool" | "files" | "intake" | "vault" | "clock" | "newId" | "logger" | "wakeJobs">;

const done: JobOutcome = { kind: "done" };
const later = ({ clock }: Pick<SignDeps, "clock">, ms: number): JobOutcome => ({
  kind: "again",
  runAt: new Date(clock.now().getTime() + ms),
});

/** How long reading a file waits for uploads, which come first, in milliseconds. */
const busyPauseMs = 500;
/** How often a file is tried whose reading ended the process; it may have been the machine. */
const maxTries = 3;

/** Reads the words of one file, once. Whoever adds files does not wait for it. */
export const readFileWords = (deps: IndexDeps): JobHandler => ({
  concurrency: 1,
  maxAttempts: 20,
  run: async (job, hold) => {
    const file = job.payload as unknown as IndexedFile;
    const within = <T>(work: (tenant: Tenant) => Promise<T>): Promise<T> => withOrg(deps.pool, job.orgId, work);
    const isKnown = await within(async (tenant) => {
      if ((await findUnread(tenant, file)) !== undefined && !(await copyWords(tenant, file))) return false;
      await hold.endIn(tenant);
      return true;
    });
    if (isKnown) return done;
    if (deps.intake.freeSlots() === 0) return later(deps, busyPauseMs);
    const bytes = await within(async (tenant) => {
      // Whoever takes the file away meanwhile waits until it is read.
      await holdOff(tenant, file);
      const sha256 = await findUnread(tenant, file);
      return sha256 && deps.files.read(tenant, file.agreementId, { id: file.documentId, sha256 });
    }).catch(unlessGone);
    if (bytes === undefined) return done;
    const found = await deps.intake.readWords(job.orgId, bytes, { isLast: job.attempts >= maxTries });
    const { language, stems } = await within((tenant) => stemsOf(tenant, found.words));
    const words = await hashedWords(deps, job.orgId, language, stems);
    await within(async (tenant) => {
      await noteWords(tenant, file, { words, isWhole: found.isWhole });
      await hold.endIn(tenant);
    });
    return done;
  },
});

/** An erased or damaged file has no words; both are known elsewhere. */
function unlessGone(error: unknown): undefined {
  const code = error instanceof DomainError ? error.code : "";
  if (code !== "DOCUMENT_ERASED" && code !== "DOCUMENT_DAMAGED") throw error;
}

/** So many at a time, that requests do not wait. */
const hashedAtOnce = 500;

async function hashedWords({ vault }: IndexDeps, orgId: OrgId, language: string, stems: string[]): Promise<string[]> {
  const words = new Set<string>();
  for (const [index, stem] of stems.entries()) {
    if (index % hashedAtOnce === 0) await nextTurn();
    words.add(hashedWord(vault, orgId, language, stem));
  }
  return [...words];
}

/** So many agreements are looked at in one transaction, while fewer files than that wait to be read. */
const pageLength = 100;
const waitingPauseMs = 1_000;
/** Whoever began to add a file before the search was turned on has ended by then; in milliseconds. */
const overlapMs = 90_000;
const forgottenAtOnce = 1_000;

/** Plans to read the files that were there when the search was turned on; or forgets all when it was turned off. */
export const fillFileSearch = (deps: IndexDeps): JobHandler => ({
  concurrency: 1,
  maxAttempts: Number.POSITIVE_INFINITY,
  run: async (job, hold) => {
    const outcome = await withOrg(deps.pool, job.orgId, async (tenant) => {
      const { isOn, changedAt } = await readSetting(tenant, { lock: true });
      const next = await (isOn ? fillSome(deps, tenant, job, changedAt) : forgetMore(deps, tenant));
      if (next.kind === "done") await hold.endIn(tenant);
      return next;
    });
    deps.wakeJobs();
    return outcome;
  },
});

async function fillSome(deps: IndexDeps, tenant: Tenant, job: Job, since: Date | null): Promise<JobOutcome> {
  if ((await countWaiting(tenant, pageLength)) >= pageLength) return later(deps, waitingPauseMs);
  const now = deps.clock.now();
  const files = await nextUnread(tenant, pageLength);
  if (files !== undefined) {
    await writeAlone(tenant, deps, job, files);
    return later(deps, 0);
  }
  const again = overlapMs - (now.getTime() - (since ?? now).getTime());
  await noteFilled(tenant, again > 0 ? null : now);
  return again > 0 ? later(deps, again) : done;
}

const writeAlone = (tenant: Tenant, { newId, clock }: IndexDeps, caller: Job, files: readonly IndexedFile[]) =>
  writeTogether(tenant.client, readingOf({ caller, newId, now: clock.now() }, files));

const forgetMore = async (deps: IndexDeps, tenant: Tenant): Promise<JobOutcome> =>
  (await forgetSome(tenant, forgottenAtOnce)) ? later(deps, 0) : done;
