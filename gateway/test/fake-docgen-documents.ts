import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import {
  type CreateDocumentRequest,
  type DocgenService,
  type Document,
  DocumentSchema,
  type DocumentSource,
  DocumentStatus,
  Profile,
} from "#gen/assent/docgen/v1/docgen_pb.ts";
import type { Caller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { pageAfter } from "./fake-docgen.ts";

const now = timestampFromDate(new Date("2026-11-20T17:00:00.123Z"));

export interface FakeDocumentsDeps {
  enter(context: HandlerContext): Caller;
  findTemplate(id: string, caller: Caller): { readonly publishedVersion: number };
}

interface Stored {
  readonly organizationId: string;
  readonly document: Document;
  readonly content: Uint8Array;
}

export const rate = { limit: 10, remaining: 7, resetAt: 1_795_194_060n, retryAfterSeconds: 37 };

/** Documents that are finished as soon as somebody waits for them. */
export function createFakeDocuments({ enter, findTemplate }: FakeDocumentsDeps) {
  const stored = new Map<string, Stored>();
  const keys = new Map<string, { hash: string; id: string }>();
  const seen: CreateDocumentRequest[] = [];
  let reads = 0;
  /** How the next documents end, and whether they end while somebody waits. */
  const next: { failure: Document["failure"]; isSlow: boolean } = { failure: undefined, isSlow: false };

  const find = (id: string, caller: Caller): Stored => {
    const found = stored.get(id);
    if (found?.organizationId !== caller.orgId) throw new DomainError("GEN_DOCUMENT_NOT_FOUND");
    return found;
  };
  const add = (caller: Caller, source: DocumentSource | undefined, status: DocumentStatus, batchId = ""): Document => {
    const content = Buffer.from(`%PDF-1.7\n${source?.dataJson ?? ""}\n%%EOF\n`);
    const document = newDocument(source, status, batchId, content);
    stored.set(document.id, { organizationId: caller.orgId, document, content });
    return document;
  };
  const requireTemplate = (source: DocumentSource | undefined, caller: Caller): void => {
    if (source?.templateId === undefined || source.templateId === "") return;
    const { publishedVersion } = findTemplate(source.templateId, caller);
    if (publishedVersion === 0) throw new DomainError("GEN_TEMPLATE_NOT_PUBLISHED");
    if (source.version > publishedVersion) throw new DomainError("GEN_TEMPLATE_NOT_FOUND");
  };

  const handlers = {
    createDocument: (request, context) => {
      const caller = enter(context);
      seen.push(request);
      requireTemplate(request.source, caller);
      const hash = Buffer.from(request.requestHash).toString("hex");
      const known = keys.get(`${caller.orgId} ${request.idempotencyKey}`);
      if (request.idempotencyKey !== "" && known !== undefined) {
        if (known.hash !== hash) throw new DomainError("GEN_IDEMPOTENCY_CONFLICT");
        return { document: find(known.id, caller).document, rate, replayed: true };
      }
      const isDone = request.waitMs > 0 && !next.isSlow;
      const document = add(caller, request.source, isDone ? DocumentStatus.COMPLETED : DocumentStatus.QUEUED);
      if (next.failure !== undefined) {
        Object.assign(document, { status: DocumentStatus.FAILED, failure: next.failure });
      }
      keys.set(`${caller.orgId} ${request.idempotencyKey}`, { hash, id: document.id });
      return { document, rate };
    },
    getDocument: ({ documentId }, context) => ({ document: find(documentId, enter(context)).document }),
    getDocumentContent: ({ documentId }, context) => {
      reads += 1;
      const { document, content } = find(documentId, enter(context));
      if (document.status !== DocumentStatus.COMPLETED) throw new DomainError("GEN_DOCUMENT_NOT_READY");
      return { document, content };
    },
    listDocuments: (request, context) => {
      const { orgId } = enter(context);
      const own = [...stored.values()]
        .filter(({ organizationId }) => organizationId === orgId)
        .map(({ document }) => document)
        .filter(({ status }) => request.status === DocumentStatus.UNSPECIFIED || status === request.status)
        .filter(({ templateId }) => request.templateId === "" || templateId === request.templateId)
        .reverse();
      const { page, hasMore } = pageAfter(own, request);
      return { documents: page, hasMore };
    },
    deleteDocument: ({ documentId }, context) => {
      find(documentId, enter(context));
      stored.delete(documentId);
      return {};
    },
  } satisfies Partial<ServiceImpl<typeof DocgenService>>;
  return {
    handlers,
    stored,
    seen,
    next,
    add,
    requireTemplate,
    /** How often bytes were asked for. */
    get reads() {
      return reads;
    },
  };
}

export type FakeDocuments = ReturnType<typeof createFakeDocuments>;

function newDocument(
  source: DocumentSource | undefined,
  status: DocumentStatus,
  batchId: string,
  content: Uint8Array,
): Document {
  const isDone = status === DocumentStatus.COMPLETED;
  return create(DocumentSchema, {
    id: newId(),
    status,
    templateId: source?.templateId ?? "",
    version: source?.templateRef === undefined ? 1 : 0,
    templateRef: source?.templateRef,
    profile: source?.output?.profile || Profile.PDF,
    fileName: source?.output?.fileName || "Offer.pdf",
    locale: source?.locale || "en",
    metadataJson: source?.metadataJson ?? "",
    batchId,
    createdAt: now,
    ...(isDone
      ? {
          pages: 1,
          bytes: BigInt(content.length),
          sha256: createHash("sha256").update(content).digest("hex"),
          completedAt: now,
          renderMs: 29,
          warnings: [{ code: "missing_glyph", path: "data.name", char: "U+6C49", message: "no font has it" }],
        }
      : {}),
  });
}
