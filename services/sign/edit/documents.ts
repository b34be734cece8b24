import { ProposalSource } from "#gen/assent/sign/v1/sign_pb.ts";
import { sha256Of } from "#platform/blobs/blob-store.ts";
import { requireCaller } from "#platform/caller.ts";
import type { Tenant } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import type { AgreementDocument } from "../agreement/agreement.ts";
import { changeAgreement } from "../agreement/change-agreement.ts";
import { decisionContext, requireTarget, targetOf, waitingCaller, withTarget } from "../agreement/context.ts";
import type { CheckedFile, DocumentDefinition } from "../agreement/definition.ts";
import { originalOf } from "../agreement/file-store.ts";
import { agreementMessage } from "../agreement/messages.ts";
import { invalid, problem, requireModifiable } from "../agreement/problems.ts";
import type { Tab } from "../agreement/tab.ts";
import { parseDocument } from "../create/input.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";
import type { DocumentFile } from "../intake/intake.ts";
import { certificateOf, readCertificateSource } from "../list/evidence.ts";
import { readUpload } from "../uploads/uploads.ts";
import {
  type DocumentAddition,
  putDocuments as decidePut,
  removeDocuments as decideRemove,
  requireDocument,
} from "./edit-documents.ts";
import { withSigners } from "./proposed-signers.ts";
import { wireTabType } from "./tabs.ts";

export const putDocuments = (deps: SignDeps): SignRpcs<"putDocuments"> => ({
  async putDocuments(request, context) {
    const caller = waitingCaller(context);
    const target = targetOf(request.target);
    await deps.organizations.of(caller.orgId);
    requireModifiable(await requireTarget(deps, caller.orgId, target));
    // Checking takes time, so it happens before any lock is taken.
    const checked = await checkFiles(deps, caller.orgId, request.documents.map(parseDocument));
    const additions = checked.map(
      (file, index): DocumentAddition => ({
        ...{ id: deps.newId(), originalId: deps.newId() },
        ...{ file, order: request.documents[index]?.order },
      }),
    );
    const decision = decisionContext(deps, caller, request.observed);
    const agreement = await changeAgreement(
      deps,
      caller,
      target,
      (current) => decidePut(current, additions, decision),
      new Map(additions.flatMap(bytesOfAddition)),
    );
    const documentIdOf = new Map(agreement.documents.map(({ id, documentId }) => [id, documentId]));
    return {
      agreement: agreementMessage(agreement, caller.orgId),
      documentIds: additions.map(({ id }) => documentIdOf.get(id) ?? ""),
    };
  },
});

/** The bytes of a document and of what it was made of, by their ids. */
export const bytesOfAddition = ({ id, originalId, file: { bytes, original } }: DocumentAddition) => [
  [id, bytes] as const,
  ...(original === undefined ? [] : [[originalId, original.bytes] as const]),
];

/** For texts of templates that are files: nothing is kept, and no agreement knows of it. */
export const checkPdf = ({ intake }: Pick<SignDeps, "intake">): SignRpcs<"checkPdf"> => ({
  async checkPdf({ content }, context) {
    const { orgId } = requireCaller(context);
    const [checked] = await intake.check(orgId, [{ documentId: "1", name: "text", fileExtension: "pdf", content }]);
    if (checked === undefined) throw new Error("a file was checked without a result");
    const texts = await intake.readTexts(orgId, checked.bytes);
    const pages = checked.pages.map(({ width, height }, index) => ({ width, height, text: [...(texts[index] ?? [])] }));
    return { content: checked.bytes, pages };
  },
});

export const listDocumentFormats = ({ intake }: Pick<SignDeps, "intake">): SignRpcs<"listDocumentFormats"> => ({
  async listDocumentFormats() {
    return { extensions: [...(await intake.extensions())] };
  },
});

export const removeDocuments = (deps: SignDeps): SignRpcs<"removeDocuments"> => ({
  async removeDocuments(request, context) {
    const caller = waitingCaller(context);
    await deps.organizations.of(caller.orgId);
    const decision = decisionContext(deps, caller, request.observed);
    const agreement = await changeAgreement(deps, caller, targetOf(request.target), (current) =>
      decideRemove(current, request.documentIds, decision),
    );
    return { agreement: agreementMessage(agreement, caller.orgId) };
  },
});

/** The PDF of a document with its hash: the sealed file once there is one, the original before that. */
export async function readDocument(
  { files }: Pick<SignDeps, "files">,
  tenant: Tenant,
  agreementId: string,
  { id, sha256, sealedId, sealedSha256 }: AgreementDocument,
): Promise<{ readonly content: Uint8Array; readonly sha256: Buffer }> {
  const file = { id: sealedId ?? id, sha256: sealedSha256 ?? sha256 };
  return { content: await files.read(tenant, agreementId, file), sha256: file.sha256 };
}

/** The document's name with the extension .pdf. */
export function pdfFileName(name: string): string {
  const dot = name.lastIndexOf(".");
  const ending = dot < 0 ? "" : name.slice(dot + 1).toLowerCase();
  if (ending === "pdf") return name;
  const base = converted.has(ending) ? name.slice(0, dot) : name;
  return `${base === "" ? "document" : base}.pdf`;
}

/** Throws DOCUMENT_NOT_FOUND for a document that was not converted, or stored before such files were kept. */
function requireOriginal(document: AgreementDocument) {
  const [file] = originalOf(document);
  if (file === undefined) {
    const message = "The document was not converted to a PDF, or the file that it was made of was not kept.";
    throw new DomainError("DOCUMENT_NOT_FOUND", { message });
  }
  return { file, format: document.originalFormat ?? "" };
}

/** The document's name with the extension of the file that it was made of. */
function originalName(name: string, format: string): string {
  const extension = format === "jpeg" ? "jpg" : format;
  const endings = format === "jpeg" ? ["jpg", "jpeg"] : format === "html" ? ["html", "htm"] : [extension];
  const isNamed = endings.some((ending) => name.toLowerCase().endsWith(`.${ending}`));
  return isNamed ? name : `${name === "" ? "document" : name}.${extension}`;
}

/** Formats that are converted to PDF on upload. */
const converted: ReadonlySet<string> = new Set("html htm txt docx doc odt rtf xlsx pptx png jpg jpeg".split(" "));

/** Checks the documents that are files of the request. They must be numbered. */
export async function checkFiles(
  deps: Pick<SignDeps, "intake" | "pool" | "vault" | "clock" | "newId">,
  orgId: OrgId,
  documents: readonly DocumentDefinition[],
): Promise<readonly CheckedFile[]> {
  const files: DocumentFile[] = [];
  const uploads = new Set<string>();
  for (const [index, { documentId, name, source }] of documents.entries()) {
    if (source.kind !== "file") continue;
    const { content } = source;
    if (content instanceof Uint8Array || typeof content === "string") {
      files.push({ documentId, name, ...source, content });
      continue;
    }
    const { uploadId } = content;
    // What is read is no more than an organization may have uploaded.
    if (uploads.has(uploadId)) {
      throw invalid(
        problem(`documents[${index}].uploadId`, "DUPLICATE", "must name an upload that no other document names"),
      );
    }
    uploads.add(uploadId);
    files.push({ documentId, name, ...source, content: await readUpload(deps, orgId, uploadId) });
  }
  return files.length === 0 ? [] : deps.intake.check(orgId, files);
}

export const getDocumentContent = (deps: Pick<SignDeps, "pool" | "files">): SignRpcs<"getDocumentContent"> => ({
  async getDocumentContent(request, context) {
    const { orgId } = requireCaller(context);
    return withTarget(deps, orgId, targetOf(request.target), async (agreement, tenant) => {
      const document = requireDocument(agreement, request.documentId);
      const { documentId, name } = document;
      if (request.original) {
        const { file, format } = requireOriginal(document);
        const content = await deps.files.read(tenant, agreement.id, file);
        return { file: { content, sha256: file.sha256, fileName: originalName(name, format), documentId } };
      }
      const { content, sha256 } = await readDocument(deps, tenant, agreement.id, document);
      return { file: { content, sha256, fileName: pdfFileName(name), documentId } };
    });
  },
});

/** Places that have a tab already are left out, so that nothing is proposed again once it was taken. */
export const proposeTabs = (deps: Pick<SignDeps, "pool" | "files" | "intake">): SignRpcs<"proposeTabs"> => ({
  async proposeTabs(request, context) {
    const { orgId } = requireCaller(context);
    const { content, taken, recipients } = await withTarget(
      deps,
      orgId,
      targetOf(request.target),
      async (agreement, tenant) => {
        const document = requireDocument(agreement, request.documentId);
        const tabs = agreement.recipients.flatMap((recipient) => recipient.tabs);
        const taken = tabs.filter(({ documentId, isPlaced }) => isPlaced && documentId === document.documentId);
        const content = await deps.files.read(tenant, agreement.id, document);
        return { content, taken, recipients: agreement.recipients };
      },
    );
    const proposals = await deps.intake.proposeTabs(orgId, content);
    return {
      proposals: withSigners(proposals, recipients)
        .filter((proposal) => !taken.some((tab) => overlap(tab, proposal)))
        .map(({ type, source, around: _, ...plain }) => ({
          ...plain,
          type: wireTabType(type),
          source: wireSources[source],
        })),
    };
  },
});

const wireSources = { tag: ProposalSource.TAG, blank: ProposalSource.BLANK, word: ProposalSource.WORD } as const;

type Box = Pick<Tab, "page" | "x" | "y" | "width" | "height">;

const overlap = (a: Box, b: Box): boolean =>
  a.page === b.page && a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

export const getCombinedDocument = (
  deps: Pick<SignDeps, "pool" | "vault" | "files" | "intake" | "renderer" | "organizations" | "clock">,
): SignRpcs<"getCombinedDocument"> => ({
  async getCombinedDocument({ target, withCertificate }, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const { agreement, files, source } = await withTarget(deps, orgId, targetOf(target), async (found, tenant) => {
      if (found.documents.length === 0) throw new DomainError("DOCUMENT_NOT_FOUND");
      const contents: Uint8Array[] = [];
      for (const document of found.documents) {
        contents.push((await readDocument(deps, tenant, found.id, document)).content);
      }
      // A template has no trail to certify.
      const hasTrail = withCertificate && found.status !== "template";
      return {
        agreement: found,
        files: contents,
        source: hasTrail ? await readCertificateSource(deps, found, tenant) : undefined,
      };
    });
    if (source !== undefined) files.push(await certificateOf(deps, caller, source));
    const only = files.length === 1 ? files[0] : undefined;
    // A single sealed file is returned with its seal. A merged file has no seal: each seal covers its own file
    // only.
    const content = only ?? (await deps.intake.merge(orgId, files));
    return { file: { content, sha256: sha256Of(content), fileName: `combined-${agreement.id}.pdf`, documentId: "" } };
  },
});
