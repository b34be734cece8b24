import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { withOrg } from "#platform/db/pool.ts";
import type { NewId, OrgId } from "#platform/ids.ts";
import { type ExternalHead, externalHeadLeaf } from "../domain/external-head-leaf.ts";
import { findExternalHead, insertExternalHead, type LoggedHead } from "../store/external-head-store.ts";
import { appendLeaves } from "../store/log-store.ts";
import type { LeafSigner } from "./leaf-signer.ts";

export interface EnterHeadDeps {
  /** Acts for one organization at a time. */
  readonly pool: pg.Pool;
  readonly leafSigner: LeafSigner;
  readonly issuer: string;
  readonly clock: Clock;
  readonly newId: NewId;
  wakeIntegrator(organizationId: string): void;
}

/**
 * Enters the head of a trail into the log of the organization, unless there is one for the same already: then that one is
 * answered, whatever it is, and nothing is written.
 */
export async function enterHead(deps: EnterHeadDeps, orgId: OrgId, head: ExternalHead): Promise<LoggedHead> {
  const { pool, leafSigner, issuer, clock, newId, wakeIntegrator } = deps;
  const known = await withOrg(pool, orgId, (client) => findExternalHead(orgId, client, head));
  if (known !== undefined) return known;
  const [recordId, recordedAt] = [newId(), clock.now()];
  const payload = externalHeadLeaf({ issuer, organizationId: orgId, recordId, recordedAt }, head);
  // Before the transaction: keys that have to be read first must not hold up the log.
  const leaves = await leafSigner.sign([{ recordId, payload }], recordedAt);
  const [signed] = leaves;
  const entered = await withOrg(pool, orgId, async (client) => {
    const isFirst = await insertExternalHead(orgId, client, head, { recordId, recordedAt });
    if (!isFirst) return findExternalHead(orgId, client, head);
    const [leafIndex] = await appendLeaves(orgId, client, leaves);
    return leafIndex === undefined || signed === undefined ? undefined : { ...head, ...signed, leafIndex };
  });
  if (entered === undefined) throw new Error("the head of a trail has got no place in the log");
  wakeIntegrator(orgId);
  return entered;
}
