import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { isTransient } from "#platform/db/errors.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import { createPeriodicWorker, type Worker } from "#platform/periodic.ts";
import type { StoredFile } from "../agreement/agreement.ts";
import { loadAgreement } from "../agreement/agreement-store.ts";
import { addFile, filesOf } from "../agreement/file-store.ts";
import type { AgreementFiles } from "./agreement-files.ts";
import { withImagesApart } from "./signature-images.ts";

export interface OldFilesDeps {
  readonly pool: pg.Pool;
  /** Connects as the role that sees of all organizations which files are in clear, and nothing of them. */
  readonly resealerPool: pg.Pool;
  readonly files: AgreementFiles;
  readonly logger: Logger;
}

const everyMs = 10 * 60_000;

/**
 * Seals what older releases have stored in clear. Any number of processes may do so, and each may be killed at any time: what
 * is in clear says by itself that it has yet to be done.
 */
export function createOldFileSealer(deps: OldFilesDeps): Worker {
  const { logger } = deps;
  let isStopping = false;
  const worker = createPeriodicWorker({
    name: "sealer of old files",
    everyMs,
    logger,
    run: async () => {
      try {
        const sealed = await sealOldFiles(deps, () => isStopping);
        if (sealed > 0) logger.warn({ files: sealed }, "files that were stored in clear are sealed now");
      } catch (error) {
        if (!isTransient(error)) throw error;
        logger.debug({ err: error }, "sealing old files goes on when the database is there again");
      }
    },
  });
  return {
    ...worker,
    stop: async () => {
      isStopping = true;
      await worker.stop();
    },
  };
}

interface Place {
  readonly orgId: OrgId;
  readonly sha256: Buffer;
}

/** Goes over everything that is in clear once; returns how many files were sealed. */
export async function sealOldFiles(deps: OldFilesDeps, isStopping = (): boolean => false): Promise<number> {
  let sealed = 0;
  for (let next = await findClear(deps.resealerPool); next !== undefined && !isStopping(); ) {
    const began = Date.now();
    const { orgId, sha256 } = next;
    for (const agreementId of await withOrg(deps.pool, orgId, (tenant) => listOwners(tenant, sha256))) {
      sealed += await withOrg(deps.pool, orgId, (tenant) => sealIn(tenant, deps.files, agreementId, sha256)).catch(
        (error: unknown) => {
          // What is damaged has been logged, and the others are sealed all the same.
          if (error instanceof DomainError && error.code !== "SERVICE_UNAVAILABLE") return 0;
          throw error;
        },
      );
    }
    next = await findClear(deps.resealerPool, next);
    // Half of one connection's time at the most.
    await delay(Date.now() - began);
  }
  return sealed;
}

/** Seals the files of one agreement that have this hash, and the drawn signatures that stand in its recipients. */
async function sealIn(tenant: Tenant, files: AgreementFiles, agreementId: string, sha256: Buffer): Promise<number> {
  const { orgId, client } = tenant;
  // Whoever deletes it meanwhile deletes its files.
  const agreement = await loadAgreement(tenant, agreementId, { lock: true });
  if (agreement === undefined) return 0;
  const attached = await client.query<StoredFile>(
    "select id, sha256 from sign.attachment where organization_id = $1 and agreement_id = $2",
    [orgId, agreementId],
  );
  const same = [...filesOf(agreement), ...attached.rows].filter((file) => file.sha256.equals(sha256));
  for (const file of same) {
    const bytes = await files.read(tenant, agreementId, file);
    await files.release(tenant, file.id);
    await addFile(tenant, files, agreementId, file, bytes);
  }
  const { agreement: apart, images } = withImagesApart(agreement);
  for (const file of filesOf(apart)) {
    const png = images.get(file.id);
    if (png !== undefined) await addFile(tenant, files, agreementId, file, png);
  }
  for (const { id, signature, initials } of images.size === 0 ? [] : apart.recipients) {
    await client.query(
      `update sign.recipient set signature = $4, initials = $5
       where organization_id = $1 and agreement_id = $2 and id = $3`,
      [orgId, agreementId, id, signature, initials],
    );
  }
  return same.length;
}

async function findClear(pool: pg.Pool, after?: Place): Promise<Place | undefined> {
  const { rows } = await pool.query<{ organization_id: string; sha256: Buffer }>(
    `select organization_id, sha256 from sign.blob
     where not is_sealed and ($1::uuid is null or (organization_id, sha256) > ($1, $2::bytea))
     order by organization_id, sha256 limit 1`,
    [after?.orgId ?? null, after?.sha256 ?? null],
  );
  const orgId = parseOrgId(rows[0]?.organization_id ?? "");
  return rows[0] === undefined || orgId === undefined ? undefined : { orgId, sha256: rows[0].sha256 };
}

/** The agreements that have a file with this hash. */
async function listOwners({ orgId, client }: Tenant, sha256: Buffer): Promise<string[]> {
  const { rows } = await client.query<{ agreement_id: string }>(
    `select agreement_id from sign.document where organization_id = $1 and sha256 = $2
     union select agreement_id from sign.document where organization_id = $1 and sealed_sha256 = $2
     union select id from sign.agreement where organization_id = $1 and certificate_sha256 = $2
     union select a.agreement_id from sign.blob_reference r
       join sign.attachment a on a.organization_id = r.organization_id and a.id = r.owner_id
       where r.organization_id = $1 and r.sha256 = $2
     order by 1`,
    [orgId, sha256],
  );
  return rows.map((row) => row.agreement_id);
}
