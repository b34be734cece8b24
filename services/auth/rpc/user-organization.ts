import type { ServiceImpl } from "@connectrpc/connect";
import type { OrganizationService } from "#gen/assent/auth/v1/organization_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { parseName } from "../domain/organization.ts";
import { parseLocale, parseTimeZone } from "../domain/user.ts";
import { listAudit } from "../store/audit-store.ts";
import { findOrganization, updateOrganization as update } from "../store/organization-store.ts";
import { type ActingDeps, actAs } from "./acting.ts";
import type { AuthDeps } from "./deps.ts";
import { managerOf } from "./manager.ts";
import { organizationNotFound, toOrganizationMessage } from "./messages.ts";
import { toAuditMessage } from "./user-messages.ts";

type Deps = ActingDeps & Pick<AuthDeps, "orm">;
type Handlers = Pick<
  ServiceImpl<typeof OrganizationService>,
  "getOrganization" | "updateOrganization" | "listAuditEvents"
>;

/** The organization itself, as users of the dashboard see it, and what happened in it. */
export const userOrganization = (deps: Deps): Handlers => ({
  async getOrganization(_request, context) {
    const orgId = await actAs(deps, context, {}, async (acting) => acting.orgId);
    const organization = await findOrganization(deps.orm, orgId);
    if (organization === undefined) throw organizationNotFound();
    return { organization: toOrganizationMessage(organization) };
  },
  async updateOrganization(request, context) {
    const { orgId, audit } = await managerOf(deps, context, { visitor: request.visitor, role: "owner" });
    const { name, locale, timeZone } = request;
    const change = {
      name: name === undefined ? undefined : parseName(name),
      locale: locale === undefined ? undefined : parseLocale(locale),
      timeZone: timeZone === undefined ? undefined : parseTimeZone(timeZone),
    };
    const organization = await update(deps.orm, orgId, { ...change, now: deps.clock.now() }, audit);
    if (organization === undefined) throw organizationNotFound();
    return { organization: toOrganizationMessage(organization) };
  },
  async listAuditEvents({ pageSize, cursor }, context) {
    if (cursor !== "" && !isUuid(cursor)) throw unknownPage();
    return actAs(deps, context, { role: "owner" }, async ({ orgId, client }) => {
      // One more than asked for tells whether there are more.
      const found = await listAudit(orgId, client, { before: cursor || null, limit: pageSize + 1 });
      const events = found.slice(0, pageSize);
      const nextCursor = found.length > pageSize ? (events.at(-1)?.id ?? "") : "";
      return { events: events.map(toAuditMessage), nextCursor };
    });
  },
});

const unknownPage = (): DomainError =>
  new DomainError("VALIDATION_FAILED", {
    details: [{ field: "cursor", code: "INVALID_CURSOR", message: "must be a cursor that a previous page gave" }],
  });
