import type { Tenant } from "#platform/db/pool.ts";

/** A key of the compatible interface as it is stored. */
export interface SealedConnectSecret {
  /** UUID. */
  readonly id: string;
  readonly sealed: Buffer;
  readonly createdAt: Date;
}

export async function insertConnectSecret(
  { orgId, client }: Tenant,
  { id, sealed, createdAt }: SealedConnectSecret,
): Promise<void> {
  await client.query(
    "insert into webhooks.connect_secret (organization_id, id, secret, created_at) values ($1, $2, $3, $4)",
    [orgId, id, sealed, createdAt],
  );
}

/** Oldest first: the order of the signatures. */
export async function listSealedConnectSecrets({ orgId, client }: Tenant): Promise<SealedConnectSecret[]> {
  const { rows } = await client.query<SealedConnectSecret>({
    name: "webhooks-list-connect-secrets",
    text: `select id, secret as sealed, created_at as "createdAt"
     from webhooks.connect_secret where organization_id = $1 order by created_at, id`,
    values: [orgId],
  });
  return rows;
}

/** False when there is none. */
export async function deleteConnectSecret({ orgId, client }: Tenant, id: string): Promise<boolean> {
  const { rowCount } = await client.query(
    "delete from webhooks.connect_secret where organization_id = $1 and id = $2",
    [orgId, id],
  );
  return rowCount === 1;
}
