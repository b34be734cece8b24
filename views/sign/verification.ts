import type {
  EvidencePlace,
  KnownFile,
  Party,
  SealedSummary,
  SealFinding,
  VerifyDocumentResponse,
  VerifySealResponse,
} from "#gen/assent/sign/v1/verification_pb.ts";
import { FileKind } from "#gen/assent/sign/v1/verification_pb.ts";
import { isoTime } from "../scalars.ts";
import { recipientStatuses, roles, statuses } from "./names.ts";
import { hexOrNull, textOrNull } from "./texts.ts";

export const verificationView = ({ sha256, seals, known }: VerifyDocumentResponse) => ({
  sha256: hexOrNull(sha256),
  seals: seals.map(sealView),
  matches: known.map(knownView),
});

export const sealedFileView = ({ sha256, seals, summary }: VerifySealResponse) => ({
  sha256: hexOrNull(sha256),
  seals: seals.map(sealView),
  sealed: summary === undefined ? null : summaryView(summary),
});

const sealView = (seal: SealFinding) => ({
  intact: seal.isIntact,
  coversWholeFile: seal.coversWholeFile,
  addedBytes: Number(seal.addedBytes),
  addition: textOrNull(seal.addition),
  signedPartSha256: hexOrNull(seal.signedPartSha256),
  ours: seal.isOurs,
  subject: textOrNull(seal.subject),
  certificateSha256: hexOrNull(seal.certificateSha256),
  claimedAt: isoTime(seal.claimedAt),
});

const kinds: Readonly<Record<FileKind, string | null>> = {
  [FileKind.UNSPECIFIED]: null,
  [FileKind.ORIGINAL]: "original",
  [FileKind.SEALED]: "sealed",
  [FileKind.CERTIFICATE]: "certificate",
};

const knownView = (file: KnownFile) => ({
  kind: kinds[file.kind],
  agreementId: file.agreementId,
  documentId: textOrNull(file.documentId),
  documentName: textOrNull(file.documentName),
  status: statuses.nameOf(file.status),
  emailSubject: textOrNull(file.emailSubject),
  completedAt: isoTime(file.completedAt),
  signers: file.parties.map(partyView),
  auditTrailIntact: file.isAuditIntact,
  evidence: evidenceView(file.evidence),
});

const summaryView = (file: SealedSummary) => ({
  kind: kinds[file.kind],
  agreementId: file.agreementId,
  documentName: textOrNull(file.documentName),
  organizationName: file.organizationName,
  emailSubject: textOrNull(file.emailSubject),
  completedAt: isoTime(file.completedAt),
  signers: file.parties.map(partyView),
  auditTrailIntact: file.isAuditIntact,
  evidenceLeafHash: file.evidenceLeafHash.length === 0 ? null : leafHashText(file.evidenceLeafHash),
});

/** As receipts tell of their leaves. */
const evidenceView = (place: EvidencePlace | undefined) =>
  place === undefined
    ? null
    : {
        logId: place.logId,
        leafIndex: Number(place.leafIndex),
        leafHash: leafHashText(place.leafHash),
      };

const leafHashText = (hash: Uint8Array): string => `sha256:${Buffer.from(hash).toString("hex")}`;

const partyView = ({ recipientId, name, role, status, endedAt }: Party) => ({
  recipientId,
  name,
  role: roles.nameOf(role),
  status: recipientStatuses.nameOf(status),
  endedAt: isoTime(endedAt),
});
