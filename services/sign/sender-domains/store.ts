import { isUniqueViolation } from "#platform/db/errors.ts";
import { lockInOrganization, type Tenant } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { SealedColumn } from "#platform/master-keys/reseal.ts";
import { decrypt, derivedRing, encrypt, type KeyRing, resealed } from "#platform/secrets.ts";
import type { Findings, Proven, SenderDomain } from "./sender-domain.ts";

/** Whoever adds one waits for whoever does: an organization has a few of them at most. */
export const lockSenderDomains = (tenant: Tenant): Promise<void> => lockInOrganization(tenant, "sign.sender_domain");

const selectSql = `select d.id, d.domain, d.mailbox, d.token, d.selector, d.public_key as "publicKey", d.status, d.findings,
    d.checked_at as "checkedAt", d.verified_at as "verifiedAt", d.created_by as "createdBy", d.created_at as "createdAt"
  from sign.sender_domain d where d.organization_id = $1`;

/** The oldest first: ids are in the order in which they were made. */
export async function listSenderDomains({ orgId, client }: Tenant): Promise<SenderDomain[]> {
  return (await client.query<SenderDomain>(`${selectSql} order by d.id`, [orgId])).rows;
}

export async function findSenderDomain(
  { orgId, client }: Tenant,
  id: string,
  { locked = false } = {},
): Promise<SenderDomain | undefined> {
  const sql = `${selectSql} and d.id = $2${locked ? " for no key update" : ""}`;
  return (await client.query<SenderDomain>(sql, [orgId, id])).rows[0];
}

export async function insertSenderDomain(
  { orgId, client }: Tenant,
  { id, domain, mailbox, token, selector, publicKey, createdBy, createdAt }: SenderDomain,
  sealedKey: Buffer,
): Promise<void> {
  await client.query(
    `insert into sign.sender_domain (organization_id, id, domain, mailbox, token, selector, public_key, private_key,
        status, findings, created_by, created_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, 'pending', '{}', $9, $10)`,
    [orgId, id, domain, mailbox, token, selector, publicKey, sealedKey, createdBy, createdAt],
  );
}

export async function saveCheck(
  { orgId, client }: Tenant,
  { id, status, findings, checkedAt, verifiedAt }: Proven,
): Promise<void> {
  await client.query(
    `update sign.sender_domain set status = $3, findings = $4, checked_at = $5, verified_at = $6
      where organization_id = $1 and id = $2`,
    [orgId, id, status, JSON.stringify(findings satisfies Findings), checkedAt, verifiedAt],
  );
}

/** Whether somebody else has verified the domain: the index that says so is the only thing that looks across organizations. */
export const isTaken = (error: unknown): boolean => isUniqueViolation(error, "sender_domain_verified");

/** False when there is none. */
export async function deleteSenderDomain({ orgId, client }: Tenant, id: string): Promise<boolean> {
  await client.query("delete from sign.job where organization_id = $1 and kind = 'sender-domain' and key = $2", [
    orgId,
    id,
  ]);
  const sql = "delete from sign.sender_domain where organization_id = $1 and id = $2";
  return (await client.query(sql, [orgId, id])).rowCount === 1;
}

/** Whom mails of the organization come from, with what they are signed with. */
export interface VerifiedSender {
  readonly id: string;
  readonly domain: string;
  readonly mailbox: string;
  readonly selector: string;
  readonly sealedKey: Buffer;
}

/** Of the verified ones, the one that was added first. */
export async function readSender({ orgId, client }: Tenant): Promise<VerifiedSender | undefined> {
  const { rows } = await client.query<VerifiedSender>(
    `select id, domain, mailbox, selector, private_key as "sealedKey" from sign.sender_domain
      where organization_id = $1 and status = 'verified' order by sender_domain.id limit 1`,
    [orgId],
  );
  return rows[0];
}

/** What private keys are sealed with. */
export const senderKeysOf = (masterKeys: KeyRing): KeyRing => derivedRing(masterKeys, "assent sign sender domains");

const contextOf = (orgId: OrgId, id: string): string => `${orgId}/${id}`;

export const sealPrivateKey = (keys: KeyRing, orgId: OrgId, id: string, pem: string): Buffer =>
  encrypt(keys[0], pem, contextOf(orgId, id));

/** As PEM. Throws when none of the keys has sealed it, or for another domain. */
export const openPrivateKey = (keys: KeyRing, orgId: OrgId, { id, sealedKey }: VerifiedSender): string =>
  decrypt(keys, sealedKey, contextOf(orgId, id));

export const senderKeyColumn = (masterKeys: KeyRing): SealedColumn => {
  const keys = senderKeysOf(masterKeys);
  return {
    table: "sign.sender_domain",
    column: "private_key",
    key: { organization_id: "uuid", id: "uuid" },
    select: 't.organization_id as "orgId", t.id',
    reseal: ({ orgId, id }: { orgId: OrgId; id: string }, sealed) => resealed(keys, sealed, contextOf(orgId, id)),
  };
};
