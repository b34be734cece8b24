import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Pool } from "pg";
import type { KeptReason, PersonalKind } from "#api/personal-data.ts";
import { PersonalItemOutcome, type PersonalItemSchema } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { shareHolds } from "#platform/db/hold-marks.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import type { OldRecord, OldRecords } from "#platform/destroy-tables.ts";
import { isUuid } from "#platform/ids.ts";
import { noOrigin } from "../domain/audit.ts";
import { emailKey, isActiveOwner } from "../domain/user.ts";
import { auditEntry } from "../logins/audit-entry.ts";
import type { AuthDeps } from "../rpc/deps.ts";
import { addAudit } from "../store/audit-store.ts";
import { noteChange } from "../store/change-store.ts";
import { deleteUser, hasOtherActiveOwner, lockOrganization, lockUser } from "../store/user-store.ts";
import type { SoughtPerson } from "./person.ts";

type Deps = Pick<AuthDeps, "clock" | "newId">;
export type PersonalItemShape = MessageInitShape<typeof PersonalItemSchema>;

/** What became of the accounts of a person: one has the address, and one may have the id. */
export interface OwnAccounts {
  readonly accounts: readonly { readonly userId: string; readonly kept: KeptReason | "" }[];
  /** Whether a legal hold keeps whatever there is of the person. */
  readonly isHeld: boolean;
}

/** What the legal holds say of a person. */
export interface PersonHold {
  readonly isHeld: boolean;
  /** How many the organization had ever set by then. */
  readonly mark: number;
}

/** Erases the accounts of a person with all that belongs to them. Changes nothing when `erases` is false. */
export async function eraseAccounts(
  deps: Deps,
  tenant: Tenant,
  person: SoughtPerson,
  { erases, isHeld, mark }: PersonHold & { readonly erases: boolean },
): Promise<OwnAccounts> {
  if (erases) await shareHolds(tenant, "auth", mark);
  await lockOrganization(tenant);
  const found = await findAccounts(tenant, person);
  if (isHeld) return { accounts: found.map(({ id }) => ({ userId: id, kept: "LEGAL_HOLD" })), isHeld };
  const [accounts, gone]: [OwnAccounts["accounts"][number][], string[]] = [[], []];
  for (const { id } of found) {
    const user = await lockUser(tenant, id);
    if (user === undefined) continue;
    const isLast = isActiveOwner(user) && !(await hasOtherActiveOwner(tenant, user.id, gone));
    accounts.push({ userId: user.id, kept: isLast ? "LAST_OWNER" : "" });
    if (isLast) continue;
    gone.push(user.id);
    if (erases) await eraseOne(deps, tenant, user.id);
  }
  return { accounts, isHeld };
}

async function eraseOne(deps: Deps, tenant: Tenant, userId: string): Promise<void> {
  await deleteUser(tenant, userId);
  const [actor, subject] = [
    { id: "", name: "" },
    { id: userId, name: "" },
  ];
  await addAudit(tenant, auditEntry(deps, { action: "user.removed", actor, subject, origin: noOrigin }));
  await noteChange(tenant.client, "user_changed", userId, deps.clock.now());
}

export const accountItems = ({ accounts }: OwnAccounts): PersonalItemShape[] =>
  accounts.map(({ userId, kept }) => item("user.account", userId, 1, kept));

/**
 * Erases from the audit trail everything of a person but the references, as the role that may change it. What becomes of
 * an account, becomes of its lines.
 */
export async function eraseTrail(
  tenant: Tenant,
  person: SoughtPerson,
  { accounts, isHeld }: OwnAccounts,
  { erases, mark }: { readonly erases: boolean; readonly mark: number },
): Promise<PersonalItemShape[]> {
  if (erases) await shareHolds(tenant, "auth", mark);
  const keptOf = (id: string): KeptReason | "" =>
    isHeld ? "LEGAL_HOLD" : (accounts.find(({ userId }) => userId === id)?.kept ?? "");
  const userIds = accounts.map(({ userId }) => userId);
  const kept = userIds.filter((id) => keptOf(id) !== "");
  const lines = await eraseLines(tenant, person, { userIds, kept, erases: erases && !isHeld });
  return lines.map(({ id, count }) => item("user.audit", id, count, keptOf(id)));
}

const item = (kind: PersonalKind, targetId: string, count: number, kept: KeptReason | ""): PersonalItemShape => ({
  ...{ kind, targetId, count, keptBecause: kept },
  outcome: kept === "" ? PersonalItemOutcome.ERASED : PersonalItemOutcome.KEPT,
});

/** The users of the dashboard that are meant: by their address, or by their id. */
export async function findAccounts(
  { orgId, client }: Tenant,
  { email, userRef }: SoughtPerson,
): Promise<{ readonly id: string; readonly email: string }[]> {
  const { rows } = await client.query<{ id: string; email: string }>(
    `select user_id as id, email from auth.user_account
     where organization_id = $1 and (email_key = $2 or user_id = $3::uuid) order by user_id`,
    [orgId, emailKey(email) ?? null, isUuid(userRef) ? userRef : null],
  );
  return rows;
}

/** Of users who were removed before, the lines of their invitation have the address. */
const theirs = `with who as (
  select unnest($3::text[]) as id
  union select subject_id from auth.audit_event
    where organization_id = $1 and $2 <> '' and lower(details ->> 'email') = $2 and subject_id <> ''
  union select $4::text where $4 <> ''
), lines as (
  select event_id, who.id from auth.audit_event e join who on who.id in (e.actor_id, e.subject_id)
  where e.organization_id = $1 and (
    (e.actor_id = who.id and (e.actor_name <> '' or e.ip <> '' or e.user_agent <> ''))
    or (e.subject_id = who.id and (e.subject_name <> '' or e.details ?| array['email', 'name'])))
)`;

/** One line may be about two accounts of the person, of which one may be kept. */
const clearLines = `${theirs}, gone as (select array_agg(id) as ids from who where id <> all($5::text[]))
  update auth.audit_event e set
    actor_name = case when e.actor_id = any(ids) then '' else e.actor_name end,
    ip = case when e.actor_id = any(ids) then '' else e.ip end,
    user_agent = case when e.actor_id = any(ids) then '' else e.user_agent end,
    subject_name = case when e.subject_id = any(ids) then '' else e.subject_name end,
    details = case when e.subject_id = any(ids) then e.details - 'email' - 'name' else e.details end
  from gone where e.organization_id = $1 and e.event_id in (select event_id from lines where id = any(ids))`;

/** Who had how many lines of the trail with a name, an address or where they were. */
async function eraseLines(
  { orgId, client }: Tenant,
  { email, userRef }: SoughtPerson,
  about: { readonly userIds: readonly string[]; readonly kept: readonly string[]; readonly erases: boolean },
): Promise<{ id: string; count: number }[]> {
  const reference = isUuid(userRef) ? userRef.toLowerCase() : "";
  const values = [orgId, email.trim().toLowerCase(), about.userIds, reference];
  const sql = `${theirs} select id, count(distinct event_id)::int as count from lines group by id order by id`;
  const { rows } = await client.query<{ id: string; count: number }>(sql, values);
  if (about.erases) await client.query(clearLines, [...values, about.kept]);
  return rows;
}

/** Lines of the audit trail. The pool must connect as the role that may delete some: nobody else may. */
export const oldLines = (removerPool: Pool): OldRecords => ({
  count: async ({ orgId, client }, before) => {
    const sql = "select count(*)::integer as count from auth.audit_event where organization_id = $1 and at < $2";
    return (await client.query<{ count: number }>(sql, [orgId, before])).rows[0]?.count ?? 0;
  },
  // The ids are in the order of the lines.
  window: async ({ orgId, client }, { before, after, limit, withText }) => {
    const { rows } = await client.query<OldRecord>(withText ? namedLines : lines, [orgId, before, after, limit]);
    return rows;
  },
  placeOf: ({ id }) => id,
  remove: (caller, ids, before, holdMark) =>
    withOrg(removerPool, caller.orgId, async (tenant) => {
      await shareHolds(tenant, "auth", holdMark);
      const { orgId, client } = tenant;
      const sql = "delete from auth.audit_event where organization_id = $1 and event_id = any($2) and at < $3";
      await client.query(sql, [orgId, ids, before]);
    }),
  present: async ({ orgId, client }: Tenant, ids) => {
    const sql = "select event_id as id from auth.audit_event where organization_id = $1 and event_id = any($2)";
    return (await client.query<{ id: string }>(sql, [orgId, ids])).rows.map(({ id }) => id);
  },
});

const old = `e.organization_id = $1 and e.at < $2
  and e.event_id > coalesce(nullif($3, ''), '00000000-0000-0000-0000-000000000000')::uuid
  order by e.event_id limit $4`;

const lines = `select e.event_id as id, null as text from auth.audit_event e where ${old}`;

/** With the addresses of whoever it was done by or to, as accounts have them, or lines about those who were removed. */
const namedLines = `
  with named as materialized (
    select user_id::text as id, email from auth.user_account where organization_id = $1
    union select subject_id, details ->> 'email' from auth.audit_event where organization_id = $1 and details ? 'email'
  )
  select e.event_id as id, concat_ws(' ', e.details, e.actor_name, e.subject_name,
    (select string_agg(n.email, ' ') from named n where n.id in (e.actor_id, e.subject_id))) as text
  from auth.audit_event e where ${old}`;
