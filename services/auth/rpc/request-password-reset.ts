import type { ServiceImpl } from "@connectrpc/connect";
import type { LoginService } from "#gen/assent/auth/v1/users_pb.ts";
import { withOrg } from "#platform/db/pool.ts";
import type { Origin } from "../domain/audit.ts";
import { maxResetLinks } from "../domain/link.ts";
import { passwordSalt } from "../domain/password.ts";
import { emailKey } from "../domain/user.ts";
import { auditEntry } from "../logins/audit-entry.ts";
import { makeLink, requestMail } from "../logins/send-mail.ts";
import { addAudit } from "../store/audit-store.ts";
import { countLinks } from "../store/link-store.ts";
import { findCandidates, type LoginCandidate } from "../store/person-lookup.ts";
import { lockUser } from "../store/user-store.ts";
import { originOf } from "./acting.ts";
import type { AuthDeps } from "./deps.ts";

type Deps = Pick<
  AuthDeps,
  "lookup" | "people" | "keys" | "passwords" | "mail" | "publicUrl" | "wakeMails" | "clock" | "newId"
>;

export const requestPasswordReset = (deps: Deps): Pick<ServiceImpl<typeof LoginService>, "requestPasswordReset"> => ({
  async requestPasswordReset(request, context) {
    const origin = originOf(context, request.visitor);
    const key = emailKey(request.email) ?? "";
    // Takes longer than the rest, so that the answer comes as late for an address that nobody has; and no more links can
    // be asked for at once than passwords be checked.
    const stretching = deps.passwords.stretch("", passwordSalt(deps.keys, key));
    const sending = findCandidates(deps.lookup, key).then((candidates) =>
      Promise.all(candidates.map((candidate) => sendLink(deps, candidate, origin))),
    );
    await Promise.all([stretching, sending]);
    deps.wakeMails();
    return {};
  },
});

async function sendLink(deps: Deps, { orgId, userId }: LoginCandidate, origin: Origin): Promise<void> {
  if (deps.mail === undefined) return;
  await withOrg(deps.people, orgId, async (client) => {
    const user = await lockUser(orgId, client, userId);
    const purpose = "reset";
    const sent = await countLinks(orgId, client, userId, { purpose, now: deps.clock.now() });
    if (user?.status !== "active" || sent >= maxResetLinks) return;
    const { token } = await makeLink(deps, orgId, client, { userId, purpose });
    await requestMail(deps, orgId, client, { userId, kind: "reset", token });
    // Whoever asked need not be the user.
    const actor = { id: "", name: "" };
    const what = { action: "password.reset-requested", actor, subject: user, origin } as const;
    await addAudit(orgId, client, auditEntry(deps, what));
  });
}
