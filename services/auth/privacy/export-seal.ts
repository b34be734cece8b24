import { createHmac, createSecretKey, hash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { OrgId } from "#platform/ids.ts";
import type { SealedColumn } from "#platform/master-keys/reseal.ts";
import { openBox, sealBox } from "#platform/vault/sealed-box.ts";
import { createFileOpener, headerBytes, pieceBytes, sealFile } from "#platform/vault/sealed-file.ts";
import type { RecordName, SeedVault } from "#platform/vault/seed-vault.ts";

/** Names the seed of an export for its vault. */
export const seedName = (organizationId: string, exportId: string): RecordName => ({
  organizationId,
  recordId: `export/${exportId}`,
});

/** Keys are wrapped anew when the master key is replaced. */
export const exportSeedColumn = (vault: SeedVault): SealedColumn => ({
  table: "auth.export",
  column: "seed",
  key: { organization_id: "uuid", id: "uuid" },
  select: 't.organization_id as "orgId", t.id',
  reseal: ({ orgId, id }: { orgId: OrgId; id: string }, wrapped) => vault.rewrappedSeed(seedName(orgId, id), wrapped),
});

/** A file of an export as it is stored. */
export interface SealedExportFile {
  readonly path: string;
  readonly title: Buffer;
  readonly bytes: number;
  readonly crc32: number;
  readonly sha256: Buffer;
  readonly header: Buffer;
  readonly sealedBytes: number;
  readonly pieces: readonly Buffer[];
}

/** Seals and opens what belongs to one export. */
export interface ExportSeal {
  sealText(text: string): Buffer;
  openText(sealed: Buffer): string;
  sealFile(file: { path: string; title: string; content: Uint8Array }): Promise<SealedExportFile>;
  openPiece(file: Pick<SealedExportFile, "header" | "sealedBytes" | "sha256">, piece: number, sealed: Buffer): Buffer;
}

export function createExportSeal(exportId: string, seed: Buffer): ExportSeal {
  const derived = (purpose: string): Buffer => createHmac("sha256", seed).update(`export ${purpose}`).digest();
  const textKey = createSecretKey(derived("texts"));
  const sealOf = (sha256: Buffer) => ({ keyId: exportId, key: derived("files"), sha256 });
  const sealText = (text: string): Buffer => sealBox(textKey, exportId, text);
  return {
    sealText,
    openText: (sealed) => openBox(textKey, exportId, sealed).toString("utf8"),
    sealFile: async ({ path, title, content }) => {
      const sha256 = hash("sha256", content, "buffer");
      const sealed = await sealFile(sealOf(sha256), content);
      const body = sealed.subarray(headerBytes);
      const count = Math.ceil(body.length / pieceBytes);
      return {
        ...{ path, title: sealText(title), bytes: content.length, crc32: crc32(content), sha256 },
        ...{ header: sealed.subarray(0, headerBytes), sealedBytes: sealed.length },
        pieces: Array.from({ length: count }, (_, at) => body.subarray(at * pieceBytes, (at + 1) * pieceBytes)),
      };
    },
    openPiece: ({ header, sealedBytes, sha256 }, piece, sealed) =>
      createFileOpener(sealOf(sha256), header, sealedBytes).open(sealed, headerBytes + piece * pieceBytes),
  };
}
