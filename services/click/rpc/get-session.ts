import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import type { ClickDeps } from "./deps.ts";
import { sessionMessage } from "./messages.ts";
import { readSession } from "./read-session.ts";

export const getSession = ({
  pool,
  clock,
}: Pick<ClickDeps, "pool" | "clock">): Pick<ServiceImpl<typeof ClickService>, "getSession"> => ({
  async getSession({ sessionId }, context) {
    const { orgId } = requireCaller(context);
    const found = isUuid(sessionId)
      ? await withOrg(pool, orgId, (client) => readSession(orgId, client, sessionId, clock.now()))
      : undefined;
    if (found === undefined) throw new DomainError("CLICK_SESSION_NOT_FOUND");
    return { session: sessionMessage(found.view) };
  },
});
