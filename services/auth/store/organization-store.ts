import { LockMode } from "@mikro-orm/core";
import type { AuditEntry } from "../domain/audit.ts";
import type { Limits, Plan } from "../domain/organization.ts";
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
  em.create(OrganizationEntity, { organizationId: orgId, locale: "", timeZone: "", ...values });

export const findOrganization = async ({ orgId, em }: AuthTenant): Promise<Organization | undefined> =>
  (await em.findOne(OrganizationEntity, { organizationId: orgId })) ?? undefined;

/** Undefined when there is no such organization. */
export const setPlan = (tenant: AuthTenant, plan: Plan, now: Date, audit: AuditOf): Promise<Organization | undefined> =>
  changeOrganization(tenant, { plan }, now, audit);

/** Overrides the named groups only. Undefined when there is no such organization. */
export const setLimits = (
  tenant: AuthTenant,
  limits: Limits,
  now: Date,
  audit: AuditOf,
): Promise<Organization | undefined> =>
  changeOrganization(
    tenant,
    {
      ...(limits.accept !== undefined && { limitAccept: limits.accept }),
      ...(limits.render !== undefined && { limitRender: limits.render }),
      ...(limits.other !== undefined && { limitOther: limits.other }),
      ...(limits.sign !== undefined && { limitSign: limits.sign }),
    },
    now,
    audit,
  );

/** The members that owners may change; absent ones stay as they are. */
export interface OrganizationChange {
  readonly name?: string | undefined;
  readonly locale?: string | undefined;
  readonly timeZone?: string | undefined;
}

/** Undefined when there is no such organization. */
export const updateOrganization = (
  tenant: AuthTenant,
  { now, ...change }: OrganizationChange & { readonly now: Date },
  audit: AuditOf,
): Promise<Organization | undefined> => {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return changeOrganization(tenant, Object.fromEntries(given), now, audit);
};

async function changeOrganization(
  tenant: AuthTenant,
  values: Partial<Organization>,
  now: Date,
  audit: AuditOf,
): Promise<Organization | undefined> {
  // Locked, so that concurrent changes of different groups answer with what is then stored.
  const organization = await tenant.em.findOne(
    OrganizationEntity,
    { organizationId: tenant.orgId },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (organization === null) return undefined;
  for (const entry of changesOf(organization, values, audit)) await addAuditWith(tenant, entry);
  tenant.em.assign(organization, values);
  await tenant.em.flush();
  await recordChange(tenant.em, "organization_changed", tenant.orgId, now);
  return organization;
}

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
