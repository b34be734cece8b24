import type pg from "pg";
import { inTransaction } from "#platform/db/transaction.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Agreement } from "../domain/agreement.ts";
import { loadAgreements } from "./agreement-store.ts";

/** Reads agreements of any kind; undefined when there is none. */
export type ReadAgreement = (orgId: OrgId, id: string) => Promise<Agreement | undefined>;

/** The transaction around a read costs more than the read. One with two others under way waits for one of them. */
const readsInFlight = 2;
/** Agreements may be large, and come in one answer of the database. */
const readTogether = 16;

interface Waiting {
  readonly id: string;
  resolve(agreement: Agreement | undefined): void;
  reject(error: unknown): void;
}

interface Queue {
  readonly waiting: Waiting[];
  inFlight: number;
}

/**
 * Lets reads of one organization share a transaction. A lone one starts at once; what comes while two are under way starts
 * together when one returns. So each sees everything that had been committed when it was asked for.
 */
export function createAgreementReader(pool: pg.Pool): ReadAgreement {
  const queues = new Map<OrgId, Queue>();

  const start = (orgId: OrgId, queue: Queue): void => {
    while (queue.waiting.length > 0 && queue.inFlight < readsInFlight) {
      const batch = queue.waiting.splice(0, readTogether);
      queue.inFlight += 1;
      void read(pool, orgId, batch).finally(() => {
        queue.inFlight -= 1;
        start(orgId, queue);
      });
    }
    if (queue.inFlight === 0) queues.delete(orgId);
  };

  return (orgId, id) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(orgId) ?? { waiting: [], inFlight: 0 };
      queues.set(orgId, queue);
      queue.waiting.push({ id, resolve, reject });
      start(orgId, queue);
    });
}

/** Never rejects: each of them gets the answer or the error. */
async function read(pool: pg.Pool, orgId: OrgId, batch: readonly Waiting[]): Promise<void> {
  try {
    const ids = [...new Set(batch.map(({ id }) => id))];
    const found = await inTransaction(orgId, pool, (client) => loadAgreements(client, orgId, ids));
    const byId = new Map(found.map((agreement) => [agreement.id, agreement]));
    for (const { id, resolve } of batch) resolve(byId.get(id));
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}
