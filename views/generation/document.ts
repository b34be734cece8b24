import {
  type BatchItem,
  type Document,
  DocumentStatus,
  type Failure,
  Profile,
  type TemplateRef,
  type Warning,
} from "#gen/assent/docgen/v1/docgen_pb.ts";
import { isErrorCode } from "#platform/errors.ts";
import { enumName, isoTime } from "../scalars.ts";
import { factsOf, genErrorName } from "./error-facts.ts";

export const documentView = (document: Document) => ({
  id: document.id,
  status: statusName(document.status),
  templateId: orNull(document.templateId),
  version: document.version === 0 ? null : document.version,
  templateRef: templateRefView(document.templateRef),
  output: { profile: profileName(document.profile), fileName: document.fileName },
  locale: document.locale,
  pages: document.pages,
  bytes: Number(document.bytes),
  sha256: orNull(document.sha256),
  contentUrl: contentUrlOf(document),
  warnings: document.warnings.map(warningView),
  error: failureView(document.failure),
  metadata: document.metadataJson === "" ? {} : JSON.parse(document.metadataJson),
  batchId: orNull(document.batchId),
  createdAt: isoTime(document.createdAt),
  completedAt: isoTime(document.completedAt),
  expiresAt: isoTime(document.expiresAt),
  renderMs: document.renderMs,
});

/** What became of one item of a batch. */
export function itemView({ index, ref, document }: BatchItem) {
  return {
    index,
    ref: orNull(ref),
    status: statusName(document?.status ?? 0),
    documentId: orNull(document?.id ?? ""),
    pages: document?.pages ?? 0,
    bytes: Number(document?.bytes ?? 0),
    sha256: orNull(document?.sha256 ?? ""),
    contentUrl: document === undefined ? null : contentUrlOf(document),
    warnings: (document?.warnings ?? []).map(warningView),
    error: failureView(document?.failure),
  };
}

const orNull = (text: string): string | null => (text === "" ? null : text);

const statusName = (status: DocumentStatus): string | null =>
  enumName(DocumentStatus as unknown as Record<string, number>, status)?.toLowerCase() ?? null;

/** Statuses by the names that queries have. */
export const statusOf = (name: string | undefined): DocumentStatus =>
  name === undefined ? DocumentStatus.UNSPECIFIED : (statuses[name] ?? DocumentStatus.UNSPECIFIED);

const statuses: Readonly<Record<string, DocumentStatus>> = {
  queued: DocumentStatus.QUEUED,
  rendering: DocumentStatus.RENDERING,
  completed: DocumentStatus.COMPLETED,
  failed: DocumentStatus.FAILED,
  expired: DocumentStatus.EXPIRED,
  cancelled: DocumentStatus.CANCELLED,
};

export const profileOf = (name: string | undefined): Profile => profiles.find(([known]) => known === name)?.[1] ?? 0;

const profileName = (profile: Profile): string => profiles.find(([, value]) => value === profile)?.[0] ?? "pdf";

const profiles: readonly (readonly [string, Profile])[] = [
  ["pdf", Profile.PDF],
  ["pdf/a-2a", Profile.PDF_A_2A],
  ["pdf/ua-1", Profile.PDF_UA_1],
];

/** Without a hash there are no bytes: an item that was deleted stays in its batch as what it was. */
const contentUrlOf = ({ id, status, sha256 }: Document): string | null =>
  status === DocumentStatus.COMPLETED && sha256 !== "" ? `/v1/gen/documents/${id}/content` : null;

const templateRefView = (ref: TemplateRef | undefined) =>
  ref === undefined
    ? null
    : { templateId: ref.templateId, versionId: orNull(ref.versionId), locale: orNull(ref.locale) };

const warningView = ({ code, message, path, char }: Warning) => ({
  code,
  message,
  path: orNull(path),
  char: orNull(char),
});

/** Like the body of the error that the same failure is for who waits. */
const failureView = (failure: Failure | undefined) =>
  failure === undefined
    ? null
    : {
        code: isErrorCode(failure.errorCode) ? genErrorName(failure.errorCode) : "render_failed",
        message: failure.message,
        details: factsOf(failure.details),
      };
