import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { Attachment } from "./attachment.ts";

export async function insertAttachment(orgId: OrgId, client: pg.PoolClient, attachment: Attachment): Promise<void> {
  const { id, agreementId, recipientId, tabId, fileName, contentType, bytes, sha256, createdAt } = attachment;
  await client.query(
    `insert into sign.attachment (organization_id, id, agreement_id, recipient_id, tab_id, file_name, content_type,
       bytes, sha256, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [orgId, id, agreementId, recipientId, tabId, fileName, contentType, bytes, sha256, createdAt],
  );
}

/** What the recipients of an agreement have attached, in the order in which they did. */
export async function listAttachments(
  orgId: OrgId,
  client: pg.PoolClient,
  agreementId: string,
): Promise<readonly Attachment[]> {
  const { rows } = await client.query<Attachment>(
    `select ${columns} from sign.attachment where organization_id = $1 and agreement_id = $2 order by created_at, id`,
    [orgId, agreementId],
  );
  return rows;
}

/** Undefined when nobody has attached it to this agreement. */
export async function findAttachment(
  orgId: OrgId,
  client: pg.PoolClient,
  agreementId: string,
  id: string,
): Promise<Attachment | undefined> {
  const { rows } = await client.query<Attachment>(
    `select ${columns} from sign.attachment where organization_id = $1 and agreement_id = $2 and id = $3`,
    [orgId, agreementId, id],
  );
  return rows[0];
}

const columns = `id, agreement_id as "agreementId", recipient_id as "recipientId", tab_id as "tabId",
  file_name as "fileName", content_type as "contentType", bytes, sha256, created_at as "createdAt"`;
