import type { Agreement } from "#gen/assent/sign/v1/agreement_pb.ts";
import { statusOf } from "../../../views/compat/envelope.ts";
import { compatTime, filled, present, type Written } from "../../../views/compat/scalars.ts";
import type { Folder } from "./folders.ts";

/** An envelope or a template as a folder shows it. */
export const folderItemView = (agreement: Agreement, { folderId, templates }: Folder): Written =>
  present({
    ...(templates
      ? { templateId: agreement.id, templateUri: `/templates/${agreement.id}`, name: agreement.name }
      : { envelopeId: agreement.id, envelopeUri: `/envelopes/${agreement.id}` }),
    folderId,
    subject: agreement.emailSubject,
    status: statusOf(agreement.status),
    senderName: filled(agreement.sender?.name),
    senderEmail: filled(agreement.sender?.email),
    ownerName: filled(agreement.sender?.name),
    createdDateTime: compatTime(agreement.createdAt),
    sentDateTime: compatTime(agreement.sentAt),
    completedDateTime: compatTime(agreement.completedAt),
    lastModifiedDateTime: compatTime(agreement.modifiedAt),
    expireDateTime: compatTime(agreement.expiresAt),
  });
