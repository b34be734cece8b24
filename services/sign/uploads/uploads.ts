import { createHash, randomUUID } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { sha256Of } from "#platform/blobs/blob-store.ts";
import { requireCaller } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { maxDocumentBytes } from "#platform/document-bounds.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { newSeed } from "#platform/vault/sealed-box.ts";
import { createFileOpener, headerBytes, sealFile } from "#platform/vault/sealed-file.ts";
import { invalid, problem } from "../agreement/problems.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";
import * as store from "./upload-store.ts";

type UploadDeps = Pick<SignDeps, "pool" | "vault" | "clock" | "newId">;
type Handlers = SignRpcs<`${"create" | "commit" | "get" | "delete"}Upload` | "putUploadPart">;

/** What one organization may have at a time: room for four of the largest files, or for many small ones. */
const maxUploads = 100;
const maxUploadedBytes = 4 * maxDocumentBytes;
const maxPartBytes = 5 * 1024 * 1024;
const livesMs = 24 * 60 * 60_000;

export const uploads = (deps: UploadDeps): Handlers => ({
  async createUpload({ content }, context) {
    const { orgId } = requireCaller(context);
    requireSize(content);
    const id = deps.newId();
    const [keyId, seed] = [randomUUID(), newSeed()];
    const sealed = await sealPart({ keyId, key: seed }, content);
    return within(deps, orgId, async (tenant, now) => {
      await store.lockUploads(tenant);
      const { uploads: known, bytes } = await store.countUploads(tenant, now);
      if (known >= maxUploads || bytes + content.length > maxUploadedBytes)
        throw new DomainError("UPLOAD_LIMIT_REACHED");
      const expiresAt = new Date(now.getTime() + livesMs);
      await store.insertUpload(tenant, {
        id,
        keyId,
        seed: deps.vault.wrapSeed(store.uploadKeyName(orgId, id), seed),
        expiresAt,
      });
      await store.insertPart(tenant, id, { sequence: 0, ...sealed });
      return requireUpload(tenant, id, now);
    });
  },

  async putUploadPart({ uploadId, sequence, content }, context) {
    const { orgId } = requireCaller(context);
    requireSize(content);
    const id = uploadId.toLowerCase();
    const upload = await withOrg(deps.pool, orgId, (tenant) => requireUpload(tenant, id, deps.clock.now()));
    const sealed = await sealPart(keyOf(deps, orgId, upload), content);
    return within(deps, orgId, async (tenant, now) => {
      await store.lockUploads(tenant);
      const { parts, sha256 } = await requireUpload(tenant, id, now, { lock: true });
      const same = parts.find((part) => part.sequence === sequence);
      // Sent again after an answer was lost.
      if (same?.sha256 === sealed.sha256.toString("hex")) return requireUpload(tenant, id, now);
      if (sha256 !== null) throw invalid(problem("uploadId", "NOT_ALLOWED", "is committed, and takes no more parts"));
      if (same !== undefined) throw invalid(problem("sequence", "DUPLICATE", "names a part that has other bytes"));
      const { bytes } = await store.countUploads(tenant, now);
      if (sizeOf(parts) + content.length > maxDocumentBytes) throw new DomainError("DOCUMENT_TOO_LARGE");
      if (bytes + content.length > maxUploadedBytes) throw new DomainError("UPLOAD_LIMIT_REACHED");
      await store.insertPart(tenant, id, { sequence, ...sealed });
      return requireUpload(tenant, id, now);
    });
  },

  async commitUpload({ uploadId, sha256: expected }, context) {
    const { orgId } = requireCaller(context);
    const id = uploadId.toLowerCase();
    return within(deps, orgId, async (tenant, now) => {
      const upload = await requireUpload(tenant, id, now, { lock: true });
      const missing = upload.parts.findIndex(({ sequence }, index) => sequence !== index);
      if (missing >= 0)
        throw invalid(problem("parts", "REQUIRED", `must be there without gaps: ${missing} is missing`));
      const sha256 = upload.sha256 ?? (await hashOf(deps, tenant, upload));
      if (expected.length > 0 && !sha256.equals(expected)) {
        throw invalid(problem("checksum", "MISMATCH", "must be the SHA-256 of the whole file, in hex"));
      }
      if (upload.sha256 === null) await store.markCommitted(tenant, id, sha256);
      return { ...upload, sha256 };
    });
  },

  getUpload: ({ uploadId }, context) =>
    within(deps, requireCaller(context).orgId, (tenant, now) => requireUpload(tenant, uploadId.toLowerCase(), now)),

  deleteUpload: ({ uploadId }, context) =>
    within(deps, requireCaller(context).orgId, async (tenant, now) => {
      const upload = await requireUpload(tenant, uploadId.toLowerCase(), now, { lock: true });
      await store.deleteUpload(tenant, upload.id);
      return upload;
    }),
});

/** The whole of a file that was committed. Throws UPLOAD_NOT_FOUND, also for one that is not whole yet. */
export function readUpload(deps: UploadDeps, orgId: OrgId, uploadId: string): Promise<Buffer> {
  return withOrg(deps.pool, orgId, async (tenant) => {
    const upload = await requireUpload(tenant, uploadId.toLowerCase(), deps.clock.now());
    if (upload.sha256 === null) throw new DomainError("UPLOAD_NOT_FOUND");
    const key = keyOf(deps, orgId, upload);
    const parts: Buffer[] = [];
    for (const part of upload.parts) parts.push(await openPart(tenant, upload, part, key));
    return Buffer.concat(parts);
  });
}

async function within(deps: UploadDeps, orgId: OrgId, work: (tenant: Tenant, now: Date) => Promise<store.Upload>) {
  const { id, parts, expiresAt, sha256 } = await withOrg(deps.pool, orgId, (tenant) => work(tenant, deps.clock.now()));
  const whole = { committed: sha256 !== null, ...(sha256 === null ? {} : { sha256 }) };
  return {
    upload: {
      ...{ id, bytes: BigInt(sizeOf(parts)), expiresAt: timestampFromDate(expiresAt), ...whole },
      parts: parts.map(({ sequence, bytes }) => ({ sequence, bytes })),
    },
  };
}

async function requireUpload(tenant: Tenant, id: string, now: Date, options = {}): Promise<store.Upload> {
  const upload = await store.findUpload(tenant, id, now, options);
  if (upload === undefined) throw new DomainError("UPLOAD_NOT_FOUND");
  return upload;
}

function requireSize({ length }: Uint8Array): void {
  if (length > maxPartBytes) throw invalid(problem("data", "TOO_LARGE", "must have at most 5 MB"));
}

const sizeOf = (parts: readonly store.UploadPart[]): number => parts.reduce((sum, { bytes }) => sum + bytes, 0);

interface UploadKey {
  readonly keyId: string;
  readonly key: Buffer;
}

const keyOf = ({ vault }: UploadDeps, orgId: OrgId, { id, keyId, seed }: store.Upload): UploadKey => ({
  keyId,
  key: vault.unwrapSeed(store.uploadKeyName(orgId, id), seed),
});

async function sealPart(key: UploadKey, content: Uint8Array) {
  const sha256 = sha256Of(content);
  return { bytes: content.length, sha256, sealed: await sealFile({ ...key, sha256 }, content) };
}

async function openPart(tenant: Tenant, { id }: store.Upload, part: store.UploadPart, key: UploadKey) {
  const sealed = await store.readPart(tenant, id, part.sequence);
  if (sealed === undefined) throw new DomainError("UPLOAD_NOT_FOUND");
  const seal = { ...key, sha256: Buffer.from(part.sha256, "hex") };
  return createFileOpener(seal, sealed, sealed.length).open(sealed.subarray(headerBytes), headerBytes);
}

async function hashOf(deps: UploadDeps, tenant: Tenant, upload: store.Upload): Promise<Buffer> {
  const key = keyOf(deps, tenant.orgId, upload);
  const hash = createHash("sha256");
  for (const part of upload.parts) hash.update(await openPart(tenant, upload, part, key));
  return hash.digest();
}
