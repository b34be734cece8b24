import type { PoolClient } from "pg";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { maxUsers, type UserRole } from "../domain/user.ts";
import type { AuthDeps } from "../rpc/deps.ts";
import { countUsers, insertUser } from "../store/user-store.ts";
import { makeLink, requestMail } from "./send-mail.ts";

type Deps = Pick<AuthDeps, "keys" | "mail" | "publicUrl" | "clock" | "newId">;

export interface Invited {
  readonly email: string;
  readonly emailKey: string;
  readonly name: string;
  readonly role: UserRole;
  readonly locale: string;
}

/** Creates an invited user in the caller's transaction, which has locked the organization. */
export async function createUser(deps: Deps, orgId: OrgId, client: PoolClient, invited: Invited): Promise<string> {
  if ((await countUsers(orgId, client)) >= maxUsers) {
    const message = `the organization has ${maxUsers} users already`;
    throw new DomainError("VALIDATION_FAILED", { details: [{ field: "email", code: "TOO_MANY_USERS", message }] });
  }
  const id = deps.newId();
  const isNew = await insertUser(orgId, client, { id, ...invited, createdAt: deps.clock.now() });
  if (!isNew) throw new DomainError("USER_EXISTS");
  return id;
}

/** Mails an invitation. Where that cannot be done, the answer is the link, and empty otherwise. */
export async function sendInvitation(deps: Deps, orgId: OrgId, client: PoolClient, userId: string): Promise<string> {
  const { token, url } = await makeLink(deps, orgId, client, { userId, purpose: "invitation" });
  if (deps.mail === undefined) return url;
  await requestMail(deps, orgId, client, { userId, kind: "invitation", token });
  return "";
}
