import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import { hasAccepted } from "../receipts/acceptance-store.ts";
import type { Policy } from "../terms/policy.ts";

export interface AcceptanceQuestion {
  /** Nobody in particular has accepted nothing. */
  readonly subjectIndex: Buffer | null;
  readonly text: { readonly versionId: string; readonly revision: number };
  readonly policy: Pick<Policy, "reacceptIntervalDays">;
  readonly now: Date;
}

const dayMs = 86_400_000;

/** Whether a user need not be asked: this revision was accepted, and not so long ago that it is due again. */
export async function isAlreadyAccepted(
  orgId: OrgId,
  client: pg.ClientBase,
  { subjectIndex, text, policy, now }: AcceptanceQuestion,
): Promise<boolean> {
  if (subjectIndex === null) return false;
  const { versionId, revision } = text;
  const { reacceptIntervalDays: days } = policy;
  const since = days === 0 ? {} : { since: new Date(now.getTime() - days * dayMs) };
  return hasAccepted(orgId, client, { subjectIndex, versionId, revision, ...since });
}
