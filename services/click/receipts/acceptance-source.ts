import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import { createBatcher } from "../accept/batcher.ts";
import { findAcceptances, type ReceiptName, type SealedAcceptance } from "./acceptance-store.ts";

/** Finds an acceptance of the organization by its UUID; undefined when it has none of this id. */
export type AcceptanceSource = (orgId: OrgId, receiptId: string) => Promise<SealedAcceptance | undefined>;

/** Leaves most connections of the recorder to those who record. */
const maxInFlight = 1;
const maxTogether = 100;
const maxQueued = 5_000;

/** Finds those together that are asked for while others are being found, of any organizations. The pool must connect as the recorder. */
export function createAcceptanceSource(recorderPool: pg.Pool): AcceptanceSource {
  const batcher = createBatcher({ maxItems: maxTogether, maxInFlight, maxQueued, run });
  return async (organizationId, receiptId) => {
    const [found] = batcher.add([{ organizationId, receiptId: receiptId.toLowerCase() }]);
    return found;
  };

  async function run(names: readonly ReceiptName[]): Promise<(SealedAcceptance | undefined)[]> {
    const found = new Map((await findAcceptances(recorderPool, names)).map((one) => [nameOf(one), one]));
    // By the whole name: what belongs to another organization is nobody else's.
    return names.map((name) => found.get(nameOf(name)));
  }
}

const nameOf = ({ organizationId, receiptId }: ReceiptName): string => `${organizationId}/${receiptId}`;
