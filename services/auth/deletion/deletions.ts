import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { AuditAction } from "#api/audit-actions.ts";
import { recordsOf } from "#api/records.ts";
import { DeletionStatus as MessageStatus, OrganizationDeletionSchema } from "#gen/assent/auth/v1/auth_pb.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { refusedField } from "#platform/problems.ts";
import { type Named, noOrigin } from "../domain/audit.ts";
import { parseName } from "../domain/organization.ts";
import { auditEntry, operatorOf } from "../logins/audit-entry.ts";
import type { AdminRpcs, AuthDeps } from "../rpc/deps.ts";
import { organizationNotFound, toOrgId } from "../rpc/messages.ts";
import { addAudit } from "../store/audit-store.ts";
import { lockOrganization } from "../store/user-store.ts";
import {
  closeOrganization,
  type DeletionStatus,
  insertDeletion,
  lockNewest,
  type StoredDeletion,
  updateDeletion,
} from "./deletion-store.ts";

type Deps = Pick<AuthDeps, "people" | "clock" | "newId">;
type Handlers = AdminRpcs<"deleteOrganization" | "withdrawOrganizationDeletion" | "getOrganizationDeletion">;

/** As long as for a shorter period of retention. */
const noticeMs = 7 * 24 * 3_600_000;

const isOpen = ({ status }: StoredDeletion): boolean => ["scheduled", "held", "running"].includes(status);

/** The operator deletes organizations: whoever has a key of one cannot. Its owners see it in their audit trail. */
export const deletions = (deps: Deps): Handlers => ({
  deleteOrganization(request, context) {
    const orgId = toOrgId(request.organizationId);
    const requestedBy = parseName(request.requestedBy);
    return withOrg(deps.people, orgId, async (tenant) => {
      const name = await lockOrganization(tenant);
      const newest = await lockNewest(tenant);
      if (newest !== undefined && isOpen(newest)) return { deletion: messageOf(orgId, newest) };
      if (name === undefined) throw organizationNotFound();
      if (request.name !== name) {
        throw refusedField("name", "OTHER_NAME", "must be the name of the organization");
      }
      const requestedAt = deps.clock.now();
      const effectiveAt = new Date(requestedAt.getTime() + noticeMs);
      const made = await insertDeletion(tenant, { id: deps.newId(), requestedBy, requestedAt, effectiveAt });
      if (made === undefined) throw new Error("the deletion was not stored");
      await note(deps, tenant, { action: "organization.deletion-requested", actor: operatorOf(context) }, made, name);
      return { deletion: messageOf(orgId, made) };
    });
  },

  withdrawOrganizationDeletion({ organizationId }, context) {
    const orgId = toOrgId(organizationId);
    return withOrg(deps.people, orgId, async (tenant) => {
      const found = await requireNewest(tenant);
      if (found.status === "withdrawn") return { deletion: messageOf(orgId, found) };
      if (found.status === "running" || found.status === "completed") {
        throw new ConnectError("the deletion has begun and cannot be withdrawn any more", Code.FailedPrecondition);
      }
      const change = { status: "withdrawn", runAt: null, claim: null, claimedUntil: null } as const;
      await updateDeletion(tenant, found.id, change);
      await closeOrganization(tenant, null);
      await note(
        deps,
        tenant,
        { action: "organization.deletion-withdrawn", actor: operatorOf(context) },
        found,
        (await lockOrganization(tenant)) ?? "",
      );
      return { deletion: messageOf(orgId, { ...found, status: "withdrawn" }) };
    });
  },

  getOrganizationDeletion({ organizationId }) {
    const orgId = toOrgId(organizationId);
    return withOrg(deps.people, orgId, async (tenant) => ({
      deletion: messageOf(orgId, await requireNewest(tenant)),
    }));
  },
});

async function requireNewest(tenant: Tenant): Promise<StoredDeletion> {
  const found = await lockNewest(tenant);
  if (found === undefined) {
    throw new DomainError("NOT_FOUND", { message: "There is no deletion of an organization with this ID." });
  }
  return found;
}

const note = (
  deps: Deps,
  tenant: Tenant,
  what: { readonly action: AuditAction; readonly actor: Named },
  deletion: StoredDeletion,
  name: string,
): Promise<void> => {
  const subject = { id: tenant.orgId, name };
  const details = { deletionId: deletion.id, effectiveAt: deletion.effectiveAt.toISOString() };
  return addAudit(tenant, auditEntry(deps, { ...what, subject, details, origin: noOrigin }));
};

const statuses = {
  scheduled: MessageStatus.SCHEDULED,
  held: MessageStatus.HELD,
  running: MessageStatus.RUNNING,
  completed: MessageStatus.COMPLETED,
  withdrawn: MessageStatus.WITHDRAWN,
} as const satisfies Record<DeletionStatus, MessageStatus>;

const records = recordsOf(OrganizationDeletionSchema, { status: statuses });

const messageOf = (
  organizationId: string,
  deletion: StoredDeletion,
): MessageInitShape<typeof OrganizationDeletionSchema> => records.write({ ...deletion, organizationId });
