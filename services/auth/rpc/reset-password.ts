import type { ServiceImpl } from "@connectrpc/connect";
import type { LoginService } from "#gen/assent/auth/v1/users_pb.ts";
import { withOrg } from "#platform/db/pool.ts";
import { auditEntry } from "../logins/audit-entry.ts";
import { readLink, type SetByLinkDeps, setByLink } from "../logins/set-by-link.ts";
import { addAudit } from "../store/audit-store.ts";
import { noteChange } from "../store/change-store.ts";
import { deleteSessionsOf } from "../store/session-store.ts";
import { originOf } from "./acting.ts";

export const resetPassword = (deps: SetByLinkDeps): Pick<ServiceImpl<typeof LoginService>, "resetPassword"> => ({
  async resetPassword(request, context) {
    const origin = originOf(context, request.visitor);
    const link = await readLink(deps, request.token, "reset");
    const password = await link.prepare(request.password);
    const { orgId, userId } = link;
    await withOrg(deps.people, orgId, async (client) => {
      const user = await setByLink(deps, client, link, password);
      await deleteSessionsOf(orgId, client, userId);
      await addAudit(orgId, client, auditEntry(deps, { action: "password.reset", actor: user, origin }));
      await noteChange(client, "user_changed", userId, deps.clock.now());
    });
    return {};
  },
});
