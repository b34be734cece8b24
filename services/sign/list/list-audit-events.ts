import { requireCaller } from "#platform/caller.ts";
import { listAuditEvents as readEvents } from "../agreement/audit-store.ts";
import { agreementTarget, withTarget } from "../agreement/context.ts";
import { auditEventMessage } from "../agreement/messages.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";

const defaultLimit = 1_000;
/** Beyond every trail, yet valid for the column. */
const maxSequence = 2 ** 31 - 1;

export const listAuditEvents = (deps: Pick<SignDeps, "pool" | "vault">): SignRpcs<"listAuditEvents"> => ({
  async listAuditEvents(request, context) {
    const { orgId } = requireCaller(context);
    const limit = request.limit || defaultLimit;
    const page = { afterSequence: Math.min(request.afterSequence, maxSequence), limit: limit + 1 };
    const target = agreementTarget(request.agreementId);
    const events = await withTarget(deps, orgId, target, (agreement, tenant) =>
      readEvents(tenant, deps.vault, agreement.id, page),
    );
    return {
      events: events.slice(0, limit).map((event) => auditEventMessage(target.id, event)),
      hasMore: events.length > limit,
    };
  },
});
