import { AgreementStatus } from "#gen/assent/sign/v1/agreement_pb.ts";
import { exportOf } from "./fake-exports.ts";
import { sampleAttachment } from "./fake-sign-files.ts";
import type { SampleRequest } from "./sample-requests.ts";
import { reportsSecret, type TestGateway } from "./test-gateway.ts";

/** For operations of signing whose example would not do: what is sent at once needs a second scope. */
export const signSamples: Readonly<Record<string, () => SampleRequest>> = {
  createAgreement: () => ({ body: { emailSubject: "Please sign the NDA" } }),
  addRecipients: () => ({ body: { carbonCopies: [{ name: "Cara Example", email: "cara@example.com" }] } }),
};

/** One of everything that paths of signing name. */
export const createSignResources = ({ sign, auth }: TestGateway, orgId: string): Record<string, string> => ({
  agreement: sign.add(orgId, { status: AgreementStatus.CREATED }).id,
  attachment: sampleAttachment.id,
  erasure: auth.people.addErasure(orgId),
  legalHold: sign.add(orgId, { status: AgreementStatus.CREATED }).id,
  export: exportOf(orgId),
  exportSchedule: exportOf(orgId),
  signTemplate: sign.addTemplate(orgId).id,
  recipientId: "1",
  documentId: "1",
  signingLink: "A".repeat(64),
  noticeToken: "A".repeat(64),
  mailReportSecret: reportsSecret,
  signingSession: "A".repeat(22),
  organization: orgId,
  brandImage: "ab".repeat(32),
  signingFolder: "code",
  signingFile: "page.js",
  referencePage: "templates",
});

/** The ids in bodies and queries of signing; tests of isolation look at each of them. */
export const idsOfSigning: Readonly<Record<string, readonly string[]>> = {
  // Of fields of the agreement that the path names.
  correctAgreement: ["tabs[].change[].tabId", "tabs[].remove[]"],
  setLegalHold: ["agreementId"],
  listDeletions: ["?agreementId"],
  createAgreement: [
    ...["brandId", "templateId"],
    ...["compositions[].layers[].templateId", "compositions[].layers[].brandId"],
  ],
  updateAgreement: ["brandId"],
  createSignTemplate: ["brandId"],
  updateSignTemplate: ["brandId"],
};
