import type { ServiceImpl } from "@connectrpc/connect";
import type { LoginService } from "#gen/assent/auth/v1/users_pb.ts";
import { withOrg } from "#platform/db/pool.ts";
import { hashToken, judgeSession } from "../domain/session.ts";
import { auditEntry } from "../logins/audit-entry.ts";
import { addAudit } from "../store/audit-store.ts";
import { noteChange } from "../store/change-store.ts";
import { findSession } from "../store/person-lookup.ts";
import { deleteSession } from "../store/session-store.ts";
import { originOf } from "./acting.ts";
import type { AuthDeps } from "./deps.ts";

type Deps = Pick<AuthDeps, "lookup" | "people" | "clock" | "newId">;

export const logout = (deps: Deps): Pick<ServiceImpl<typeof LoginService>, "logout"> => ({
  async logout(request, context) {
    const tokenHash = hashToken(request.sessionToken);
    const found = tokenHash && (await findSession(deps.lookup, tokenHash));
    const now = deps.clock.now();
    if (tokenHash === undefined || found === undefined) return {};
    if (judgeSession(found, tokenHash, now).kind === "ended") return {};
    const { user, sessionId } = found;
    await withOrg(deps.people, user.orgId, async (client) => {
      if (!(await deleteSession(user.orgId, client, { userId: user.id, sessionId }))) return;
      const origin = originOf(context, request.visitor);
      await addAudit(user.orgId, client, auditEntry(deps, { action: "logout", actor: user, origin }));
      await noteChange(client, "session_changed", sessionId, now);
    });
    return {};
  },
});
