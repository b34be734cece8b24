import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import {
  EvidencePlaceSchema,
  type FileInQuestion,
  FileKind,
  type KnownFileSchema,
  type PartySchema,
  type SealedSummarySchema,
  type SealFindingSchema,
} from "#gen/assent/sign/v1/verification_pb.ts";
import { sha256Of } from "#platform/blobs/blob-store.ts";
import { requireCaller } from "#platform/caller.ts";
import { inSnapshot } from "#platform/db/transaction.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Agreement } from "../agreement/agreement.ts";
import { loadAgreement, loadAgreements } from "../agreement/agreement-store.ts";
import { isChainIntact } from "../agreement/audit-chain.ts";
import { listAuditEvents } from "../agreement/audit-store.ts";
import { findAgreementsWithFile, findSealedFile, type SealedFileOwner } from "../agreement/file-store.ts";
import { wireAgreementStatuses, wireRecipientStatuses, wireRoles } from "../agreement/messages.ts";
import type { SignDeps } from "../deps.ts";
import type { Sealer } from "../seal/sealer.ts";
import { evidenceIn } from "./evidence-place.ts";
import { type KnownFile, knownFiles, partiesOf } from "./known-files.ts";
import type { FoundSeal, SealReader } from "./seal-reader.ts";

type VerifyDocumentDeps = Pick<SignDeps, "pool" | "sealer" | "sealReader">;

/** An original may be in as many agreements as anybody likes. */
const maxKnown = 10;

export const verifyDocument = (deps: VerifyDocumentDeps): Pick<ServiceImpl<typeof SignService>, "verifyDocument"> => ({
  async verifyDocument({ file }, context) {
    const { orgId } = requireCaller(context);
    const { sha256, seals } = await readFile(file, { reader: deps.sealReader, sealer: deps.sealer });
    return { sha256, seals, known: await findKnown(deps, orgId, sha256) };
  },
});

type KnownMessage = MessageInitShape<typeof KnownFileSchema>;

const findKnown = ({ pool }: VerifyDocumentDeps, orgId: OrgId, sha256: Buffer): Promise<KnownMessage[]> =>
  inSnapshot(orgId, pool, async (client) => {
    const ids = await findAgreementsWithFile(client, orgId, sha256, maxKnown);
    const agreements = new Map((await loadAgreements(client, orgId, ids)).map((one) => [one.id, one]));
    const known: KnownMessage[] = [];
    for (const id of ids) {
      const agreement = agreements.get(id);
      if (agreement === undefined) continue;
      const events = await listAuditEvents(client, orgId, id);
      const isAuditIntact = isChainIntact(id, events, agreement.audit);
      const place = evidenceIn(events);
      const evidence = place && { evidence: create(EvidencePlaceSchema, place) };
      known.push(
        ...knownFiles(agreement, sha256).map((file) => ({ ...knownMessage(file), isAuditIntact, ...evidence })),
      );
    }
    return known.slice(0, maxKnown);
  });

const knownMessage = ({ kind, agreement, documentId, documentName }: KnownFile): KnownMessage => ({
  ...{ kind: wireFileKinds[kind], agreementId: agreement.id, documentId, documentName },
  status: wireAgreementStatuses[agreement.status],
  emailSubject: agreement.emailSubject,
  parties: partyMessages(agreement),
  ...(agreement.completedAt === null ? {} : { completedAt: timestampFromDate(agreement.completedAt) }),
});

type VerifySealDeps = Pick<SignDeps, "pool" | "sealer" | "organizations" | "publicSealReader" | "verifierPool">;

export const verifySeal = (deps: VerifySealDeps): Pick<ServiceImpl<typeof SignService>, "verifySeal"> => ({
  async verifySeal({ file }) {
    const { sha256, seals } = await readFile(file, { reader: deps.publicSealReader, sealer: deps.sealer });
    const owner = await findSealedFile(deps.verifierPool, sha256);
    const summary = owner && (await summaryOf(deps, owner, sha256));
    return { sha256, seals, ...(summary === undefined ? {} : { summary }) };
  },
});

/** Read as the organization whose file it is. */
async function summaryOf(
  { pool, organizations }: VerifySealDeps,
  { orgId, agreementId }: SealedFileOwner,
  sha256: Buffer,
): Promise<MessageInitShape<typeof SealedSummarySchema> | undefined> {
  const read = await inSnapshot(orgId, pool, async (client) => {
    const agreement = await loadAgreement(client, orgId, agreementId);
    return agreement && { agreement, events: await listAuditEvents(client, orgId, agreementId) };
  });
  const file = read && knownFiles(read.agreement, sha256).find(({ kind }) => kind !== "original");
  if (read === undefined || file === undefined) return undefined;
  const { agreement, events } = read;
  const { name: organizationName } = await organizations.of(orgId);
  return {
    ...{ kind: wireFileKinds[file.kind], documentName: file.documentName, organizationName, agreementId },
    emailSubject: agreement.emailSubject,
    parties: partyMessages(agreement),
    isAuditIntact: isChainIntact(agreementId, events, agreement.audit),
    evidenceLeafHash: evidenceIn(events)?.leafHash ?? new Uint8Array(),
    ...(agreement.completedAt === null ? {} : { completedAt: timestampFromDate(agreement.completedAt) }),
  };
}

/** Sealing adds to the 25 MB that a document may have. */
const maxBytes = 32 * 1024 * 1024;

/** What a file tells by itself. */
interface ReadFile {
  readonly sha256: Buffer;
  readonly seals: MessageInitShape<typeof SealFindingSchema>[];
}

async function readFile(
  file: FileInQuestion | undefined,
  { reader, sealer }: { readonly reader: Pick<SealReader, "read">; readonly sealer: Sealer | undefined },
): Promise<ReadFile> {
  const asked = file?.file;
  if (asked?.case !== "content") return { sha256: Buffer.from(asked?.value ?? []), seals: [] };
  const { value: content } = asked;
  if (content.length > maxBytes) throw new DomainError("DOCUMENT_TOO_LARGE");
  const found = await reader.read(content);
  return { sha256: sha256Of(content), seals: found.map((seal) => sealMessage(seal, sealer)) };
}

function sealMessage(
  { certificate, claimedAt, addedBytes, signedPartSha256, ...seal }: FoundSeal,
  sealer: Sealer | undefined,
): ReadFile["seals"][0] {
  return {
    ...seal,
    addedBytes: BigInt(addedBytes),
    ...(signedPartSha256 === undefined ? {} : { signedPartSha256 }),
    isOurs: certificate !== undefined && sealer?.isOurs(certificate) === true,
    ...(certificate === undefined ? {} : { certificateSha256: sha256Of(certificate) }),
    ...(claimedAt === undefined ? {} : { claimedAt: timestampFromDate(claimedAt) }),
  };
}

const wireFileKinds: Readonly<Record<KnownFile["kind"], FileKind>> = {
  original: FileKind.ORIGINAL,
  sealed: FileKind.SEALED,
  certificate: FileKind.CERTIFICATE,
};

const partyMessages = (agreement: Agreement): MessageInitShape<typeof PartySchema>[] =>
  partiesOf(agreement).map(({ recipientId, name, role, status, completedAt, declinedAt }) => {
    const endedAt = completedAt ?? declinedAt;
    return {
      ...{ recipientId, name, role: wireRoles[role], status: wireRecipientStatuses[status] },
      ...(endedAt === null ? {} : { endedAt: timestampFromDate(endedAt) }),
    };
  });
