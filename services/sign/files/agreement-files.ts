import { randomUUID } from "node:crypto";
import { type BlobStore, sha256Of } from "#platform/blobs/blob-store.ts";
import type { Tenant } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { SealedColumn } from "#platform/master-keys/reseal.ts";
import { newSeed } from "#platform/vault/sealed-box.ts";
import { createFileOpener, headerBytes, pieceBytes, SealedFileError, sealFile } from "#platform/vault/sealed-file.ts";
import type { RecordName, SeedVault } from "#platform/vault/seed-vault.ts";
import type { StoredFile } from "../agreement/agreement.ts";
import type { Parameter, Write } from "../agreement/agreement-columns.ts";

/** What the files of one agreement are sealed with. */
export interface FileKey {
  /** UUID. */
  readonly id: string;
  readonly key: Buffer;
}

/** The files of agreements: sealed under a key of their agreement, so that without it they are gone wherever copies are. */
export interface AgreementFiles {
  /** Undefined when the agreement has none yet. Throws DOCUMENT_ERASED when it is gone. */
  findKey(tenant: Tenant, agreementId: string): Promise<FileKey | undefined>;
  /** A key for an agreement that has none, with the write that stores it; the agreement must be stored by then. */
  newKey(orgId: OrgId, agreementId: string): { readonly key: FileKey; readonly write: Write };
  /** Stores the file in the transaction, once within its agreement. Throws when the bytes are not those of its hash. */
  put(tenant: Tenant, agreementId: string, key: FileKey, file: StoredFile, bytes: Uint8Array): Promise<void>;
  /** The file in clear. Throws DOCUMENT_ERASED, and DOCUMENT_DAMAGED when it is not what was stored. */
  read(tenant: Tenant, agreementId: string, file: StoredFile): Promise<Buffer>;
  /** Lets go of a file; does nothing when there is none. */
  release(tenant: Tenant, fileId: string): Promise<void>;
  /** Deletes the key for ever, and with it every copy of every file. The agreement gets no other one. */
  eraseKey(tenant: Tenant, agreementId: string): Promise<void>;
}

export interface AgreementFilesOptions {
  /** Of the schema sign, with what older releases have stored in clear. */
  readonly blobs: Pick<BlobStore, "putSealed" | "release">;
  readonly vault: SeedVault;
  readonly logger: Logger;
}

export function createAgreementFiles({ blobs, vault, logger }: AgreementFilesOptions): AgreementFiles {
  const openKey = (orgId: OrgId, agreementId: string, { id, seed }: KeyRow): FileKey => {
    if (seed === null) throw new DomainError("DOCUMENT_ERASED");
    try {
      return { id, key: vault.unwrapSeed(keyName(orgId, agreementId, id), seed) };
    } catch (err) {
      logger.error({ err, orgId, agreementId }, "no master key opens the key of the files of an agreement");
      throw new DomainError("SERVICE_UNAVAILABLE", { cause: err });
    }
  };
  return {
    findKey: async ({ orgId, client }, agreementId) => {
      const { rows } = await client.query<KeyRow>({ ...findKeySql, values: [orgId, agreementId] });
      return rows[0] && openKey(orgId, agreementId, rows[0]);
    },
    newKey: (orgId, agreementId) => {
      const key = { id: randomUUID(), key: newSeed() };
      const seed = vault.wrapSeed(keyName(orgId, agreementId, key.id), key.key);
      const text = (parameter: Parameter) => `insert into sign.file_key (organization_id, agreement_id, id, seed)
        values (${[orgId, agreementId, key.id].map((id) => `${parameter(id)}::uuid`).join(", ")}, ${parameter(seed)}::bytea)`;
      return { key, write: { name: "key", text } };
    },
    put: async (tenant, agreementId, key, { id, sha256 }, bytes) => {
      if (!sha256Of(bytes).equals(sha256)) throw new Error(`the bytes of file ${id} are not those that were checked`);
      const sealed = await sealFile({ keyId: key.id, key: key.key, sha256 }, bytes);
      const name = vault.fileName({ organizationId: tenant.orgId, recordId: agreementId }, sha256);
      await blobs.putSealed(tenant, id, sealed, name);
    },
    read: async (tenant, agreementId, file) => {
      const { orgId, client } = tenant;
      const values = [orgId, agreementId, file.id, headerBytes + pieceBytes];
      const [row] = (await client.query<FileRow>({ ...readSql, values })).rows;
      const key = row?.keyId ? openKey(orgId, agreementId, { id: row.keyId, seed: row.seed }) : undefined;
      try {
        if (!row?.piece) throw new SealedFileError("its bytes are missing");
        return await readWhole(tenant, row as StoredRow, key && { keyId: key.id, key: key.key, sha256: file.sha256 });
      } catch (err) {
        if (!(err instanceof SealedFileError)) throw err;
        logger.error({ err, orgId, agreementId, fileId: file.id }, "a stored file is damaged");
        throw new DomainError("DOCUMENT_DAMAGED", { cause: err });
      }
    },
    release: (tenant, fileId) => blobs.release(tenant, fileId),
    eraseKey: async ({ orgId, client }, agreementId) => {
      await client.query(eraseKeySql, [orgId, agreementId, randomUUID()]);
    },
  };
}

/** Names a key for its vault. */
const keyName = (organizationId: string, agreementId: string, keyId: string): RecordName => ({
  organizationId,
  recordId: `${agreementId}/files/${keyId}`,
});

interface KeyRow {
  readonly id: string;
  /** Wrapped; null once it was erased. */
  readonly seed: Buffer | null;
}

interface FileRow {
  readonly keyId: string | null;
  readonly seed: Buffer | null;
  readonly name: Buffer | null;
  readonly isSealed: boolean | null;
  readonly size: number | null;
  readonly piece: Buffer | null;
}
type StoredRow = { readonly [member in keyof FileRow]: NonNullable<FileRow[member]> };
type Seal = Parameters<typeof createFileOpener>[0];

/** Reads piece by piece and opens each where it lies, so that a large file is in memory once. */
async function readWhole({ orgId, client }: Tenant, row: StoredRow, seal: Seal | undefined): Promise<Buffer> {
  const { name, isSealed, size, piece } = row;
  if (isSealed && seal === undefined) throw new SealedFileError("its agreement has no key");
  // Files stored by older releases are not encrypted until the background worker reaches them.
  const opener =
    isSealed && seal ? createFileOpener(seal, piece, size) : { bytes: size, open: (part: Buffer): Buffer => part };
  const first = isSealed ? opener.open(piece.subarray(headerBytes), headerBytes) : piece;
  if (piece.length === size) return first;
  const whole = Buffer.allocUnsafe(opener.bytes);
  let filled = first.copy(whole);
  for (let offset = piece.length; offset < size; offset += pieceBytes) {
    const values = [orgId, name, offset + 1, pieceBytes];
    const { rows } = await client.query<{ piece: Buffer }>({ ...readPieceSql, values });
    if (rows[0] === undefined) throw new SealedFileError("its bytes are missing");
    filled += opener.open(rows[0].piece, offset).copy(whole, filled);
  }
  return whole;
}

const findKeySql = {
  name: "sign-find-file-key",
  text: "select id, seed from sign.file_key where organization_id = $1 and agreement_id = $2",
};

/** One row in any case: an agreement may have a key without files, or files in clear without a key. */
const readSql = {
  name: "sign-read-file",
  text: `select k.id as "keyId", k.seed, b.sha256 as name, b.is_sealed as "isSealed", octet_length(b.bytes) as size,
      substring(b.bytes from 1 for $4) as piece
    from (select $1::uuid as organization_id) o
    left join sign.file_key k on k.organization_id = o.organization_id and k.agreement_id = $2
    left join (sign.blob_reference r join sign.blob b on b.organization_id = r.organization_id and b.sha256 = r.sha256)
      on r.organization_id = o.organization_id and r.owner_id = $3`,
};

const readPieceSql = {
  name: "sign-read-file-piece",
  text: "select substring(bytes from $3 for $4) as piece from sign.blob where organization_id = $1 and sha256 = $2",
};

const eraseKeySql = `insert into sign.file_key (organization_id, agreement_id, id) values ($1, $2, $3)
  on conflict (organization_id, agreement_id) do update set seed = null`;

/** Keys are wrapped anew when the master key is replaced. */
export const fileKeyColumn = (vault: SeedVault): SealedColumn => ({
  table: "sign.file_key",
  column: "seed",
  key: { organization_id: "uuid", agreement_id: "uuid" },
  select: 't.organization_id as "orgId", t.agreement_id as "agreementId", t.id',
  reseal: ({ orgId, agreementId, id }: { orgId: OrgId; agreementId: string; id: string }, wrapped) =>
    vault.rewrappedSeed(keyName(orgId, agreementId, id), wrapped),
});
