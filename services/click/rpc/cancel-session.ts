import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { closedError } from "../domain/session.ts";
import { sessionCancelled } from "../events.ts";
import { cancelSession as storeCancellation } from "../store/session-end-store.ts";
import type { ClickDeps } from "./deps.ts";
import { readSession } from "./read-session.ts";
import { answerSession } from "./session-answer.ts";

type Deps = Pick<ClickDeps, "pool" | "vault" | "clock" | "newId" | "tokens" | "wakeRelay">;

export const cancelSession = (deps: Deps): Pick<ServiceImpl<typeof ClickService>, "cancelSession"> => ({
  async cancelSession(request, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const sessionId = request.sessionId.toLowerCase();
    if (!isUuid(sessionId)) throw new DomainError("CLICK_SESSION_NOT_FOUND");
    const now = deps.clock.now();
    const { view, isChanged } = await withOrg(deps.pool, orgId, async (client) => {
      const cancelled = await storeCancellation(orgId, client, { id: sessionId, now });
      if (cancelled !== undefined) {
        const event = sessionCancelled({ caller, eventId: deps.newId(), now }, sessionId, cancelled);
        await insertOutbox(client, "click", [event]);
      }
      const found = await readSession(deps, orgId, client, sessionId, now);
      return { view: found?.view, isChanged: cancelled !== undefined };
    });
    if (view === undefined) throw new DomainError("CLICK_SESSION_NOT_FOUND");
    if (view.status !== "CANCELLED") throw new DomainError(closedError(view.status));
    if (isChanged) deps.wakeRelay();
    return { session: await answerSession(deps, view) };
  },
});
