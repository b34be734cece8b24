import type { Tenant } from "#platform/db/pool.ts";
import type { JsonObject } from "../agreement/agreement.ts";
import { replaceIn } from "./erased-values.ts";
import type { ErasureItem, Person } from "./plan-erasure.ts";

/** What becomes of a bulk list or a batch; nothing when there is nothing of the person in it. */
export async function eraseFromBulk(
  tenant: Tenant,
  { id, kind }: FoundBulk,
  person: Person,
  { isDry, isHeld }: { readonly isDry: boolean; readonly isHeld: boolean },
): Promise<ErasureItem[]> {
  const isKept = isDry || isHeld;
  const held = isHeld ? { kept: "LEGAL_HOLD" as const } : {};
  if (kind === "BULK_LIST") return (await eraseFromList(tenant, id, person, isKept)) ? [{ part: kind, ...held }] : [];
  const outcome = await eraseFromBatch(tenant, id, person, isKept);
  if (outcome === "nothing") return [];
  return [outcome === "open" ? { part: kind, kept: "IN_PROGRESS" } : { part: kind, ...held }];
}

/** A bulk list or a batch that names the address, or holds a copy for the reference, or was dealt with already. */
export interface FoundBulk {
  readonly id: string;
  readonly kind: "BULK_LIST" | "BULK_BATCH";
}

export async function findBulk(
  { client, orgId }: Tenant,
  { email, userRef }: Person,
  erasureId: string,
): Promise<FoundBulk[]> {
  const isTheirs = `(($2 <> '' and strpos(lower(b::text), $2) > 0) or ($3 <> '' and strpos(b.copies::text, to_json($3::text)::text) > 0)
    or exists (select from sign.erasure_report r where r.organization_id = $1 and r.erasure_id = $4 and r.target_id = b.id))`;
  const { rows } = await client.query<FoundBulk>(
    `select id, 'BULK_LIST' as kind from sign.bulk_list b where organization_id = $1 and ${isTheirs}
     union all select id, 'BULK_BATCH' from sign.bulk_batch b where organization_id = $1 and ${isTheirs} order by id`,
    [orgId, email, userRef, erasureId],
  );
  return rows;
}

/** Whether a copy names the address, or is for the reference. */
export function isCopyFor(copy: JsonObject, { email, userRef }: Pick<Person, "email" | "userRef">): boolean {
  const recipients = (copy.recipients ?? []) as readonly { readonly clientUserId?: string }[];
  return replaceIn(copy, email) !== copy || (userRef !== "" && recipients.some((one) => one.clientUserId === userRef));
}

/** Takes the copies out of a list that are about the person. False when there is none. */
async function eraseFromList(
  { client, orgId }: Tenant,
  id: string,
  { email, userRef }: Person,
  isKept: boolean,
): Promise<boolean> {
  const { rows } = await client.query<{ copies: JsonObject[] }>(
    "select copies from sign.bulk_list where organization_id = $1 and id = $2 for update",
    [orgId, id],
  );
  const copies = rows[0]?.copies ?? [];
  const kept = copies.filter((copy) => !isCopyFor(copy, { email, userRef }));
  if (kept.length === copies.length) return false;
  if (!isKept) {
    await client.query(
      "update sign.bulk_list set copies = $3, copy_count = $4 where organization_id = $1 and id = $2",
      [orgId, id, JSON.stringify(kept), kept.length],
    );
  }
  return true;
}

/** Replaces the address in what went wrong in a batch; says whether copies of it are still to be sent. */
async function eraseFromBatch(
  { client, orgId }: Tenant,
  id: string,
  { email }: Person,
  isKept: boolean,
): Promise<"erased" | "open" | "nothing"> {
  const { rows } = await client.query<{ failures: JsonObject[]; endedAt: Date | null }>(
    `select failures, ended_at as "endedAt" from sign.bulk_batch where organization_id = $1 and id = $2 for update`,
    [orgId, id],
  );
  const [batch] = rows;
  if (batch === undefined) return "nothing";
  if (batch.endedAt === null) return "open";
  const failures = replaceIn(batch.failures, email);
  if (failures === batch.failures) return "nothing";
  if (!isKept) {
    const sql = "update sign.bulk_batch set failures = $3 where organization_id = $1 and id = $2";
    await client.query(sql, [orgId, id, JSON.stringify(failures)]);
  }
  return "erased";
}
