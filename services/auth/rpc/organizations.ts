import type { ServiceImpl } from "@connectrpc/connect";
import type { OrganizationService } from "#gen/assent/auth/v1/organization_pb.ts";
import { unknownCursor } from "#platform/cursor.ts";
import { withOrgEm } from "#platform/db/orm.ts";
import { withOrg } from "#platform/db/pool.ts";
import { isUuid } from "#platform/ids.ts";
import { operatorKey } from "#platform/rpc/callers.ts";
import { noOrigin } from "../domain/audit.ts";
import { parseLimits, parseName } from "../domain/organization.ts";
import { checkPassword } from "../domain/secrets.ts";
import { parseEmail, parseLocale, parseTimeZone } from "../domain/user.ts";
import { auditEntry, operatorAudit, operatorOf } from "../logins/audit-entry.ts";
import { storedPassword } from "../logins/check-login.ts";
import { createUser, makeLink } from "../logins/mailed-links.ts";
import { requireOrganization } from "../manage-credentials.ts";
import { type AuditOf, addAudit, listAudit } from "../store/audit-store.ts";
import {
  insertOrganization,
  listUses,
  setLimits,
  setPlan,
  setSuspension,
  updateOrganization as update,
} from "../store/organization-store.ts";
import { lockOrganization, setPassword } from "../store/user-store.ts";
import { type ActingDeps, actAs, managerOf } from "./acting.ts";
import type { AdminRpcs, AuthDeps, TokenRpcs } from "./deps.ts";
import {
  organizationNotFound,
  toAuditMessage,
  toOrganizationMessage,
  toOrgId,
  toPlan,
  toSummaryMessage,
} from "./messages.ts";
import { usesOf } from "./use.ts";

type CreateOrganizationDeps = Pick<AuthDeps, "orm" | "clock" | "newId">;

export const createOrganization = (deps: CreateOrganizationDeps): AdminRpcs<"createOrganization"> => ({
  async createOrganization(request) {
    const values = {
      name: parseName(request.name),
      plan: toPlan(request.plan),
      sandbox: request.sandbox,
      createdAt: deps.clock.now(),
    };
    const orgId = toOrgId(deps.newId());
    const organization = await withOrgEm(deps.orm, orgId, async (tenant) => insertOrganization(tenant, values));
    return { organization: toOrganizationMessage(organization) };
  },
});

type CreateOwnerDeps = Pick<AuthDeps, "people" | "keys" | "passwords" | "mail" | "publicUrl" | "clock" | "newId">;

export const createOwner = (deps: CreateOwnerDeps): AdminRpcs<"createOwner"> => ({
  createOwner(request, context) {
    const orgId = toOrgId(request.organizationId);
    const owner = { ...parseEmail(request.email), name: parseName(request.name), role: "owner", locale: "" } as const;
    return withOrg(deps.people, orgId, async (tenant) => {
      const organizationName = await lockOrganization(tenant);
      if (organizationName === undefined) throw organizationNotFound();
      const userId = await createUser(deps, tenant, owner);
      const subject = { id: userId, name: owner.name };
      const details = { role: owner.role, email: owner.email };
      const what = { action: "user.created", actor: operatorOf(context), subject, details, origin: noOrigin } as const;
      await addAudit(tenant, auditEntry(deps, what));
      if (request.password === undefined) {
        const { url } = await makeLink(deps, tenant, { userId, purpose: "invitation" });
        return { userId, inviteUrl: url };
      }
      checkPassword(request.password, { ...owner, organizationName });
      const password = await storedPassword(deps, { id: userId, emailKey: owner.emailKey }, request.password);
      await setPassword(tenant, userId, password);
      return { userId, inviteUrl: "" };
    });
  },
});

type DescribeOrganizationDeps = Pick<AuthDeps, "orm">;

export const describeOrganization = (deps: DescribeOrganizationDeps): TokenRpcs<"describeOrganization"> => ({
  async describeOrganization(request) {
    const organization = await requireOrganization(deps, toOrgId(request.organizationId));
    return { organization: toOrganizationMessage(organization) };
  },
});

type SetOrganizationLimitsDeps = Pick<AuthDeps, "orm" | "clock" | "newId">;

export const setOrganizationLimits = (deps: SetOrganizationLimitsDeps): AdminRpcs<"setOrganizationLimits"> => ({
  async setOrganizationLimits(request, context) {
    const orgId = toOrgId(request.organizationId);
    const change = {
      limits: parseLimits(request.limits ?? {}),
      shared: parseLimits(request.sharedLimits ?? {}, "sharedLimits"),
      maxCredentials: request.maxCredentials,
    };
    const organization = await withOrgEm(deps.orm, orgId, (tenant) =>
      setLimits(tenant, change, deps.clock.now(), operatorAudit(deps, context)),
    );
    if (organization === undefined) throw organizationNotFound();
    return { organization: toOrganizationMessage(organization) };
  },
});

type SetOrganizationPlanDeps = Pick<AuthDeps, "orm" | "clock" | "newId">;

export const setOrganizationPlan = (deps: SetOrganizationPlanDeps): AdminRpcs<"setOrganizationPlan"> => ({
  async setOrganizationPlan(request, context) {
    const orgId = toOrgId(request.organizationId);
    const plan = toPlan(request.plan);
    const organization = await withOrgEm(deps.orm, orgId, (tenant) =>
      setPlan(tenant, plan, deps.clock.now(), operatorAudit(deps, context)),
    );
    if (organization === undefined) throw organizationNotFound();
    return { organization: toOrganizationMessage(organization) };
  },
});

type OperateDeps = Pick<AuthDeps, "orm" | "lookup" | "holders" | "clock" | "newId">;
type Operating = AdminRpcs<"listOrganizations" | "suspendOrganization" | "resumeOrganization">;

/** All organizations, and whether they may change anything. */
export const operateOrganizations = (deps: OperateDeps): Operating => ({
  async listOrganizations({ pageSize, cursor }, context) {
    if (cursor !== "" && !isUuid(cursor)) throw unknownCursor();
    const limit = pageSize || 100;
    // One more than asked for tells whether there are more.
    const found = await listUses(deps.lookup, { after: cursor || null, limit: limit + 1, now: deps.clock.now() });
    const listed = found.slice(0, limit);
    const useOf = await usesOf(deps, listed);
    return {
      organizations: listed.map((one) => toSummaryMessage(one, useOf(one))),
      nextCursor: found.length > limit ? (listed.at(-1)?.organizationId ?? "") : "",
      mayChange: context.values.get(operatorKey)?.mayChange ?? true,
    };
  },
  async suspendOrganization({ organizationId, reason, requestedBy }, context) {
    return suspend(
      { ...deps, audit: operatorAudit(deps, context) },
      organizationId,
      { reason: parseName(reason) },
      requestedBy,
    );
  },
  async resumeOrganization({ organizationId, requestedBy }, context) {
    return suspend({ ...deps, audit: operatorAudit(deps, context) }, organizationId, null, requestedBy);
  },
});

async function suspend(
  deps: OperateDeps & { readonly audit: AuditOf },
  organizationId: string,
  suspension: { readonly reason: string } | null,
  requestedBy: string,
) {
  const details = { requestedBy: parseName(requestedBy), ...suspension };
  const organization = await withOrgEm(deps.orm, toOrgId(organizationId), (tenant) =>
    setSuspension(tenant, suspension, deps.clock.now(), (action, subject) => ({
      ...deps.audit(action, subject),
      details,
    })),
  );
  if (organization === undefined) throw organizationNotFound();
  return { organization: toOrganizationMessage(organization) };
}

type UserOrganizationDeps = ActingDeps & Pick<AuthDeps, "orm">;
type Handlers = Pick<
  ServiceImpl<typeof OrganizationService>,
  "getOrganization" | "updateOrganization" | "listAuditEvents"
>;

/** The organization itself, as users of the dashboard see it, and what happened in it. */
export const userOrganization = (deps: UserOrganizationDeps): Handlers => ({
  async getOrganization(_request, context) {
    const orgId = await actAs(deps, context, {}, async (acting) => acting.tenant.orgId);
    const organization = await requireOrganization(deps, orgId);
    return { organization: toOrganizationMessage(organization) };
  },
  async updateOrganization(request, context) {
    const { orgId, audit } = await managerOf(deps, context, { visitor: request.visitor, role: "owner" });
    const { name, locale, timeZone, envelopeCorrections } = request;
    const change = {
      name: name === undefined ? undefined : parseName(name),
      locale: locale === undefined ? undefined : parseLocale(locale),
      timeZone: timeZone === undefined ? undefined : parseTimeZone(timeZone),
      envelopeCorrections,
    };
    const now = deps.clock.now();
    const organization = await withOrgEm(deps.orm, orgId, (tenant) => update(tenant, { ...change, now }, audit));
    if (organization === undefined) throw organizationNotFound();
    return { organization: toOrganizationMessage(organization) };
  },
  async listAuditEvents({ pageSize, cursor }, context) {
    if (cursor !== "" && !isUuid(cursor)) throw unknownCursor();
    return actAs(deps, context, { role: "owner" }, async ({ tenant }) => {
      // One more than asked for tells whether there are more.
      const found = await listAudit(tenant, { before: cursor || null, limit: pageSize + 1 });
      const events = found.slice(0, pageSize);
      const nextCursor = found.length > pageSize ? (events.at(-1)?.id ?? "") : "";
      return { events: events.map(toAuditMessage), nextCursor };
    });
  },
});
