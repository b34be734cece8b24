import type pg from "pg";
import type { ScheduledKey } from "#platform/key-schedule.ts";

/** What a key signs: render tokens; receipts and all other leaves; or checkpoints. */
export type KeyPurpose = (typeof keyPurposes)[number];

export const keyPurposes = ["render", "receipt", "log"] as const;

/** Keys belong to the service, not to an organization. Pools connect as the service's role (assent_click). */
export interface StoredSigningKey extends ScheduledKey {
  readonly kid: string;
  readonly publicKey: Buffer;
  /** Encrypted. */
  readonly privateKey: Buffer;
  readonly revokedAt: Date | null;
}

/** All keys of a purpose, oldest first. */
export async function listSigningKeys(pool: pg.Pool, purpose: KeyPurpose): Promise<StoredSigningKey[]> {
  const result = await pool.query<StoredSigningKey>(
    `select generation, kid, public_key as "publicKey", private_key as "privateKey", signs_from as "signsFrom",
       revoked_at as "revokedAt"
     from click.signing_key where purpose = $1 order by generation`,
    [purpose],
  );
  return result.rows;
}

/**
 * False when another process has already created this generation; that key is used. Waits for a concurrent
 * insert.
 */
export async function insertSigningKey(
  pool: pg.Pool,
  purpose: KeyPurpose,
  key: Omit<StoredSigningKey, "revokedAt">,
  now: Date,
): Promise<boolean> {
  const { generation, kid, publicKey, privateKey, signsFrom } = key;
  const result = await pool.query(
    `insert into click.signing_key (purpose, generation, kid, public_key, private_key, signs_from, created_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (purpose, generation) do nothing`,
    [purpose, generation, kid, publicKey, privateKey, signsFrom.toISOString(), now.toISOString()],
  );
  return result.rowCount === 1;
}

/** An already revoked key keeps its time of revocation. */
export async function revokeSigningKey(pool: pg.Pool, purpose: KeyPurpose, kid: string, at: Date): Promise<void> {
  await pool.query(
    `update click.signing_key set revoked_at = $3 where purpose = $1 and kid = $2 and revoked_at is null`,
    [purpose, kid, at.toISOString()],
  );
}
