import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import {
  deleteAgreement,
  getActivity,
  getAgreement,
  remindAgreement,
  updateAgreement,
  voidAgreement,
} from "./agreements.ts";
import { attachments } from "./attachments.ts";
import { bulkBatches, bulkLists } from "./bulk.ts";
import { changeTabs } from "./change-tabs.ts";
import { createAgreement } from "./create-agreement.ts";
import type { SignDeps } from "./deps.ts";
import { getCombinedDocument, getDocumentContent, putDocuments, removeDocuments } from "./documents.ts";
import { getCertificate, getSealCertificate, listConsentTexts } from "./evidence.ts";
import { listAgreements } from "./list-agreements.ts";
import { listAuditEvents } from "./list-audit-events.ts";
import { changeCustomFields, putRecipients, removeRecipients } from "./recipients.ts";
import { sendAgreement } from "./send-agreement.ts";
import { signingHandlers } from "./signing/index.ts";
import { verifyDocument, verifySeal } from "./verify.ts";
import { createRecipientView, createSenderView } from "./views.ts";

export const signRoutes =
  (deps: SignDeps): RpcRoutes =>
  (router) => {
    router.service(SignService, {
      ...createAgreement(deps),
      ...getAgreement(deps),
      ...listAgreements(deps),
      ...getActivity(deps),
      ...updateAgreement(deps),
      ...deleteAgreement(deps),
      ...sendAgreement(deps),
      ...voidAgreement(deps),
      ...remindAgreement(deps),
      ...putDocuments(deps),
      ...removeDocuments(deps),
      ...getDocumentContent(deps),
      ...getCombinedDocument(deps),
      ...getCertificate(deps),
      ...getSealCertificate(deps),
      ...verifyDocument(deps),
      ...verifySeal(deps),
      ...putRecipients(deps),
      ...removeRecipients(deps),
      ...changeTabs(deps),
      ...changeCustomFields(deps),
      ...listAuditEvents(deps),
      ...attachments(deps),
      ...listConsentTexts(deps),
      ...createRecipientView(deps),
      ...createSenderView(deps),
      ...bulkLists(deps),
      ...bulkBatches(deps),
    });
    router.service(SigningService, signingHandlers(deps));
  };
