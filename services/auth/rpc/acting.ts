import type { HandlerContext } from "@connectrpc/connect";
import type { AuditAction } from "#api/audit-actions.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { shareHolds } from "#platform/db/hold-marks.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid, type OrgId } from "#platform/ids.ts";
import type { Named, Origin } from "../domain/audit.ts";
import { hasRole, type User, type UserRole } from "../domain/user.ts";
import { auditEntry } from "../logins/audit-entry.ts";
import type { Manager } from "../manage-credentials.ts";
import { addAudit } from "../store/audit-store.ts";
import { findUser, lockOrganization } from "../store/user-store.ts";
import type { AuthDeps } from "./deps.ts";

export type ActingDeps = Pick<AuthDeps, "people" | "clock" | "newId">;

/** Who calls, as the caller metadata says. */
export interface CallingUser {
  readonly orgId: OrgId;
  readonly userId: string;
}

/** A user at work, in a transaction of their organization. */
export interface Acting {
  readonly tenant: Tenant;
  readonly actor: User;
  readonly now: Date;
  /** Adds to the trail what the user did, to themselves when no subject is named. */
  audit(action: AuditAction, subject?: Named, details?: Readonly<Record<string, string>>): Promise<void>;
}

type Context = Pick<HandlerContext, "requestHeader">;
type VisitorMessage = { readonly ip: string; readonly userAgent: string } | undefined;

export interface ActingOptions {
  readonly visitor?: VisitorMessage;
  /** The least role that may do it; viewers when absent. */
  readonly role?: UserRole;
  /** Waits for others who manage the users of the organization. */
  readonly managesUsers?: boolean;
  /** Of whoever deletes what a legal hold may keep: the holds that were looked at. */
  readonly holdMark?: number;
}

const userPrefix = "user:";

/** Throws INSUFFICIENT_SCOPE for API keys and clients. */
export function callingUser(context: Context): CallingUser {
  const { orgId, clientId }: Caller = requireCaller(context);
  const userId = clientId.startsWith(userPrefix) ? clientId.slice(userPrefix.length) : "";
  if (!isUuid(userId)) throw new DomainError("INSUFFICIENT_SCOPE");
  return { orgId, userId: userId.toLowerCase() };
}

export const originOf = (context: Context, visitor: VisitorMessage): Origin => ({
  requestId: context.requestHeader.get("x-request-id") ?? "",
  ip: visitor?.ip ?? "",
  userAgent: visitor?.userAgent ?? "",
});

/** Throws INSUFFICIENT_SCOPE. */
export function requireRole(actor: User, role: UserRole): void {
  if (!hasRole(actor.role, role)) throw new DomainError("INSUFFICIENT_SCOPE");
}

/**
 * Runs work for the calling user in one transaction. The user is looked up in it, so that somebody who was removed or
 * demoted meanwhile does nothing more: SESSION_ENDED or INSUFFICIENT_SCOPE then.
 */
export async function actAs<T>(
  deps: ActingDeps,
  context: Context,
  options: ActingOptions,
  work: (acting: Acting) => Promise<T>,
): Promise<T> {
  const { orgId, userId } = callingUser(context);
  const origin = originOf(context, options.visitor);
  return withOrg(deps.people, orgId, async (tenant) => {
    if (options.holdMark !== undefined) await shareHolds(tenant, "auth", options.holdMark);
    if (options.managesUsers === true) await lockOrganization(tenant);
    const actor = await findUser(tenant, userId);
    if (actor?.status !== "active") throw new DomainError("SESSION_ENDED");
    requireRole(actor, options.role ?? "viewer");
    return work({
      ...{ tenant, actor, now: deps.clock.now() },
      audit: (action, subject, details) =>
        addAudit(tenant, auditEntry(deps, { action, actor, origin, subject, details })),
    });
  });
}

/**
 * The calling user as who manages keys, clients and settings. Rejects with what actAs rejects with, and so does writing
 * for somebody who was removed or demoted in between.
 */
export function managerOf(
  deps: ActingDeps,
  context: HandlerContext,
  { visitor, role }: { readonly visitor: VisitorMessage; readonly role: UserRole },
): Promise<Manager> {
  const origin = originOf(context, visitor);
  return actAs(deps, context, { role }, async ({ tenant, actor }) => ({
    orgId: tenant.orgId,
    audit: (action, subject) => ({ ...auditEntry(deps, { action, actor, subject, origin }), leastRole: role }),
  }));
}
