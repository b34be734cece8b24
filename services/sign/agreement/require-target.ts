import type pg from "pg";
import { inSnapshot } from "#platform/db/transaction.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import type { SignDeps } from "../deps.ts";
import type { Agreement } from "./agreement.ts";
import { loadAgreement } from "./agreement-store.ts";
import type { TargetId } from "./change-agreement.ts";

/** The agreement or template with this id. Throws ENVELOPE_NOT_FOUND or TEMPLATE_NOT_FOUND. */
export const requireTarget = (deps: Pick<SignDeps, "pool">, orgId: OrgId, target: TargetId): Promise<Agreement> =>
  withTarget(deps, orgId, target, async (agreement) => agreement);

/** Reads what belongs to an agreement or template, all as it was in one moment. Throws what requireTarget does. */
export const withTarget = <T>(
  { pool }: Pick<SignDeps, "pool">,
  orgId: OrgId,
  target: TargetId,
  read: (agreement: Agreement, client: pg.PoolClient) => Promise<T>,
): Promise<T> =>
  inSnapshot(orgId, pool, async (client) => {
    const agreement = await loadAgreement(client, orgId, target.id);
    if (agreement === undefined || (agreement.status === "template") !== target.isTemplate) {
      throw new DomainError(target.isTemplate ? "TEMPLATE_NOT_FOUND" : "ENVELOPE_NOT_FOUND");
    }
    return read(agreement, client);
  });
