import { type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { AuditAction } from "#api/audit-actions.ts";
import { recordsOf } from "#api/records.ts";
import { ExportKind, ExportSchema, type ExportService, ExportStatus } from "#gen/assent/auth/v1/exports_pb.ts";
import {
  AcceptanceFormat,
  type AcceptancesToExport,
  AcceptancesToExportSchema,
} from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { type Caller, callerHeaders, requireCaller } from "#platform/caller.ts";
import { unknownCursor } from "#platform/cursor.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError, type ErrorCode, fromConnectError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { refusedField } from "#platform/problems.ts";
import { newSeed } from "#platform/vault/sealed-box.ts";
import type { SeedVault } from "#platform/vault/seed-vault.ts";
import { auditEntry } from "../logins/audit-entry.ts";
import type { AuthDeps } from "../rpc/deps.ts";
import { addAudit } from "../store/audit-store.ts";
import { findUser } from "../store/user-store.ts";
import { createExportSeal, seedName } from "./export-seal.ts";
import {
  findExport,
  findExportByKey,
  insertExport,
  listExports,
  listFiles,
  readPiece,
  type StoredExport,
} from "./export-store.ts";
import { soughtPerson } from "./person.ts";

export interface ExportDeps extends Pick<AuthDeps, "people" | "holders" | "clock" | "newId"> {
  readonly vault: SeedVault;
  /** There may be an export to make. */
  wakeExports(): void;
}

const usualLimit = 100;

type Handlers = Pick<
  ServiceImpl<typeof ExportService>,
  "createExport" | "getExport" | "listExports" | "openExport" | "readExportFile"
>;

export const exportHandlers = (deps: ExportDeps): Handlers => ({
  async createExport({ email, userRef, organization, acceptances, idempotencyKey }, context) {
    const caller = requireCaller(context);
    const { orgId, clientId: createdBy, requestId } = caller;
    const { vault, clock } = deps;
    requireWanted(acceptances);
    const person = soughtPerson({ email, userRef });
    const hashed = (kind: string, text: string): Buffer => vault.subjectIndex(orgId, `export ${kind}:${text}`);
    const kind = acceptances ? "acceptances" : organization ? "organization" : "person";
    const format = acceptances ? formatOf(acceptances) : null;
    const about = JSON.stringify(acceptances ? toJson(AcceptancesToExportSchema, acceptances) : person);
    const asked = acceptances ? about : JSON.stringify([person.email.toLowerCase(), userRef]);
    const requestHash = hashed(kind, asked);
    const keyHash = idempotencyKey === "" ? null : hashed("key", idempotencyKey);
    // What was asked for before is answered, whatever has become of its template since.
    const isNew =
      keyHash === null ||
      (await withOrg(deps.people, orgId, (tenant) => findExportByKey(tenant, keyHash))) === undefined;
    if (isNew && acceptances !== undefined) await requireKnown(deps, caller, acceptances);
    const id = deps.newId();
    const seed = newSeed();
    const made = await withOrg(deps.people, orgId, async (tenant) => {
      const isNew = await insertExport(tenant, {
        ...{ id, kind, format, keyHash, requestHash, createdBy, requestId, createdAt: clock.now() },
        seed: vault.wrapSeed(seedName(orgId, id), seed),
        sealedPerson: createExportSeal(id, seed).sealText(about),
      });
      if (isNew) await note(deps, tenant, caller, "export.requested", id, { kind });
      return isNew || keyHash === null ? findExport(tenant, id) : findExportByKey(tenant, keyHash);
    });
    if (made === undefined) throw new Error(`the export ${id} was not stored`);
    if (!made.requestHash.equals(requestHash)) throw new DomainError("IDEMPOTENCY_KEY_REUSED");
    deps.wakeExports();
    return { export: messageOf(made) };
  },

  async getExport({ id }, context) {
    const { orgId } = requireCaller(context);
    return { export: messageOf(await withOrg(deps.people, orgId, (tenant) => requireExport(tenant, id))) };
  },

  async listExports({ limit, cursor }, context) {
    const { orgId } = requireCaller(context);
    if (cursor !== "" && !isUuid(cursor)) throw unknownCursor();
    const size = limit || usualLimit;
    const page = { before: cursor || null, limit: size + 1 };
    const found = await withOrg(deps.people, orgId, (tenant) => listExports(tenant, page));
    const shown = found.slice(0, size);
    return { exports: shown.map(messageOf), nextCursor: found.length > size ? (shown.at(-1)?.id ?? "") : "" };
  },

  openExport({ id, part, looksOnly }, context) {
    const caller = requireCaller(context);
    return withFiles(deps, caller, id, async (tenant, found) => {
      const isText = found.kind === "acceptances";
      // Without a single receipt there is no file, but an empty text.
      if (part > (isText ? 1 : found.parts)) throw new DomainError("EXPORT_NOT_FOUND");
      // A text may have more files than fit into an answer; all of them are read one after the other.
      const files = isText ? [] : await listFiles(tenant, found.id, part);
      if (!looksOnly) await note(deps, tenant, caller, "export.downloaded", found.id, { count: String(part) });
      return {
        export: messageOf(found),
        files: files.map(({ number, path, bytes, crc32 }) => ({
          ...{ number, path, bytes: BigInt(bytes), crc32: Number(crc32) },
        })),
      };
    });
  },

  readExportFile({ id, number, piece }, context) {
    const caller = requireCaller(context);
    return withFiles(deps, caller, id, async (tenant, found) => {
      const row = await readPiece(tenant, found.id, { number, piece });
      if (row === undefined || found.seed === null) throw new DomainError("EXPORT_NOT_FOUND");
      const seal = createExportSeal(found.id, deps.vault.unwrapSeed(seedName(caller.orgId, found.id), found.seed));
      const file = { ...row, sealedBytes: Number(row.sealedBytes) };
      return { content: seal.openPiece(file, piece, row.sealed), isLast: row.isLast };
    });
  },
});

/** Timestamps have the years 1 to 9999. */
const [firstSecond, lastSecond] = [-62_135_596_800n, 253_402_300_799n];

/** Throws VALIDATION_FAILED for times that have no form in JSON, and for a revision of no version. */
function requireWanted(acceptances: AcceptancesToExport | undefined): void {
  const details = (["from", "to"] as const).flatMap((name) => {
    const { seconds } = acceptances?.[name] ?? { seconds: 0n };
    if (seconds >= firstSecond && seconds <= lastSecond) return [];
    return [{ field: `acceptances.${name}`, code: "RANGE", message: "must be between the years 1 and 9999" }];
  });
  if (acceptances?.revision !== undefined && acceptances.versionId === undefined) {
    const message = "is required with revision: each version counts its own revisions";
    details.push({ field: "acceptances.versionId", code: "REQUIRED", message });
  }
  if (details.length > 0) throw new DomainError("VALIDATION_FAILED", { details });
}

/** For so long, in milliseconds, it is waited for what another service says. */
const answerMs = 3_000;

const optionsOf = (caller: Caller) => ({ headers: callerHeaders(caller), timeoutMs: answerMs });

/** Throws VALIDATION_FAILED for a template that the organization does not have. */
export async function requireTemplate(
  { holders }: ExportDeps,
  caller: Caller,
  templateId: string | null,
  field: string,
): Promise<void> {
  if (templateId === null) return;
  const found = holders.texts.getTemplate({ templateId }, optionsOf(caller));
  await requireFound(found, "CLICK_TEMPLATE_NOT_FOUND", field, "must be a template of the organization");
}

/**
 * Throws VALIDATION_FAILED for what the organization does not have: nothing of it could be found, and an empty file
 * would say that nobody has accepted it. What was published of a deleted template is still there.
 */
async function requireKnown(deps: ExportDeps, caller: Caller, wanted: AcceptancesToExport): Promise<void> {
  const { templateId, versionId, revision = 1, campaignId } = wanted;
  const { texts, heads } = deps.holders;
  await requireTemplate(deps, caller, templateId ?? null, "acceptances.templateId");
  if (versionId !== undefined) {
    const named = templateId === undefined ? { versionId } : { versionId, templateId };
    const requireRevision = (number: number, field: string, message: string): Promise<void> => {
      const found = texts.getRevision({ ...named, revision: number }, optionsOf(caller));
      return requireFound(found, "CLICK_VERSION_NOT_FOUND", `acceptances.${field}`, message);
    };
    const whose = templateId === undefined ? "the organization" : "this template";
    await requireRevision(1, "versionId", `must be a version of ${whose} that was published`);
    await requireRevision(revision, "revision", "must be a revision of this version");
  }
  if (campaignId !== undefined) {
    const found = heads.getCampaign({ campaignId }, optionsOf(caller));
    const message = "must be a campaign of the organization";
    await requireFound(found, "CLICK_CAMPAIGN_NOT_FOUND", "acceptances.campaignId", message);
  }
}

async function requireFound(
  found: Promise<unknown>,
  missing: ErrorCode,
  field: string,
  message: string,
): Promise<void> {
  await found.catch((error: unknown) => {
    const code = error instanceof ConnectError ? fromConnectError(error)?.code : undefined;
    if (code !== missing) throw error;
    throw refusedField(field, "NOT_FOUND", message);
  });
}

/** Throws EXPORT_NOT_FOUND. */
async function requireExport(tenant: Tenant, id: string): Promise<StoredExport> {
  const found = await findExport(tenant, id);
  if (found === undefined) throw new DomainError("EXPORT_NOT_FOUND");
  return found;
}

/** Works with an export whose files are there. Throws EXPORT_NOT_READY and EXPORT_EXPIRED as well. */
async function withFiles<T>(
  { people, clock }: ExportDeps,
  caller: Caller,
  id: string,
  work: (tenant: Tenant, found: StoredExport) => Promise<T>,
): Promise<T> {
  return withOrg(people, caller.orgId, async (tenant) => {
    const found = await requireExport(tenant, id);
    const isOver = found.expiresAt !== null && found.expiresAt <= clock.now();
    if (found.status === "expired" || isOver) throw new DomainError("EXPORT_EXPIRED");
    if (found.status !== "completed") throw new DomainError("EXPORT_NOT_READY");
    return work(tenant, found);
  });
}

const userPrefix = "user:";

/** Adds to the audit trail who has done it: a user of the dashboard, or a program. */
export async function note(
  deps: ExportDeps,
  tenant: Tenant,
  { clientId, requestId }: Caller,
  action: AuditAction,
  subjectId: string,
  details: Readonly<Record<string, string>> = {},
): Promise<void> {
  const id = clientId.startsWith(userPrefix) ? clientId.slice(userPrefix.length) : clientId;
  const name = isUuid(id) ? ((await findUser(tenant, id))?.name ?? "") : "";
  const origin = { requestId, ip: "", userAgent: "" };
  const subject = { id: subjectId, name: "" };
  await addAudit(tenant, auditEntry(deps, { action, actor: { id, name }, subject, origin, details }));
}

const kinds = {
  person: ExportKind.PERSON,
  organization: ExportKind.ORGANIZATION,
  acceptances: ExportKind.ACCEPTANCES,
} as const;

export const formats = { csv: AcceptanceFormat.CSV, jsonl: AcceptanceFormat.JSONL } as const;

export const formatOf = ({ format }: Pick<AcceptancesToExport, "format">) =>
  format === AcceptanceFormat.JSONL ? "jsonl" : "csv";

const statuses = {
  pending: ExportStatus.PENDING,
  completed: ExportStatus.COMPLETED,
  failed: ExportStatus.FAILED,
  expired: ExportStatus.EXPIRED,
} as const;

const records = recordsOf(ExportSchema, { kind: kinds, format: formats, status: statuses });

const messageOf = (made: StoredExport): MessageInitShape<typeof ExportSchema> =>
  records.write({ ...made, bytes: BigInt(made.bytes) });
