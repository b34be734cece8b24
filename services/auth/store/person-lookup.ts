import type { Pool } from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { LinkPurpose } from "../domain/mail.ts";
import type { SessionState } from "../domain/session.ts";
import type { User } from "../domain/user.ts";
import { sessionColumns } from "./session-store.ts";
import { userColumns } from "./user-store.ts";

/** The pool of these functions has the role that may find people of any organization, and only read. */
export interface LoginCandidate {
  readonly orgId: OrgId;
  readonly userId: string;
  readonly hash: Buffer;
  readonly scheme: string;
}

/** How many users of an address are tried; with more, the person has to name the organization. */
const maxCandidates = 5;

const selectCandidates = `
  select organization_id as "orgId", user_id as "userId", password_hash as hash, password_scheme as scheme
  from auth.user_account
  where email_key = $1 and status = 'active' and password_hash is not null
    and ($2::uuid is null or organization_id = $2)
  order by created_at, user_id
  limit ${maxCandidates}`;

/** The active users of an address, oldest first, so that newer ones elsewhere cannot crowd them out. */
export async function findCandidates(
  lookup: Pool,
  emailKey: string,
  organizationId: string | null = null,
): Promise<LoginCandidate[]> {
  return (await lookup.query<LoginCandidate>(selectCandidates, [emailKey, organizationId])).rows;
}

export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** Null unless the provider has verified it. */
  readonly emailKey: string | null;
}

// Each half is answered by an index of its own. Somebody who has been another person of this provider stays that person,
// whoever has the address now.
const selectOfIdentity = `
  select organization_id as "orgId", user_id as "userId", true as "isKnown", created_at as "createdAt"
  from auth.user_account
  where external_subject = $2 and external_issuer = $1 and status <> 'disabled'
    and ($4::uuid is null or organization_id = $4)
  union all
  select organization_id, user_id, false, created_at
  from auth.user_account
  where email_key = $3 and status <> 'disabled' and external_issuer is distinct from $1
    and ($4::uuid is null or organization_id = $4)
  order by "isKnown" desc, "createdAt", "userId"
  limit ${2 * maxCandidates}`;

/** Users that are this person of an identity provider, or may become it by their address; one of each organization. */
export async function findByIdentity(
  lookup: Pool,
  { issuer, subject, emailKey }: Identity,
  organizationId: string | null = null,
): Promise<FoundUser[]> {
  const { rows } = await lookup.query<FoundUser>(selectOfIdentity, [issuer, subject, emailKey, organizationId]);
  const ofOrganization = new Map<OrgId, FoundUser>();
  for (const { orgId, userId } of rows) if (!ofOrganization.has(orgId)) ofOrganization.set(orgId, { orgId, userId });
  return [...ofOrganization.values()];
}

export interface FoundSession extends SessionState {
  readonly sessionId: string;
  readonly user: User;
}

// The statement of every request of the dashboard.
const selectSession = `
  select ${sessionColumns}, ${userColumns}
  from auth.user_session s
  join auth.user_account u on u.organization_id = s.organization_id and u.user_id = s.user_id
  where (s.token_hash = $1 or s.previous_hash = $1) and u.status = 'active'`;

/** The session that has, or had, this token. */
export async function findSession(lookup: Pool, tokenHash: Buffer): Promise<FoundSession | undefined> {
  const row = (await lookup.query<SessionState & User & { readonly sessionId: string }>(selectSession, [tokenHash]))
    .rows[0];
  return row && { ...row, user: row };
}

export interface FoundUser {
  readonly orgId: OrgId;
  readonly userId: string;
}

/** Whose login waits for a code. */
export async function findChallenge(lookup: Pool, tokenHash: Buffer): Promise<FoundUser | undefined> {
  const sql = `select organization_id as "orgId", user_id as "userId" from auth.login_challenge where token_hash = $1`;
  return (await lookup.query<FoundUser>(sql, [tokenHash])).rows[0];
}

/** Whose link this is. */
export async function findLink(
  lookup: Pool,
  tokenHash: Buffer,
  purpose: LinkPurpose,
  now: Date,
): Promise<FoundUser | undefined> {
  const sql = `select organization_id as "orgId", user_id as "userId" from auth.user_link
    where token_hash = $1 and purpose = $2 and expires_at > $3`;
  return (await lookup.query<FoundUser>(sql, [tokenHash, purpose, now])).rows[0];
}
