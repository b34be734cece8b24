import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { AgreementStatus } from "../agreement/agreement.ts";

export interface StatusCount {
  readonly status: AgreementStatus;
  readonly agreements: number;
}

/** Of all agreements, without templates and deleted drafts. */
export async function countByStatus(client: pg.ClientBase, orgId: OrgId): Promise<StatusCount[]> {
  const { rows } = await client.query<StatusCount>(
    `select status, count(*)::float8 as agreements from sign.agreement
     where organization_id = $1 and deleted_at is null and status <> 'template' group by status`,
    [orgId],
  );
  return rows;
}

export interface Moves {
  readonly sent: number;
  readonly completed: number;
  readonly declined: number;
}

/** What became of agreements since a moment: whatever did has changed its status since, for which there is an index. */
export async function countMoves(client: pg.ClientBase, orgId: OrgId, since: Date): Promise<Moves> {
  const count = (name: keyof Moves): string => `count(*) filter (where ${name}_at >= $2)::float8 as ${name}`;
  const { rows } = await client.query<Moves>(
    `select ${count("sent")}, ${count("completed")}, ${count("declined")} from sign.agreement
     where organization_id = $1 and deleted_at is null and status <> 'template' and status_changed_at >= $2`,
    [orgId, since],
  );
  return rows[0] ?? { sent: 0, completed: 0, declined: 0 };
}
