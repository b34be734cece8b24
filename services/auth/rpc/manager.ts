import type { HandlerContext } from "@connectrpc/connect";
import type { UserRole } from "../domain/user.ts";
import { auditEntry } from "../logins/audit-entry.ts";
import type { Manager } from "../manage-credentials.ts";
import { type ActingDeps, actAs, originOf } from "./acting.ts";

type VisitorMessage = { readonly ip: string; readonly userAgent: string } | undefined;

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
  return actAs(deps, context, { role }, async ({ orgId, actor }) => ({
    orgId,
    audit: (action, subject) => ({ ...auditEntry(deps, { action, actor, subject, origin }), leastRole: role }),
  }));
}
