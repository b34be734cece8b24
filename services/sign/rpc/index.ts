import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { attachments } from "./attachments.ts";
import { bulkBatches } from "./bulk-batches.ts";
import { bulkLists } from "./bulk-lists.ts";
import { changeCustomFields } from "./change-custom-fields.ts";
import { changeTabs } from "./change-tabs.ts";
import { createAgreement } from "./create-agreement.ts";
import { createRecipientView } from "./create-recipient-view.ts";
import { createSenderView } from "./create-sender-view.ts";
import { deleteAgreement } from "./delete-agreement.ts";
import type { SignDeps } from "./deps.ts";
import { getActivity } from "./get-activity.ts";
import { getAgreement } from "./get-agreement.ts";
import { getCertificate } from "./get-certificate.ts";
import { getCombinedDocument } from "./get-combined-document.ts";
import { getDocumentContent } from "./get-document-content.ts";
import { getSealCertificate } from "./get-seal-certificate.ts";
import { listAgreements } from "./list-agreements.ts";
import { listAuditEvents } from "./list-audit-events.ts";
import { listConsentTexts } from "./list-consent-texts.ts";
import { putDocuments } from "./put-documents.ts";
import { putRecipients } from "./put-recipients.ts";
import { remindAgreement } from "./remind-agreement.ts";
import { removeDocuments } from "./remove-documents.ts";
import { removeRecipients } from "./remove-recipients.ts";
import { sendAgreement } from "./send-agreement.ts";
import { signingHandlers } from "./signing/index.ts";
import { updateAgreement } from "./update-agreement.ts";
import { verifyDocument } from "./verify-document.ts";
import { verifySeal } from "./verify-seal.ts";
import { voidAgreement } from "./void-agreement.ts";

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
