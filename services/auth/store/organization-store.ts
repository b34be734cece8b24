import { LockMode } from "@mikro-orm/core";
import { withOrgEm } from "#platform/db/orm.ts";
import type { OrgId } from "#platform/ids.ts";
import type { AuditEntry } from "../domain/audit.ts";
import type { Limits, Plan } from "../domain/organization.ts";
import { type AuditOf, addAuditWith } from "./audit-store.ts";
import { recordChange } from "./change-store.ts";
import { type AuthOrm, type Organization, OrganizationEntity } from "./orm.ts";

export interface NewOrganization {
  readonly name: string;
  readonly plan: Plan;
  readonly sandbox: boolean;
  readonly createdAt: Date;
}

export async function insertOrganization(orm: AuthOrm, orgId: OrgId, values: NewOrganization): Promise<Organization> {
  return withOrgEm(orm, orgId, async ({ em }) =>
    em.create(OrganizationEntity, { organizationId: orgId, locale: "", timeZone: "", ...values }),
  );
}

export async function findOrganization(orm: AuthOrm, orgId: OrgId): Promise<Organization | undefined> {
  return withOrgEm(
    orm,
    orgId,
    async ({ em }) => (await em.findOne(OrganizationEntity, { organizationId: orgId })) ?? undefined,
  );
}

/** Undefined when there is no such organization. */
export const setPlan = (orm: AuthOrm, orgId: OrgId, plan: Plan, now: Date): Promise<Organization | undefined> =>
  changeOrganization(orm, orgId, { plan }, now);

/** Overrides the named groups only. Undefined when there is no such organization. */
export const setLimits = (orm: AuthOrm, orgId: OrgId, limits: Limits, now: Date): Promise<Organization | undefined> =>
  changeOrganization(
    orm,
    orgId,
    {
      ...(limits.accept !== undefined && { limitAccept: limits.accept }),
      ...(limits.render !== undefined && { limitRender: limits.render }),
      ...(limits.other !== undefined && { limitOther: limits.other }),
      ...(limits.sign !== undefined && { limitSign: limits.sign }),
    },
    now,
  );

/** What its owners may change; what is absent stays. */
export interface OrganizationChange {
  readonly name?: string | undefined;
  readonly locale?: string | undefined;
  readonly timeZone?: string | undefined;
}

/** Undefined when there is no such organization. */
export const updateOrganization = (
  orm: AuthOrm,
  orgId: OrgId,
  { now, ...change }: OrganizationChange & { readonly now: Date },
  audit: AuditOf,
): Promise<Organization | undefined> => {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return changeOrganization(orm, orgId, Object.fromEntries(given), now, audit);
};

async function changeOrganization(
  orm: AuthOrm,
  orgId: OrgId,
  values: Partial<Organization>,
  now: Date,
  audit?: AuditOf,
): Promise<Organization | undefined> {
  return withOrgEm(orm, orgId, async (tenant) => {
    // Locked, so that concurrent changes of different groups answer with what is then stored.
    const organization = await tenant.em.findOne(
      OrganizationEntity,
      { organizationId: orgId },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (organization === null) return undefined;
    if (audit !== undefined) {
      for (const entry of changesOf(organization, values, audit)) await addAuditWith(tenant, entry);
    }
    tenant.em.assign(organization, values);
    await tenant.em.flush();
    await recordChange(tenant.em, "organization_changed", orgId, now);
    return organization;
  });
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
          { ...audit("organization.updated", subject), details: Object.fromEntries(changed) as Record<string, string> },
        ]),
  ];
}
