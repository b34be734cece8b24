import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type DocumentSchema,
  Profile as WireProfile,
  DocumentStatus as WireStatus,
} from "#gen/assent/docgen/v1/docgen_pb.ts";
import { type Document, type DocumentStatus, statusAt } from "../domain/document.ts";
import type { Profile } from "../domain/profile.ts";

/** A document as it is at this time. */
export function documentMessage(document: Document, now: Date): MessageInitShape<typeof DocumentSchema> {
  const { id, templateRef, metadata, failure, completedAt, expiresAt, sha256 } = document;
  const status = statusAt(document, now);
  return {
    id,
    status: wireStatuses[status],
    templateId: document.templateId ?? "",
    version: document.templateVersion ?? 0,
    ...(templateRef === null ? {} : { templateRef: { ...templateRef } }),
    profile: wireProfiles[document.profile],
    fileName: document.fileName,
    locale: document.locale,
    pages: document.pages ?? 0,
    bytes: BigInt(document.bytes ?? 0),
    sha256: sha256 === null || status !== "completed" ? "" : Buffer.from(sha256).toString("hex"),
    warnings: document.warnings.map(({ code, path = "", char = "", message }) => ({ code, path, char, message })),
    ...(failure === null
      ? {}
      : { failure: { errorCode: failure.code, message: failure.message, details: { ...failure.details } } }),
    metadataJson: metadata === null ? "" : JSON.stringify(metadata),
    batchId: document.batchId ?? "",
    createdAt: timestampFromDate(document.createdAt),
    ...(completedAt === null ? {} : { completedAt: timestampFromDate(completedAt) }),
    ...(expiresAt === null ? {} : { expiresAt: timestampFromDate(expiresAt) }),
    renderMs: document.renderMs ?? 0,
  };
}

const wireStatuses: Readonly<Record<DocumentStatus, WireStatus>> = {
  queued: WireStatus.QUEUED,
  rendering: WireStatus.RENDERING,
  completed: WireStatus.COMPLETED,
  failed: WireStatus.FAILED,
  expired: WireStatus.EXPIRED,
  cancelled: WireStatus.CANCELLED,
};

/** Undefined for all of them. */
export const statusFromWire = (status: WireStatus): DocumentStatus | undefined =>
  (Object.keys(wireStatuses) as DocumentStatus[]).find((name) => wireStatuses[name] === status);

const wireProfiles: Readonly<Record<Profile, WireProfile>> = {
  pdf: WireProfile.PDF,
  "pdf/a-2a": WireProfile.PDF_A_2A,
  "pdf/ua-1": WireProfile.PDF_UA_1,
};
