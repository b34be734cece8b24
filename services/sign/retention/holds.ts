import type { Tenant } from "#platform/db/pool.ts";
import type { SeedVault } from "#platform/vault/seed-vault.ts";
import { emailIndex } from "../agreement/subject-keys.ts";

/** Keeps what it is about from being deleted or erased. */
export interface LegalHold {
  readonly id: string;
  readonly kind: "agreement" | "person" | "organization";
  readonly agreementId: string | null;
  readonly reason: string;
  readonly createdBy: string;
  readonly createdAt: Date;
  /** Empty while it holds. */
  readonly liftedBy: string;
  readonly liftedAt: Date | null;
}

const columns = `id, kind, agreement_id as "agreementId", reason, created_by as "createdBy", created_at as "createdAt",
  lifted_by as "liftedBy", lifted_at as "liftedAt"`;

export async function insertHold(
  { orgId, client }: Tenant,
  { id, kind, agreementId, reason, createdBy, createdAt }: LegalHold,
  index: Buffer | null,
): Promise<void> {
  await client.query(
    `insert into sign.legal_hold
       (organization_id, id, kind, agreement_id, email_index, reason, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [orgId, id, kind, agreementId, index, reason, createdBy, createdAt],
  );
}

/** Newest first: ids are in the order in which they were made. */
export async function listHolds(
  { orgId, client }: Tenant,
  {
    withLifted,
    before,
    limit,
  }: { readonly withLifted: boolean; readonly before: string | null; readonly limit: number },
): Promise<LegalHold[]> {
  const { rows } = await client.query<LegalHold>(
    `select ${columns} from sign.legal_hold
     where organization_id = $1 and ($2 or lifted_at is null) and ($3::uuid is null or id < $3)
     order by id desc limit $4`,
    [orgId, withLifted, before, limit],
  );
  return rows;
}

export async function findHold({ orgId, client }: Tenant, id: string): Promise<LegalHold | undefined> {
  const { rows } = await client.query<LegalHold>(
    `select ${columns} from sign.legal_hold where organization_id = $1 and id = $2`,
    [orgId, id],
  );
  return rows[0];
}

/** False when it was lifted before. */
export async function endHold(
  { orgId, client }: Tenant,
  id: string,
  { liftedBy, liftedAt }: Pick<LegalHold, "liftedBy" | "liftedAt">,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `update sign.legal_hold set lifted_by = $3, lifted_at = $4
     where organization_id = $1 and id = $2 and lifted_at is null`,
    [orgId, id, liftedBy, liftedAt],
  );
  return rowCount === 1;
}

interface ActiveHolds {
  readonly organization: boolean;
  readonly agreements: ReadonlySet<string>;
  /** Of persons, in hexadecimal digits. */
  readonly persons: ReadonlySet<string>;
}

async function readActive({ orgId, client }: Tenant): Promise<ActiveHolds> {
  const { rows } = await client.query<Pick<LegalHold, "kind" | "agreementId"> & { index: string | null }>(
    `select kind, agreement_id as "agreementId", encode(email_index, 'hex') as index from sign.legal_hold
     where organization_id = $1 and lifted_at is null`,
    [orgId],
  );
  return {
    organization: rows.some(({ kind }) => kind === "organization"),
    agreements: new Set(rows.flatMap(({ agreementId }) => agreementId ?? [])),
    persons: new Set(rows.flatMap(({ index }) => index ?? [])),
  };
}

/** Whether a hold keeps an agreement, or what is known of a person by e-mail address, from being deleted or erased. */
export async function isHeld(
  tenant: Tenant,
  vault: SeedVault,
  { agreementId, email }: { readonly agreementId?: string; readonly email?: string },
): Promise<boolean> {
  const active = await readActive(tenant);
  if (active.organization) return true;
  if (email !== undefined && active.persons.has(emailIndex(vault, tenant.orgId, email)?.toString("hex") ?? ""))
    return true;
  return agreementId !== undefined && (await heldBy(active, tenant, vault, [agreementId])).has(agreementId);
}

/** Those of these agreements that a hold keeps. */
export const findHeld = async (
  tenant: Tenant,
  vault: SeedVault,
  agreementIds: readonly string[],
): Promise<ReadonlySet<string>> => heldBy(await readActive(tenant), tenant, vault, agreementIds);

async function heldBy(
  { organization, agreements, persons }: ActiveHolds,
  tenant: Tenant,
  vault: SeedVault,
  agreementIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (organization) return new Set(agreementIds);
  const held = new Set(agreementIds.filter((id) => agreements.has(id)));
  if (persons.size === 0) return held;
  // Trails of the first format have no keys that people are found by: the addresses themselves are looked at as well.
  const { orgId, client } = tenant;
  const { rows } = await client.query<{ id: string; index: string | null; email: string }>(
    `select agreement_id as id, encode(email_index, 'hex') as index, '' as email from sign.subject_key
       where organization_id = $1 and agreement_id = any($2) and email_index is not null
     union all select r.agreement_id, null, e.email from sign.recipient r
       cross join lateral (values (r.email), (r.host_email)) as e (email)
       where r.organization_id = $1 and r.agreement_id = any($2) and e.email <> ''
     union all select id, null, sender ->> 'email' from sign.agreement
       where organization_id = $1 and id = any($2) and sender ->> 'email' <> ''`,
    [orgId, agreementIds],
  );
  for (const { id, index, email } of rows) {
    if (persons.has(index ?? emailIndex(vault, orgId, email)?.toString("hex") ?? "")) held.add(id);
  }
  return held;
}

/** Whether a hold keeps the agreement `a` whose trail is of the newest format, for statements that look at many. */
export const heldSql = `exists (
  select from sign.legal_hold h where h.organization_id = a.organization_id and h.lifted_at is null
    and (h.kind = 'organization' or h.agreement_id = a.id or exists (
      select from sign.subject_key k
      where k.organization_id = a.organization_id and k.agreement_id = a.id and k.email_index = h.email_index)))`;
