import { LockMode } from "@mikro-orm/core";
import type { Pool } from "pg";
import { DomainError } from "#platform/errors.ts";
import type { AuditEntry } from "../domain/audit.ts";
import { defaultMaxCredentials, type Limits, type Plan } from "../domain/organization.ts";
import { type AuditOf, addAuditWith } from "./audit-store.ts";
import { recordChange } from "./change-store.ts";
import { type AuthTenant, type Organization, OrganizationEntity } from "./orm.ts";

export interface NewOrganization {
  readonly name: string;
  readonly plan: Plan;
  readonly sandbox: boolean;
  readonly createdAt: Date;
}

export const insertOrganization = ({ orgId, em }: AuthTenant, values: NewOrganization): Organization =>
  em.create(OrganizationEntity, {
    organizationId: orgId,
    locale: "",
    timeZone: "",
    envelopeCorrections: false,
    ...values,
  });

export const findOrganization = async ({ orgId, em }: AuthTenant): Promise<Organization | undefined> =>
  (await em.findOne(OrganizationEntity, { organizationId: orgId })) ?? undefined;

/** Undefined when there is no such organization. */
export const setPlan = (tenant: AuthTenant, plan: Plan, now: Date, audit: AuditOf): Promise<Organization | undefined> =>
  changeOrganization(tenant, { plan }, now, audit);

/** What an operator bounds; absent ones stay as they are. */
export interface LimitsChange {
  /** Of each client. */
  readonly limits: Limits;
  /** Of all clients together. */
  readonly shared: Limits;
  readonly maxCredentials: number | undefined;
}

/** Undefined when there is no such organization. */
export const setLimits = (
  tenant: AuthTenant,
  { limits, shared, maxCredentials }: LimitsChange,
  now: Date,
  audit: AuditOf,
): Promise<Organization | undefined> =>
  changeOrganization(
    tenant,
    given({
      ...{ limitAccept: limits.accept, limitRender: limits.render, limitOther: limits.other, limitSign: limits.sign },
      ...{ sharedAccept: shared.accept, sharedRender: shared.render, sharedOther: shared.other },
      ...{ sharedSign: shared.sign, maxCredentials },
    }),
    now,
    audit,
  );

const given = (change: { readonly [Name in keyof Organization]?: Organization[Name] | undefined }) =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));

/** Null resumes it. What it is already, it stays, with the reason from before. Undefined when there is no such one. */
export async function setSuspension(
  tenant: AuthTenant,
  suspension: { readonly reason: string } | null,
  now: Date,
  audit: AuditOf,
): Promise<Organization | undefined> {
  const organization = await lockForChange(tenant);
  if (organization === null) return undefined;
  if ((suspension === null) === !organization.suspendedAt) return organization;
  const subject = { id: organization.organizationId, name: organization.name };
  await addAuditWith(tenant, audit(suspension === null ? "organization.resumed" : "organization.suspended", subject));
  organization.suspendedAt = suspension === null ? null : now;
  organization.suspensionReason = suspension?.reason ?? null;
  await tenant.em.flush();
  await recordChange(tenant.em, "organization_changed", tenant.orgId, now);
  return organization;
}

/** Until the transaction ends nobody else makes a key or a client. Throws TOO_MANY_CREDENTIALS. */
export async function requireRoomForCredential(tenant: AuthTenant): Promise<void> {
  const organization = await lockForChange(tenant);
  const [{ n } = { n: 0 }] = await tenant.em.execute<{ n: number }[]>(countCredentials, [tenant.orgId, tenant.orgId]);
  const ceiling = organization?.maxCredentials ?? defaultMaxCredentials;
  if (n < ceiling) return;
  const message = `The organization has ${n} API keys and OAuth clients, as many as it may. Revoke those that no one uses.`;
  throw new DomainError("TOO_MANY_CREDENTIALS", { message });
}

const countCredentials = `
  select ((select count(*) from auth.api_key where organization_id = ? and revoked_at is null)
    + (select count(*) from auth.oauth_client where organization_id = ? and revoked_at is null))::int as n`;

/** The members that owners may change; absent ones stay as they are. */
export interface OrganizationChange {
  readonly name?: string | undefined;
  readonly locale?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly envelopeCorrections?: boolean | undefined;
}

/** Undefined when there is no such organization. */
export const updateOrganization = (
  tenant: AuthTenant,
  { now, ...change }: OrganizationChange & { readonly now: Date },
  audit: AuditOf,
): Promise<Organization | undefined> => changeOrganization(tenant, given(change), now, audit);

async function changeOrganization(
  tenant: AuthTenant,
  values: Partial<Organization>,
  now: Date,
  audit: AuditOf,
): Promise<Organization | undefined> {
  // Locked, so that concurrent changes of different groups answer with what is then stored.
  const organization = await lockForChange(tenant);
  if (organization === null) return undefined;
  for (const entry of changesOf(organization, values, audit)) await addAuditWith(tenant, entry);
  tenant.em.assign(organization, values);
  await tenant.em.flush();
  await recordChange(tenant.em, "organization_changed", tenant.orgId, now);
  return organization;
}

const lockForChange = ({ orgId, em }: AuthTenant): Promise<Organization | null> =>
  em.findOne(OrganizationEntity, { organizationId: orgId }, { lockMode: LockMode.PESSIMISTIC_WRITE });

/** What is written down of a change: the organization has its name from before, and another name is an event of its own. */
function changesOf(organization: Organization, values: Partial<Organization>, audit: AuditOf): AuditEntry[] {
  const { name, ...settings } = values;
  const subject = { id: organization.organizationId, name: organization.name };
  const changed = Object.entries(settings).filter(([key, value]) => value !== organization[key as keyof Organization]);
  return [
    ...(name === undefined || name === organization.name
      ? []
      : [{ ...audit("organization.renamed", subject), details: { name } }]),
    ...(changed.length === 0
      ? []
      : [
          {
            ...audit("organization.updated", subject),
            details: Object.fromEntries(changed.map(([key, value]) => [key, String(value)])),
          },
        ]),
  ];
}

/** An organization as its operator sees it. */
export interface OrganizationUse extends Organization {
  readonly keys: number;
  readonly clients: number;
  readonly users: number;
  readonly lastUsedAt: Date | null;
  readonly lastLoginAt: Date | null;
  readonly requestsToday: number;
  readonly refusedToday: number;
  /** In 30 days. */
  readonly requests: number;
  readonly refused: number;
}

// The ids are times first, so their order is that of creation.
const selectUses = `
  select o.organization_id as "organizationId", o.name, o.plan, o.sandbox, o.locale, o.time_zone as "timeZone",
    o.envelope_corrections as "envelopeCorrections",
    o.limit_accept as "limitAccept", o.limit_render as "limitRender", o.limit_other as "limitOther",
    o.limit_sign as "limitSign", o.shared_accept as "sharedAccept", o.shared_render as "sharedRender",
    o.shared_other as "sharedOther", o.shared_sign as "sharedSign", o.max_credentials as "maxCredentials",
    o.created_at as "createdAt", o.closed_at as "closedAt", o.suspended_at as "suspendedAt",
    o.suspension_reason as "suspensionReason", k.n as keys, c.n as clients, u.n as users,
    greatest(k.last, c.last) as "lastUsedAt", u.last as "lastLoginAt",
    r.today as "requestsToday", r."refusedToday", r.requests, r.refused
  from (select * from auth.organization where $1::uuid is null or organization_id > $1
        order by organization_id limit $2) o,
    lateral (select count(*) filter (where revoked_at is null)::int as n, max(last_used_at) as last
             from auth.api_key where organization_id = o.organization_id) k,
    lateral (select count(*) filter (where revoked_at is null)::int as n, max(last_used_at) as last
             from auth.oauth_client where organization_id = o.organization_id) c,
    lateral (select count(*) filter (where status = 'active')::int as n, max(last_login_at) as last
             from auth.user_account where organization_id = o.organization_id) u,
    lateral (select coalesce(sum(requests) filter (where day = $3::date), 0)::float8 as today,
               coalesce(sum(refused) filter (where day = $3::date), 0)::float8 as "refusedToday",
               coalesce(sum(requests), 0)::float8 as requests, coalesce(sum(refused), 0)::float8 as refused
             from auth.request_day
             where organization_id = o.organization_id and day > $3::date - 30 and day <= $3::date) r
  order by o.organization_id`;

/** Oldest first. The pool has the role that finds what is of any organization, and only reads. */
export async function listUses(
  lookup: Pool,
  { after, limit, now }: { readonly after: string | null; readonly limit: number; readonly now: Date },
): Promise<OrganizationUse[]> {
  const today = now.toISOString().slice(0, 10);
  return (await lookup.query<OrganizationUse>(selectUses, [after, limit, today])).rows;
}
