import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import {
  DocumentSchema,
  RecipientRole,
  RecipientSchema,
  RecipientStatus,
  TabType,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import { ProposalSource, type Target, WordFieldType } from "#gen/assent/sign/v1/sign_pb.ts";
import { type FileInQuestion, FileKind } from "#gen/assent/sign/v1/verification_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { type FakeSignCore, requireDraft, type SignHandlers } from "./fake-sign.ts";
import { at, sampleDocument, sampleSigner } from "./sample-agreement.ts";

/** Stands for the bytes of every document. */
export const fakePdf = Buffer.from("%PDF-1.7 fake");

const wordFields = [
  { name: "Name", required: true, type: WordFieldType.TEXT },
  { name: "Rows", type: WordFieldType.LIST, rows: [{ fields: [{ name: "Price", type: WordFieldType.NUMBER }] }] },
];

/** Documents, recipients, audit events and views of the fake. */
export function createFakeSignFiles({ agreements, enter, find }: FakeSignCore): SignHandlers {
  const fileOf = (fileName: string, documentId = "") => ({
    file: { content: fakePdf, sha256: createHash("sha256").update(fakePdf).digest(), fileName, documentId },
  });
  const agreementTarget = (value: string) => ({ id: { case: "agreementId", value } }) as Target;
  return {
    putDocuments: (request, context) => {
      const agreement = find(request.target, enter(context, "putDocuments", request));
      requireDraft(agreement);
      const added = request.documents.map(({ documentId, name, source }, index) => {
        if (source.case === "problem") throw new DomainError("INVALID_BASE64", { metadata: { index: String(index) } });
        const number = String(agreement.documents.length + index + 1);
        const bytes = BigInt(source.value?.length ?? 0);
        return create(DocumentSchema, sampleDocument({ documentId: documentId || number, name, bytes }));
      });
      const ids = new Set(added.map(({ documentId }) => documentId));
      agreement.documents = [...agreement.documents.filter(({ documentId }) => !ids.has(documentId)), ...added];
      return { agreement, documentIds: [...ids] };
    },
    listWordFields: (request, context) => {
      const { documents } = find(request.target, enter(context, "listWordFields", request));
      return { documents: documents.map(({ id }) => ({ documentId: id, fields: wordFields })) };
    },
    fillWordFields: (request, context) => {
      const agreement = find(request.target, enter(context, "fillWordFields", request));
      requireDraft(agreement);
      return { agreement, documents: request.documents };
    },
    removeDocuments: (request, context) => {
      const agreement = find(request.target, enter(context, "removeDocuments", request));
      requireDraft(agreement);
      for (const id of request.documentIds) {
        if (!agreement.documents.some(({ documentId }) => documentId === id))
          throw new DomainError("DOCUMENT_NOT_FOUND");
      }
      agreement.documents = agreement.documents.filter(({ documentId }) => !request.documentIds.includes(documentId));
      return { agreement };
    },
    getDocumentContent: (request, context) => {
      const { documents } = find(request.target, enter(context, "getDocumentContent", request));
      const document = documents.find(({ documentId, id }) => [documentId, id].includes(request.documentId));
      if (document === undefined) throw new DomainError("DOCUMENT_NOT_FOUND");
      return fileOf(document.name, document.documentId);
    },
    proposeTabs: (request, context) => {
      const { documents } = find(request.target, enter(context, "proposeTabs", request));
      if (!documents.some(({ documentId, id }) => [documentId, id].includes(request.documentId))) {
        throw new DomainError("DOCUMENT_NOT_FOUND");
      }
      const box = { page: 1, x: 72, y: 600, width: 110, height: 35 };
      const said = { type: TabType.SIGNATURE, required: true, signer: 1, text: "{{signature:1}}" };
      return { proposals: [{ ...box, ...said, source: ProposalSource.TAG }] };
    },
    getCombinedDocument: (request, context) => {
      find(request.target, enter(context, "getCombinedDocument", request));
      return fileOf("Combined.pdf");
    },
    getCertificate: (request, context) => {
      find(agreementTarget(request.agreementId), enter(context, "getCertificate", request));
      return fileOf("Certificate.pdf");
    },
    putRecipients: (request, context) => {
      const agreement = find(request.target, enter(context, "putRecipients", request));
      requireDraft(agreement);
      const ids = request.recipients.map((input, index) => {
        const recipientId = input.recipientId || String(agreement.recipients.length + index + 1);
        const known = agreement.recipients.find((one) => one.recipientId === recipientId);
        if (known !== undefined && !request.changeExisting) {
          throw new DomainError("VALIDATION_FAILED", {
            details: [{ field: `recipients[${index}].recipientId`, code: "DUPLICATE", message: "is taken" }],
          });
        }
        const { role, name = "", email = "" } = input;
        if (known === undefined) {
          agreement.recipients.push(
            create(RecipientSchema, sampleSigner({ recipientId, role: role || 1, name, email })),
          );
        } else {
          Object.assign(known, { name: input.name ?? known.name, email: input.email ?? known.email });
        }
        return recipientId;
      });
      return { agreement, recipientIds: ids };
    },
    removeRecipients: (request, context) => {
      const agreement = find(request.target, enter(context, "removeRecipients", request));
      requireDraft(agreement);
      for (const id of request.recipientIds) {
        const at = agreement.recipients.findIndex((one) => [one.recipientId, one.id].includes(id));
        if (at < 0) throw new DomainError("RECIPIENT_NOT_FOUND");
        agreement.recipients.splice(at, 1);
      }
      return { agreement };
    },
    verifyDocument: (request, context) => {
      const { orgId } = enter(context, "verifyDocument", request);
      const sha256 = hashOf(request.file);
      const known = [...agreements.values()].filter(
        ({ organizationId, documents }) =>
          organizationId === orgId && documents.some((one) => Buffer.from(one.sha256).equals(sha256)),
      );
      return {
        ...{ sha256, seals: sealsOf(request.file) },
        known: known.map(({ id, emailSubject, status, documents: [document] }) => ({
          ...{ kind: FileKind.SEALED, agreementId: id, emailSubject, status, isAuditIntact: true },
          ...{ documentId: document?.documentId ?? "", documentName: document?.name ?? "", completedAt: at(9) },
          parties: [sampleParty],
        })),
      };
    },
    // Of the public page: nobody's organization comes with it.
    verifySeal: ({ file }) => {
      const sha256 = hashOf(file);
      const isKnown = sha256.equals(createHash("sha256").update(fakePdf).digest());
      const summary = {
        ...{ kind: FileKind.SEALED, organizationName: "Example AG", emailSubject: "Please sign" },
        ...{ documentName: "NDA.pdf", agreementId: "01961234-5678-7abc-8def-0123456789ab", completedAt: at(9) },
        ...{ parties: [sampleParty], isAuditIntact: true },
        evidenceLeafHash: new Uint8Array(32).fill(0xab),
      };
      return { sha256, seals: sealsOf(file), ...(isKnown ? { summary } : {}) };
    },
    listDocumentFormats: () => ({ extensions: ["htm", "html", "pdf", "txt"] }),
    getSealCertificate: () => ({ certificates: fakePem, isTest: true }),
    listAttachments: (request, context) => {
      find(agreementTarget(request.agreementId), enter(context, "listAttachments", request));
      return { attachments: [sampleAttachment] };
    },
    listConsentTexts: (request, context) => {
      find(agreementTarget(request.agreementId), enter(context, "listConsentTexts", request));
      return {
        texts: [{ sha256: createHash("sha256").update("I agree.").digest(), locale: "en", content: "I agree." }],
      };
    },
    getAttachmentContent: (request, context) => {
      find(agreementTarget(request.agreementId), enter(context, "getAttachmentContent", request));
      if (request.attachmentId !== sampleAttachment.id) throw new DomainError("ATTACHMENT_NOT_FOUND");
      return { attachment: sampleAttachment, content: fakePdf };
    },
    listAuditEvents: (request, context) => {
      const agreement = find(agreementTarget(request.agreementId), enter(context, "listAuditEvents", request));
      const all = ["agreement.created", "agreement.sent", "recipient.delivered"].map((action, index) => ({
        sequence: index + 1,
        occurredAt: at(index),
        action,
        source: "api",
        actorId: "cl_1",
        actorName: "Example AG",
        ip: "192.0.2.1",
        userAgent: "curl/8",
        detailsJson: index === 1 ? '{"recipientIds":["1"]}' : "",
        agreementStatus: agreement.status,
        previousHash: new Uint8Array(32).fill(index),
        hash: new Uint8Array(32).fill(index + 1),
      }));
      const rest = all.slice(request.afterSequence);
      const limit = request.limit || 1_000;
      return { events: rest.slice(0, limit), hasMore: rest.length > limit };
    },
    createRecipientView: (request, context) => {
      const { recipients } = find(agreementTarget(request.agreementId), enter(context, "createRecipientView", request));
      const known = recipients.find(
        ({ recipientId, id, email, clientUserId }) =>
          [recipientId, id].includes(request.recipientId) ||
          (email === request.email && clientUserId === request.clientUserId),
      );
      if (known === undefined) throw new DomainError("RECIPIENT_NOT_FOUND");
      if (known.clientUserId === "") throw new DomainError("RECIPIENT_NOT_EMBEDDED");
      return { token: "t".repeat(64), expiresAt: at(5) };
    },
  };
}

export const fakePem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

/** What every agreement of the fake has attached. */
export const sampleAttachment = {
  ...{ id: "01961234-5678-7abc-8def-0123456789ac", tabId: "01961234-5678-7abc-8def-0123456789ad" },
  ...{ recipientId: "1", recipientGuid: "01961234-5678-7abc-8def-0123456789ae", fileName: "passport.pdf" },
  ...{ contentType: "application/pdf", bytes: BigInt(fakePdf.length), createdAt: at(4) },
  sha256: createHash("sha256").update(fakePdf).digest(),
};

const sampleParty = {
  ...{ recipientId: "1", name: "Ann Example", role: RecipientRole.SIGNER, status: RecipientStatus.COMPLETED },
  endedAt: at(8),
};

function hashOf(question: FileInQuestion | undefined): Buffer {
  const { file } = question ?? {};
  if (file?.case === "sha256") return Buffer.from(file.value);
  return createHash("sha256")
    .update(file?.value ?? "")
    .digest();
}

/** Every file that comes has one signature. */
const sealsOf = (question: FileInQuestion | undefined) =>
  question?.file.case === "content"
    ? [
        {
          ...{ isIntact: true, coversWholeFile: true, isOurs: true, subject: "CN=Example AG", addedBytes: 0n },
          ...{ certificateSha256: new Uint8Array(32), claimedAt: at(9) },
        },
      ]
    : [];
