import type { Tenant } from "#platform/db/pool.ts";
import type { JsonObject } from "../agreement/agreement.ts";

/** An administrative act about personal data. */
export interface PrivacyAct {
  readonly id: string;
  readonly at: Date;
  readonly action: "retention.changed" | "hold.set" | "hold.lifted" | "agreement.deleted";
  /** Empty for what the service does by itself. */
  readonly actor: string;
  /** UUID of what it was done to. */
  readonly subjectId: string;
  /** Nothing personal. */
  readonly details: JsonObject;
  readonly requestId: string;
}

/** Notes acts in the transaction in which they happen. */
export async function insertActs({ orgId, client }: Tenant, acts: readonly PrivacyAct[]): Promise<void> {
  await client.query(
    `insert into sign.privacy_act (organization_id, id, at, action, actor, subject_id, details, request_id)
     select $1, id, at, action, actor, "subjectId", details, "requestId" from json_to_recordset($2::json) as r
       (id uuid, at timestamptz, action text, actor text, "subjectId" uuid, details jsonb, "requestId" text)`,
    [orgId, JSON.stringify(acts)],
  );
}

/** Newest first: ids are in the order in which they were made. */
export async function listActs(
  { orgId, client }: Tenant,
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<PrivacyAct[]> {
  const { rows } = await client.query<PrivacyAct>(
    `select id, at, action, actor, subject_id as "subjectId", details, request_id as "requestId" from sign.privacy_act
     where organization_id = $1 and ($2::uuid is null or id < $2) order by id desc limit $3`,
    [orgId, before, limit],
  );
  return rows;
}
