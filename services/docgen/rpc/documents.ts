import type { MessageInitShape } from "@bufbuild/protobuf";
import { nameReader, recordsOf } from "#api/records.ts";
import {
  AssetSchema,
  DocumentSchema,
  type FindingSchema,
  Format,
  TemplateSchema,
  Profile as WireProfile,
  DocumentStatus as WireStatus,
} from "#gen/assent/docgen/v1/docgen_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { shareHolds } from "#platform/db/hold-marks.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import type { Asset } from "../domain/asset.ts";
import { type Document, type DocumentStatus, hasEnded, statusAt } from "../domain/document.ts";
import type { Profile } from "../domain/page.ts";
import { invalid, problem } from "../domain/problems.ts";
import type { Template } from "../domain/template.ts";
import {
  deleteDocument as deleteLocked,
  findDocument,
  type LockedDocument,
  lockDocument,
  pageOfDocuments,
} from "../store/document-store.ts";
import { noteItemsEnded } from "../store/finish-store.ts";
import { schema } from "../store/orm.ts";
import type { ListedTemplate } from "../store/template-store.ts";
import { returnSlots } from "../store/usage-store.ts";
import type { Finding, TemplateSource } from "../templating/template-source.ts";
import type { DocgenDeps, DocgenRpcs } from "./deps.ts";

type Deps = Pick<DocgenDeps, "pool" | "blobs" | "workLoop" | "clock" | "newId" | "wakeRelay">;

export const deleteDocument = (deps: Deps): DocgenRpcs<"deleteDocument"> => ({
  async deleteDocument(request, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const id = canonicalId(request.documentId);
    const now = deps.clock.now();
    const isDeleted = await withOrg(deps.pool, orgId, async (tenant) => {
      await shareHolds(tenant, schema, request.holdMark);
      return removeDocument(deps, tenant, { caller, id, now });
    });
    if (!isDeleted) throw new DomainError("GEN_DOCUMENT_NOT_FOUND");
    deps.workLoop.drop(id);
    deps.wakeRelay();
    return {};
  },
});

/** Deletes a document with its data and its bytes; false when there is none any more. */
export async function removeDocument(
  { blobs, newId }: Pick<DocgenDeps, "blobs" | "newId">,
  tenant: Tenant,
  { caller, id, now }: { readonly caller: Caller; readonly id: string; readonly now: Date },
): Promise<boolean> {
  const document = await lockDocument(tenant, id);
  if (document === undefined) return false;
  await deleteLocked(tenant, id, now);
  if (document.status === "completed") await blobs.release(tenant, id);
  await giveBackSlots(tenant, document);
  if (document.batchId !== null && !hasEnded(document)) {
    const counts = { completed: 0, failed: 0, cancelled: 1 };
    const event = { caller, eventId: newId(), now };
    await insertOutbox(tenant.client, schema, await noteItemsEnded(tenant, document.batchId, counts, event));
  }
  return true;
}

/** Only for a document that was never started; the row is locked, so it happens once. */
async function giveBackSlots(tenant: Tenant, document: LockedDocument): Promise<void> {
  const { status, slot, hourStart, minuteStart } = document;
  if (status !== "queued" || slot !== "taken" || hourStart === null) return;
  await returnSlots(tenant, { hourStart, ...(minuteStart === null ? {} : { minuteStart }) });
}

export const getDocument = (deps: Pick<DocgenDeps, "pool" | "clock">): DocgenRpcs<"getDocument"> => ({
  async getDocument(request, context) {
    const { orgId } = requireCaller(context);
    const id = canonicalId(request.documentId);
    const document = await withOrg(deps.pool, orgId, (tenant) => findDocument(tenant, id));
    if (document === undefined || document.deletedAt !== null) throw new DomainError("GEN_DOCUMENT_NOT_FOUND");
    return { document: documentMessage(document, deps.clock.now()) };
  },
});

export const getDocumentContent = (
  deps: Pick<DocgenDeps, "pool" | "blobs" | "clock">,
): DocgenRpcs<"getDocumentContent"> => ({
  async getDocumentContent(request, context) {
    const { orgId } = requireCaller(context);
    const id = canonicalId(request.documentId);
    const now = deps.clock.now();
    return withOrg(deps.pool, orgId, async (tenant) => {
      const document = await findDocument(tenant, id);
      const sha256 = requireReady(document, now);
      const content = await deps.blobs.read(tenant, sha256);
      // It was deleted, or has expired, since the document was read.
      if (document === undefined || content === undefined) throw new DomainError("GEN_DOCUMENT_NOT_FOUND");
      return { document: documentMessage(document, now), content };
    });
  },
});

/** The hash of the bytes, when there are any. */
function requireReady(document: Document | undefined, now: Date): Uint8Array {
  if (document === undefined || document.deletedAt !== null) throw new DomainError("GEN_DOCUMENT_NOT_FOUND");
  const status = statusAt(document, now);
  if (status === "completed" && document.sha256 !== null) return document.sha256;
  // A failed document will never be ready, but its failure can be read.
  if (!hasEnded(document) || status === "failed") throw new DomainError("GEN_DOCUMENT_NOT_READY");
  throw new DomainError("GEN_DOCUMENT_NOT_FOUND");
}

export const listDocuments = (deps: Pick<DocgenDeps, "pool" | "clock">): DocgenRpcs<"listDocuments"> => ({
  async listDocuments(request, context) {
    const { orgId } = requireCaller(context);
    const { pageSize, templateId } = request;
    const afterId = parseAfterId(request.afterId);
    // No document can exist for an impossible template id.
    if (templateId !== "" && !isUuid(templateId)) return { documents: [], hasMore: false };
    const now = deps.clock.now();
    const query = {
      afterId,
      limit: pageSize + 1,
      status: documentStatusOf(request.status),
      templateId: templateId === "" ? undefined : canonicalId(templateId),
      now,
    };
    const found = await withOrg(deps.pool, orgId, (tenant) => pageOfDocuments(tenant, query));
    const page = found.slice(0, pageSize);
    return { documents: page.map((document) => documentMessage(document, now)), hasMore: found.length > page.length };
  },
});

const statuses = {
  queued: WireStatus.QUEUED,
  rendering: WireStatus.RENDERING,
  completed: WireStatus.COMPLETED,
  failed: WireStatus.FAILED,
  expired: WireStatus.EXPIRED,
  cancelled: WireStatus.CANCELLED,
} as const satisfies Record<DocumentStatus, WireStatus>;

const profiles = {
  pdf: WireProfile.PDF,
  "pdf/a-2a": WireProfile.PDF_A_2A,
  "pdf/ua-1": WireProfile.PDF_UA_1,
} as const satisfies Record<Profile, WireProfile>;

/** Undefined for all of them. */
export const documentStatusOf = nameReader(statuses);
const documents = recordsOf(DocumentSchema, { status: statuses, profile: profiles });

/** A document as it is at this time. */
export function documentMessage(document: Document, now: Date): MessageInitShape<typeof DocumentSchema> {
  const { failure, metadata, sha256 } = document;
  const status = statusAt(document, now);
  return documents.write({
    ...document,
    status,
    version: document.templateVersion,
    sha256: sha256 && status === "completed" ? Buffer.from(sha256).toString("hex") : "",
    failure: failure && { errorCode: failure.code, message: failure.message, details: failure.details },
    metadataJson: metadata && JSON.stringify(metadata),
  });
}

export type TemplateInit = MessageInitShape<typeof TemplateSchema>;

const formats = { html: Format.HTML, markdown: Format.MARKDOWN, docx: Format.DOCX } as const satisfies Record<
  TemplateSource["format"],
  Format
>;
const templates = recordsOf(TemplateSchema, { format: formats });
const assets = recordsOf(AssetSchema);

/** A template as lists have it: without its texts. */
export const listedTemplateMessage = (template: ListedTemplate, hasChanges: boolean): TemplateInit =>
  templates.write({ ...template, hasChanges });

/** A template with its texts. */
export const templateMessage = ({ sampleData, ...template }: Template, hasChanges: boolean): TemplateInit =>
  templates.write({ ...template, hasChanges, sampleDataJson: sampleData && JSON.stringify(sampleData) });

export const assetMessage = ({ sha256, ...asset }: Asset): MessageInitShape<typeof AssetSchema> =>
  assets.write({ ...asset, sha256: Buffer.from(sha256).toString("hex") });

export const findingMessage = (finding: Finding): MessageInitShape<typeof FindingSchema> => {
  const { code, message, line, column, path = "", expected = "" } = finding;
  return { code, message, line, column, path, expected };
};

const formatOf = nameReader(formats);

/** The proto's rules let nothing else through. */
export const formatFromWire = (format: Format): TemplateSource["format"] => formatOf(format) ?? "html";

/** The id after which a page continues; undefined for the first page. */
export function parseAfterId(text: string): string | undefined {
  if (text === "") return undefined;
  if (!isUuid(text)) throw invalid(problem("afterId", "INVALID_CURSOR", "must be the id of the last item of a page"));
  return text.toLowerCase();
}

/** As the database writes it; the proto's rules let nothing but UUIDs through. */
export const canonicalId = (id: string): string => id.toLowerCase();
