import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import type { ClickDeps } from "./deps.ts";
import { readSession } from "./read-session.ts";
import { answerSession } from "./session-answer.ts";

type Deps = Pick<ClickDeps, "pool" | "vault" | "clock" | "tokens">;

export const getSession = (deps: Deps): Pick<ServiceImpl<typeof ClickService>, "getSession"> => ({
  async getSession({ sessionId }, context) {
    const { pool, clock } = deps;
    const { orgId } = requireCaller(context);
    const found = isUuid(sessionId)
      ? await withOrg(pool, orgId, (client) => readSession(deps, orgId, client, sessionId, clock.now()))
      : undefined;
    if (found === undefined) throw new DomainError("CLICK_SESSION_NOT_FOUND");
    return { session: await answerSession(deps, found.view) };
  },
});
