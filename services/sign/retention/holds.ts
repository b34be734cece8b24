import type { Tenant } from "#platform/db/pool.ts";
import type { SeedVault } from "#platform/vault/seed-vault.ts";
import { emailIndex, subjectIndex } from "../agreement/subject-keys.ts";

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

/** One that has been set before and still holds: of the same client, for the same reason, about the same. */
export async function findSameHold(
  { orgId, client }: Tenant,
  { kind, agreementId, reason, createdBy }: LegalHold,
  index: Buffer | null,
): Promise<LegalHold | undefined> {
  const { rows } = await client.query<LegalHold>(
    `select ${columns} from sign.legal_hold
     where organization_id = $1 and lifted_at is null and kind = $2 and agreement_id is not distinct from $3::uuid
       and email_index is not distinct from $4::bytea and reason = $5 and created_by = $6
     order by id limit 1`,
    [orgId, kind, agreementId, index, reason, createdBy],
  );
  return rows[0];
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

/**
 * How many holds the organization has ever set. What deletes elsewhere is told it, and refuses whoever knows of fewer than it
 * was told of: read it before the holds themselves.
 */
export async function countHolds({ orgId, client }: Tenant): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    "select count(*)::integer as count from sign.legal_hold where organization_id = $1",
    [orgId],
  );
  return rows[0]?.count ?? 0;
}

export interface ActiveHolds {
  /** Of all of them. */
  readonly ids: readonly string[];
  readonly organization: boolean;
  readonly agreements: ReadonlySet<string>;
  /** Of persons, in hexadecimal digits. */
  readonly persons: ReadonlySet<string>;
}

export async function readActive({ orgId, client }: Tenant): Promise<ActiveHolds> {
  const { rows } = await client.query<Pick<LegalHold, "id" | "kind" | "agreementId"> & { index: string | null }>(
    `select id, kind, agreement_id as "agreementId", encode(email_index, 'hex') as index from sign.legal_hold
     where organization_id = $1 and lifted_at is null`,
    [orgId],
  );
  return {
    ids: rows.map(({ id }) => id),
    organization: rows.some(({ kind }) => kind === "organization"),
    agreements: new Set(rows.flatMap(({ agreementId }) => agreementId ?? [])),
    persons: new Set(rows.flatMap(({ index }) => index ?? [])),
  };
}

/**
 * Whether a hold keeps an agreement, or what is known of a person from being deleted or erased. A reference is held with
 * the addresses of whoever has it.
 */
export async function isHeld(
  tenant: Tenant,
  vault: SeedVault,
  about: { readonly agreementId?: string; readonly email?: string; readonly userRef?: string },
): Promise<boolean> {
  const { agreementId, email = "", userRef = "" } = about;
  const active = await readActive(tenant);
  if (active.organization) return true;
  if (active.persons.size > 0) {
    const indexes = [email, userRef].map((address) => emailIndex(vault, tenant.orgId, address)?.toString("hex"));
    const known = [...indexes, ...(await findEmailIndexes(tenant, vault, userRef))];
    if (known.some((index) => index !== undefined && active.persons.has(index))) return true;
  }
  return agreementId !== undefined && (await heldBy(active, tenant, vault, [agreementId])).has(agreementId);
}

/** Of the addresses that recipients with this reference have or had. */
async function findEmailIndexes({ orgId, client }: Tenant, vault: SeedVault, userRef: string): Promise<string[]> {
  if (userRef === "") return [];
  const { rows } = await client.query<{ index: string }>(
    `select distinct encode(email_index, 'hex') as index from sign.subject_key
     where organization_id = $1 and user_index = $2 and email_index is not null`,
    [orgId, subjectIndex(vault, orgId, "user", userRef)],
  );
  return rows.map(({ index }) => index);
}

/** Those of these agreements that a hold keeps. */
export const findHeld = async (
  tenant: Tenant,
  vault: SeedVault,
  agreementIds: readonly string[],
): Promise<ReadonlySet<string>> => heldBy(await readActive(tenant), tenant, vault, agreementIds);

/** Those of these records that a hold keeps: all that are about an agreement which is kept, or name a person. */
export async function findHeldRecords(
  tenant: Tenant,
  vault: SeedVault,
  active: ActiveHolds,
  records: readonly { readonly id: string; readonly agreementId: string; readonly addresses: readonly string[] }[],
): Promise<ReadonlySet<string>> {
  if (active.ids.length === 0) return new Set();
  const about = [...new Set(records.flatMap(({ agreementId }) => agreementId || []))];
  const agreements = await heldBy(active, tenant, vault, about);
  const names = (address: string): boolean =>
    active.persons.has(emailIndex(vault, tenant.orgId, address)?.toString("hex") ?? "");
  const held = records.filter(
    ({ agreementId, addresses }) => active.organization || agreements.has(agreementId) || addresses.some(names),
  );
  return new Set(held.map(({ id }) => id));
}

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
