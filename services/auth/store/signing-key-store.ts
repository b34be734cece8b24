import type { Pool } from "pg";
import type { AuthOrm } from "./orm.ts";

export interface StoredSigningKey {
  readonly generation: number;
  readonly kid: string;
  /** Encrypted. */
  readonly privateJwk: Buffer;
  readonly signsFrom: Date;
}

const selectKeys = `
  select generation, kid, private_jwk as "privateJwk", signs_from as "signsFrom"
  from auth.signing_key order by generation`;

/** All keys, oldest first. */
export async function listSigningKeys(lookup: Pool): Promise<StoredSigningKey[]> {
  return (await lookup.query<StoredSigningKey>(selectKeys)).rows;
}

// Waits for a process that inserts the same generation at the same moment and then inserts nothing.
const insertKey = `
  insert into auth.signing_key (generation, kid, private_jwk, signs_from, created_at) values (?, ?, ?, ?, ?)
  on conflict (generation) do nothing`;

/** False when another process has made this generation; its key counts. */
export async function insertSigningKey(orm: AuthOrm, key: StoredSigningKey, now: Date): Promise<boolean> {
  const result: { affectedRows: number } = await orm.em
    .fork()
    .execute(insertKey, [key.generation, key.kid, key.privateJwk, key.signsFrom, now], "run");
  return result.affectedRows === 1;
}
