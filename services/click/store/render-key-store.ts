import type pg from "pg";

export interface StoredRenderKey {
  readonly generation: number;
  readonly kid: string;
  readonly publicKey: Buffer;
  /** Encrypted. */
  readonly privateKey: Buffer;
  readonly signsFrom: Date;
}

/** All keys, oldest first. They belong to the service, not to an organization. */
export async function listRenderKeys(pool: pg.Pool): Promise<StoredRenderKey[]> {
  const result = await pool.query<StoredRenderKey>(
    `select generation, kid, public_key as "publicKey", private_key as "privateKey", signs_from as "signsFrom"
     from click.render_key order by generation`,
  );
  return result.rows;
}

/** The public key of a key id in base64url; for evidence, which others must be able to check. */
export async function findPublicKey(client: pg.ClientBase, kid: string): Promise<string | undefined> {
  const result = await client.query<{ publicKey: Buffer }>(
    `select public_key as "publicKey" from click.render_key where kid = $1`,
    [kid],
  );
  return result.rows[0]?.publicKey.toString("base64url");
}

/** False when another process has made this generation; its key counts. Waits for one that makes it at this moment. */
export async function insertRenderKey(pool: pg.Pool, key: StoredRenderKey, now: Date): Promise<boolean> {
  const result = await pool.query(
    `insert into click.render_key (generation, kid, public_key, private_key, signs_from, created_at)
     values ($1, $2, $3, $4, $5, $6) on conflict (generation) do nothing`,
    [key.generation, key.kid, key.publicKey, key.privateKey, key.signsFrom.toISOString(), now.toISOString()],
  );
  return result.rowCount === 1;
}
