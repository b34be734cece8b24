import type { Tenant } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { newSecret } from "#platform/ids.ts";
import { refusedField } from "#platform/problems.ts";
import { encrypt } from "#platform/secrets.ts";
import { type LinkPurpose, linkLifetimeMs, linkUrl, type MailKind } from "../domain/mail.ts";
import { hashToken } from "../domain/session.ts";
import { maxUsers, type UserRole } from "../domain/user.ts";
import type { AuthDeps } from "../rpc/deps.ts";
import { insertLink, insertMailJob, type MailDetails } from "../store/mail-store.ts";
import { countUsers, insertUser } from "../store/user-store.ts";

type Deps = Pick<AuthDeps, "keys" | "mail" | "publicUrl" | "clock" | "newId">;

interface Invited {
  readonly email: string;
  readonly emailKey: string;
  readonly name: string;
  readonly role: UserRole;
  readonly locale: string;
}

/** Creates an invited user in the caller's transaction, which has locked the organization. */
export async function createUser(deps: Deps, tenant: Tenant, invited: Invited): Promise<string> {
  if ((await countUsers(tenant)) >= maxUsers) {
    const message = `the organization has ${maxUsers} users already`;
    throw refusedField("email", "TOO_MANY_USERS", message);
  }
  const id = deps.newId();
  const isNew = await insertUser(tenant, { id, ...invited, createdAt: deps.clock.now() });
  if (!isNew) throw new DomainError("USER_EXISTS");
  return id;
}

/** Mails an invitation. Where that cannot be done, the answer is the link, and empty otherwise. */
export async function sendInvitation(deps: Deps, tenant: Tenant, userId: string): Promise<string> {
  const { token, url } = await makeLink(deps, tenant, { userId, purpose: "invitation" });
  if (deps.mail === undefined) return url;
  await requestMail(deps, tenant, { userId, kind: "invitation", token });
  return "";
}

/** Makes a link of a user, in the caller's transaction. Its URL is for who makes it to hand over. */
export async function makeLink(
  deps: Deps,
  tenant: Tenant,
  { userId, purpose }: { readonly userId: string; readonly purpose: LinkPurpose },
): Promise<{ readonly token: string; readonly url: string }> {
  const token = newSecret();
  const createdAt = deps.clock.now();
  const expiresAt = new Date(createdAt.getTime() + linkLifetimeMs[purpose]);
  await insertLink(tenant, { tokenHash: hashOf(token), userId, purpose, createdAt, expiresAt });
  return { token, url: linkUrl(deps.publicUrl(), purpose, token) };
}

/** Creates the mail job in the caller's transaction; does nothing without a mail server. */
export async function requestMail(
  deps: Deps,
  tenant: Tenant,
  {
    userId,
    kind,
    token,
    details = {},
  }: { readonly userId: string; readonly kind: MailKind; readonly token?: string; readonly details?: MailDetails },
): Promise<void> {
  if (deps.mail === undefined) return;
  const id = deps.newId();
  const sealedToken = token === undefined ? null : encrypt(deps.keys.mailTokenKek[0], token, id);
  await insertMailJob(tenant, { id, userId, kind, sealedToken, details, createdAt: deps.clock.now() });
}

function hashOf(token: string): Buffer {
  const hash = hashToken(token);
  if (hash === undefined) throw new Error("a new token has the wrong length");
  return hash;
}
