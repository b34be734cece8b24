import type { Pool } from "pg";
import { PersonalDataService } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import { destruction } from "#platform/destroy-tables.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { brands } from "./brands/handlers.ts";
import { bulkBatches, bulkLists } from "./bulk/handlers.ts";
import { createAgreement } from "./create/create-agreement.ts";
import type { SignDeps } from "./deps.ts";
import {
  deleteAgreement,
  getActivity,
  getAgreement,
  remindAgreement,
  updateAgreement,
  voidAgreement,
} from "./edit/agreements.ts";
import { correctAgreement } from "./edit/correct-agreement.ts";
import {
  checkPdf,
  getCombinedDocument,
  getDocumentContent,
  listDocumentFormats,
  proposeTabs,
  putDocuments,
  removeDocuments,
} from "./edit/documents.ts";
import { agreementLocks } from "./edit/locks.ts";
import { changeCustomFields, changeTabs, putRecipients, removeRecipients } from "./edit/recipients.ts";
import { wordFields } from "./edit/word-fields.ts";
import { personalData } from "./erasure/erase-person.ts";
import { exportOrganization } from "./export/export-organization.ts";
import { exportPerson } from "./export/export-person.ts";
import { unlockVerification } from "./identity/handlers.ts";
import { getCertificate, getSealCertificate, listConsentTexts } from "./list/evidence.ts";
import { listAgreements, listAuditEvents } from "./list/list-agreements.ts";
import { reportUndelivered } from "./mail/undelivered.ts";
import { pageHosts } from "./page-hosts/handlers.ts";
import { retention } from "./retention/handlers.ts";
import { legalHolds } from "./retention/hold-handlers.ts";
import { purgeAgreement } from "./retention/purge.ts";
import { fileSearch } from "./search/file-search.ts";
import { sendAgreement } from "./send/send-agreement.ts";
import { senderDomains } from "./sender-domains/handlers.ts";
import { attachments } from "./signing/attachments.ts";
import { signingHandlers } from "./signing/handlers.ts";
import { createRecipientView, createSenderView } from "./signing/views.ts";
import { uploads } from "./uploads/uploads.ts";
import { verifyDocument, verifySeal } from "./verification/verify.ts";
import { resumeAgreement } from "./workflow/resume.ts";

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
      ...resumeAgreement(deps),
      ...correctAgreement(deps),
      ...agreementLocks(deps),
      ...unlockVerification(deps),
      ...putDocuments(deps),
      ...wordFields(deps),
      ...proposeTabs(deps),
      ...removeDocuments(deps),
      ...getDocumentContent(deps),
      ...getCombinedDocument(deps),
      ...getCertificate(deps),
      ...getSealCertificate(deps),
      ...listDocumentFormats(deps),
      ...verifyDocument(deps),
      ...verifySeal(deps),
      ...checkPdf(deps),
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
      ...retention(deps),
      ...legalHolds(deps),
      ...fileSearch(deps),
      ...uploads(deps),
      ...purgeAgreement(deps),
      ...brands(deps),
      ...senderDomains(deps),
      ...pageHosts(deps),
      ...reportUndelivered(deps),
    });
    router.service(SigningService, signingHandlers(deps));
  };

/** What the auth service asks every service. */
export const personalDataRoutes =
  (deps: SignDeps & { readonly destroyerPool: Pool }): RpcRoutes =>
  (router) => {
    router.service(PersonalDataService, {
      ...personalData(deps),
      ...exportPerson(deps),
      ...exportOrganization(deps),
      ...destruction({
        ...{ pool: deps.destroyerPool, schema: "sign" },
        held: {
          pool: deps.pool,
          sql: "select from sign.legal_hold where organization_id = $1 and lifted_at is null limit 1",
        },
      }),
    });
  };
