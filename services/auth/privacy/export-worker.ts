import { randomUUID } from "node:crypto";
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import type { Pool } from "pg";
import { AcceptancesToExportSchema } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import type { NudgeBus } from "#platform/events/nudges.ts";
import { exportPage } from "#platform/export-page.ts";
import { nextOfTables } from "#platform/export-tables.ts";
import type { Logger } from "#platform/logger.ts";
import { createQueueWorker, type QueueWorker } from "#platform/periodic.ts";
import type { SeedVault } from "#platform/vault/seed-vault.ts";
import type { AuthDeps } from "../rpc/deps.ts";
import { type ClaimedJob, claimJob } from "../store/job-store.ts";
import { findOrganizationName } from "../store/user-store.ts";
import { type ExportedPage as AccountPage, exportAccounts, type PersonToExport } from "./export-account.ts";
import { type IndexHead, writeIndex } from "./export-index.ts";
import { createExportSeal, type ExportSeal, seedName } from "./export-seal.ts";
import {
  insertFile,
  listFiles,
  lockClaimed,
  moveSchedule,
  readPiece,
  removeSome,
  type StoredExport,
  type StoredExportFile,
  tellEnded,
  updateExport,
} from "./export-store.ts";
import { exporterNames, holderNames } from "./holders.ts";

export interface ExportWorkerDeps extends Pick<AuthDeps, "people" | "holders" | "clock" | "newId"> {
  readonly janitor: Pool;
  readonly vault: SeedVault;
  readonly logger: Logger;
  readonly bus?: NudgeBus | undefined;
  readonly part?: ExportPart | undefined;
}

/** What a service answers to be kept. */
interface ExportedPage extends AccountPage {
  readonly fromLeafIndex?: bigint | undefined;
  readonly untilLeafIndex?: bigint | undefined;
}

/** How much an archive may have. */
export interface ExportPart {
  readonly bytes: number;
  readonly files: number;
}

/** Longer than a service may take for a page; then another process goes on. */
const leaseMs = 2 * 60_000;
const pageTimeoutMs = 60_000;
const maxPauseMs = 10 * 60_000;
/** After so long without an end it is given up. */
const giveUpMs = 24 * 3_600_000;
const keptMs = 7 * 24 * 3_600_000;
/** Without the ZIP64 extension an archive has 4 GB and 65,535 files at most. */
const usualPart = { bytes: 1_000_000_000, files: 10_000 };

/** Makes exports, and destroys them in time. Any number of processes may do it at the same time; one goes on for another. */
export const createExportWorker = (deps: ExportWorkerDeps): QueueWorker =>
  createQueueWorker({
    ...{ name: "auth-exports", pollMs: 1_000, logger: deps.logger, bus: deps.bus },
    work: async (mayGoOn) => {
      while (mayGoOn() && (await workNext(deps, mayGoOn)));
    },
  });

/** False when nothing is due. */
async function workNext(deps: ExportWorkerDeps, mayGoOn: () => boolean): Promise<boolean> {
  const { janitor, people, clock, logger } = deps;
  const now = clock.now();
  const lease = { claim: randomUUID(), now, until: new Date(now.getTime() + leaseMs) };
  const claimed = await claimJob(janitor, "export", lease);
  if (claimed === undefined) return false;
  try {
    while (mayGoOn() && (await takeStep(deps, claimed)));
    await withOrg(people, claimed.orgId, async (tenant) => {
      if (await lockClaimed(tenant, claimed))
        await updateExport(tenant, claimed.id, { claim: null, claimedUntil: null });
    });
  } catch (err) {
    logger.warn({ err, orgId: claimed.orgId, exportId: claimed.id }, "an export is gone on with later");
    await putOff(deps, claimed);
  }
  return true;
}

/** Does what is due with an export, in one transaction; false when nothing is left to do now. */
async function takeStep(deps: ExportWorkerDeps, claimed: ClaimedJob): Promise<boolean> {
  const { people, clock } = deps;
  const within = <T>(work: (tenant: Tenant) => Promise<T>): Promise<T> => withOrg(people, claimed.orgId, work);
  const found = await within((tenant) => lockClaimed(tenant, claimed));
  if (found === undefined) return false;
  if (found.status === "pending") {
    const { seal, files, change } = await nextPage(deps, claimed, found);
    return within((tenant) => keepPage(deps, tenant, claimed, { seal, files, change }));
  }
  if (found.status === "completed" && (found.expiresAt ?? clock.now()) > clock.now()) return false;
  return within(async (tenant) => {
    if ((await lockClaimed(tenant, claimed)) === undefined) return false;
    // Without its key nothing of it can be read any more, wherever copies are.
    if (found.seed !== null) await updateExport(tenant, found.id, { status: "expired", seed: null });
    const isMore = await removeSome(tenant, found.id);
    const renewed = new Date(clock.now().getTime() + leaseMs);
    await updateExport(tenant, found.id, isMore ? { claimedUntil: renewed } : { runAt: null });
    return isMore;
  });
}

/** An export has nothing of exports. */
const ownFiles = ["export", "export_file", "export_piece"];

/** Who is asked for which kind. The last step of archives, after these, is their index. */
const namesOf = { person: holderNames, organization: exporterNames, acceptances: ["click"] } as const;
const lastStep = ({ kind }: Pick<StoredExport, "kind">): number =>
  namesOf[kind].length + (kind === "acceptances" ? 0 : 1);

type Change = Pick<StoredExport, "holder" | "cursor" | "fromLeafIndex" | "untilLeafIndex">;

/** Asks whose turn it is for the next files; after the last one, they are the index alone. */
async function nextPage({ holders, people, vault }: ExportWorkerDeps, { orgId }: ClaimedJob, found: StoredExport) {
  const { id, seed, sealedPerson, createdBy: clientId, requestId, holder, cursor } = found;
  if (seed === null || sealedPerson === null) throw new Error(`the export ${id} has no key`);
  const seal = createExportSeal(id, vault.unwrapSeed(seedName(orgId, id), seed));
  const about = JSON.parse(seal.openText(sealedPerson)) as JsonValue;
  const person = about as unknown as PersonToExport;
  const caller: Caller = { orgId, clientId, requestId, traceparent: "" };
  const isOrganization = found.kind === "organization";
  const kind = isOrganization ? "organization" : "person";
  const name = namesOf[found.kind][holder - 1];
  const options = { headers: callerHeaders(caller), timeoutMs: pageTimeoutMs };
  const ask = async (): Promise<ExportedPage> => {
    if (found.kind === "acceptances") {
      if (holder === 0) return { files: [], nextCursor: "" };
      const acceptances = fromJson(AcceptancesToExportSchema, about);
      const page = await holders.click.exportOrganization({ cursor, acceptances }, options);
      if (acceptances.campaignId !== undefined && page.files.some(({ path }) => !path.startsWith("people/")))
        throw new Error("a click service of an earlier release knows no campaigns and exports receipts");
      return page;
    }
    if (holder === 0 && isOrganization)
      return exportPage(cursor, (after) => nextOfTables(people, orgId, "auth", after, ownFiles));
    if (holder === 0) return withOrg(people, orgId, (tenant) => exportAccounts(tenant, person));
    if (name === undefined)
      return { files: [await indexOf(people, orgId, { ...found, kind, person }, seal)], nextCursor: "" };
    if (isOrganization) return holders[name].exportOrganization({ cursor }, options);
    return holders[name].exportPerson({ person, cursor }, options);
  };
  const { files, nextCursor, ...span } = await ask();
  if (found.scheduleId !== null && holder > 0 && span.untilLeafIndex === undefined)
    throw new Error("a click service of an earlier release exports everything that was ever recorded");
  const place = nextCursor === "" ? { holder: holder + 1, cursor: "" } : { holder, cursor: nextCursor };
  return { seal, files, change: { ...place, ...spanOf(found, span) } satisfies Change };
}

type Span = Pick<StoredExport, "fromLeafIndex" | "untilLeafIndex">;

/** All pages say the same; a service of an earlier release says nothing. */
const spanOf = (
  { fromLeafIndex, untilLeafIndex }: Span,
  said: Pick<ExportedPage, "fromLeafIndex" | "untilLeafIndex">,
): Span => ({
  fromLeafIndex: said.fromLeafIndex === undefined ? fromLeafIndex : Number(said.fromLeafIndex),
  untilLeafIndex: said.untilLeafIndex === undefined ? untilLeafIndex : Number(said.untilLeafIndex),
});

async function indexOf(
  people: Pool,
  orgId: ClaimedJob["orgId"],
  found: Pick<StoredExport, "id"> & Omit<IndexHead, "organization">,
  seal: ExportSeal,
) {
  const within = <T>(work: (tenant: Tenant) => Promise<T>): Promise<T> => withOrg(people, orgId, work);
  const files = await within((tenant) => listFiles(tenant, found.id, null));
  const titled = files.map((file) => ({ path: file.path, title: seal.openText(file.title), file }));
  const read = async (file: StoredExportFile): Promise<string> => {
    const pieces: Buffer[] = [];
    for (let piece = 0, isLast = false; !isLast; piece += 1) {
      const row = await within((tenant) => readPiece(tenant, found.id, { number: file.number, piece }));
      if (row === undefined) throw new Error(`a piece of ${file.path} is missing`);
      pieces.push(seal.openPiece({ ...row, sealedBytes: Number(row.sealedBytes) }, piece, row.sealed));
      isLast = row.isLast;
    }
    return Buffer.concat(pieces).toString("utf8");
  };
  const content = Buffer.from(
    await writeIndex(titled, { ...found, organization: await within(findOrganizationName) }, read),
  );
  return { path: "index.html", title: "Index", content };
}

/** False when it is complete, or belongs to somebody else by now. */
async function keepPage(
  { clock, newId, part = usualPart }: ExportWorkerDeps,
  tenant: Tenant,
  claimed: ClaimedJob,
  {
    seal,
    files,
    change,
  }: { readonly seal: ExportSeal; readonly files: ExportedPage["files"]; readonly change: Change },
): Promise<boolean> {
  const found = await lockClaimed(tenant, claimed);
  if (found === undefined) return false;
  let place = { parts: found.parts, partFiles: found.partFiles, partBytes: Number(found.partBytes) };
  let { files: number, bytes } = { files: found.files, bytes: Number(found.bytes) };
  for (const file of files) {
    const sealed = await seal.sealFile(file);
    const size = sealed.bytes;
    const isOver = place.partBytes + size > part.bytes || place.partFiles >= part.files;
    const isFull = place.parts === 0 || (isOver && found.kind !== "acceptances");
    const next = isFull
      ? { parts: place.parts + 1, partFiles: 1, partBytes: size }
      : { parts: place.parts, partFiles: place.partFiles + 1, partBytes: place.partBytes + size };
    // The index is found in the first archive.
    const at = file.path === "index.html" ? 1 : next.parts;
    if (!(await insertFile(tenant, found.id, { number, part: at }, sealed))) continue;
    if (at === next.parts) place = next;
    number += 1;
    bytes += size;
  }
  const now = clock.now();
  const isDone = change.holder > lastStep(found);
  const expiresAt = new Date(now.getTime() + keptMs);
  await updateExport(tenant, found.id, {
    ...change,
    ...{ files: number, bytes, ...place, attempts: 0 },
    ...(isDone
      ? { status: "completed", sealedPerson: null, completedAt: now, expiresAt, runAt: expiresAt }
      : { claimedUntil: new Date(now.getTime() + leaseMs) }),
  });
  if (isDone) {
    await tellEnded(tenant, { eventId: newId(), now }, { ...found, ...place, status: "completed", bytes, expiresAt });
    const { id: exportId, scheduleId: id } = found;
    const { untilLeafIndex } = change;
    if (id !== null && untilLeafIndex !== null) await moveSchedule(tenant, { id, exportId, untilLeafIndex });
  }
  return !isDone;
}

async function putOff({ people, clock, newId }: ExportWorkerDeps, claimed: ClaimedJob): Promise<void> {
  await withOrg(people, claimed.orgId, async (tenant) => {
    const found = await lockClaimed(tenant, claimed);
    if (found === undefined) return;
    const now = clock.now().getTime();
    const isOver = found.status === "pending" && now - found.createdAt.getTime() > giveUpMs;
    const runAt = new Date(now + Math.min(maxPauseMs, 1_000 * 2 ** claimed.attempts));
    await updateExport(tenant, found.id, {
      ...{ runAt, claim: null, claimedUntil: null },
      ...(isOver ? { status: "failed", seed: null, sealedPerson: null } : {}),
    });
    if (!isOver) return;
    const ended = { ...found, status: "failed", parts: 0, bytes: 0, expiresAt: null } as const;
    await tellEnded(tenant, { eventId: newId(), now: clock.now() }, ended);
  });
}
