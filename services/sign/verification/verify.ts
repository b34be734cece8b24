import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { recordsOf } from "#api/records.ts";
import {
  EvidencePlaceSchema,
  type FileInQuestion,
  FileKind,
  KnownFileSchema,
  PartySchema,
  type SealedSummarySchema,
  SealFindingSchema,
} from "#gen/assent/sign/v1/verification_pb.ts";
import { sha256Of } from "#platform/blobs/blob-store.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg, withOrgSnapshot } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Agreement, JsonObject } from "../agreement/agreement.ts";
import { loadAgreement, loadAgreements } from "../agreement/agreement-store.ts";
import { type AuditEvent, isChainIntact } from "../agreement/audit-chain.ts";
import { listAuditEvents } from "../agreement/audit-store.ts";
import { findAgreementsWithFile, findSealedFile, type SealedFileOwner } from "../agreement/file-store.ts";
import { wireAgreementStatuses, wireRecipientStatuses, wireRoles } from "../agreement/messages.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";
import { findDeletion, findDeletionsWithFile, findSealedDeletion } from "../retention/deletions.ts";
import { deletionMessage } from "../retention/handlers.ts";
import type { Sealer } from "../seal/sealer.ts";
import { compareStructure, Difference, openBoth } from "../witness/structure.ts";
import type { FoundSeal, SealReader } from "./seal-reader.ts";

type VerifyDocumentDeps = Pick<SignDeps, "pool" | "vault" | "sealer" | "sealReader">;

/** An original may be in as many agreements as anybody likes. */
const maxKnown = 10;

export const verifyDocument = (deps: VerifyDocumentDeps): SignRpcs<"verifyDocument"> => ({
  async verifyDocument({ file }, context) {
    const { orgId } = requireCaller(context);
    const { sha256, seals } = await readFile(file, { reader: deps.sealReader, sealer: deps.sealer });
    return { sha256, seals, ...(await findKnown(deps, orgId, sha256)) };
  },
});

type KnownMessage = MessageInitShape<typeof KnownFileSchema>;

const findKnown = ({ pool, vault }: VerifyDocumentDeps, orgId: OrgId, sha256: Buffer) =>
  withOrgSnapshot(pool, orgId, async (tenant) => {
    const ids = await findAgreementsWithFile(tenant, sha256, maxKnown);
    const agreements = new Map((await loadAgreements(tenant, ids)).map((one) => [one.id, one]));
    const known: KnownMessage[] = [];
    for (const id of ids) {
      const agreement = agreements.get(id);
      if (agreement === undefined) continue;
      const events = await listAuditEvents(tenant, vault, id);
      const isAuditIntact = isChainIntact(id, events, agreement.audit);
      const place = evidenceIn(events);
      const evidence = place && { evidence: create(EvidencePlaceSchema, place) };
      known.push(
        ...knownFiles(agreement, sha256).map((file) => ({ ...knownMessage(file), isAuditIntact, ...evidence })),
      );
    }
    const deleted = await findDeletionsWithFile(tenant, sha256, maxKnown);
    return { known: known.slice(0, maxKnown), deleted: deleted.map((one) => deletionMessage(one)) };
  });

const fileKinds = {
  original: FileKind.ORIGINAL,
  sealed: FileKind.SEALED,
  certificate: FileKind.CERTIFICATE,
} as const satisfies Record<KnownFile["kind"], FileKind>;

const knownRecords = recordsOf(KnownFileSchema, { kind: fileKinds, status: wireAgreementStatuses });
const sealRecords = recordsOf(SealFindingSchema);
const parties = recordsOf(PartySchema, { role: wireRoles, status: wireRecipientStatuses });

const knownMessage = ({ agreement, ...file }: KnownFile): KnownMessage => {
  const { id: agreementId, status, emailSubject, completedAt } = agreement;
  return knownRecords.write({
    ...{ ...file, agreementId, status, emailSubject, completedAt, parties: partyMessages(agreement) },
  });
};

type VerifySealDeps = Pick<
  SignDeps,
  "pool" | "vault" | "sealer" | "organizations" | "publicSealReader" | "verifierPool"
>;

export const verifySeal = (deps: VerifySealDeps): SignRpcs<"verifySeal"> => ({
  async verifySeal({ file }) {
    const { sha256, seals } = await readFile(file, { reader: deps.publicSealReader, sealer: deps.sealer });
    const owner = await findSealedFile(deps.verifierPool, sha256);
    const summary = owner && (await summaryOf(deps, owner, sha256));
    if (summary !== undefined) return { sha256, seals, summary };
    const former = await findSealedDeletion(deps.verifierPool, sha256);
    const deletion =
      former && (await withOrg(deps.pool, former.orgId, (tenant) => findDeletion(tenant, former.agreementId)));
    return { sha256, seals, ...(deletion && { deletion: deletionMessage(deletion, { isPublic: true }) }) };
  },
});

/** Read as the organization whose file it is. */
async function summaryOf(
  { pool, vault, organizations }: VerifySealDeps,
  { orgId, agreementId }: SealedFileOwner,
  sha256: Buffer,
): Promise<MessageInitShape<typeof SealedSummarySchema> | undefined> {
  const read = await withOrgSnapshot(pool, orgId, async (tenant) => {
    const agreement = await loadAgreement(tenant, agreementId);
    return agreement && { agreement, events: await listAuditEvents(tenant, vault, agreementId) };
  });
  const file = read && knownFiles(read.agreement, sha256).find(({ kind }) => kind !== "original");
  if (read === undefined || file === undefined) return undefined;
  const { agreement, events } = read;
  const { name: organizationName } = await organizations.of(orgId);
  return {
    ...{ kind: fileKinds[file.kind], documentName: file.documentName, organizationName, agreementId },
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

const sealMessage = ({ certificate, ...seal }: FoundSeal, sealer: Sealer | undefined): ReadFile["seals"][0] =>
  sealRecords.write({
    ...seal,
    isOurs: certificate !== undefined && sealer?.isOurs(certificate) === true,
    certificateSha256: certificate && sha256Of(certificate),
  });

const partyMessages = (agreement: Agreement): MessageInitShape<typeof PartySchema>[] =>
  partiesOf(agreement).map((party) => parties.write({ ...party, endedAt: party.completedAt ?? party.declinedAt }));

/** What the last bytes of a file do to the part before them, as readers follow the cross-reference; in a sentence. */
export function additionAfter(file: Buffer, addedBytes: number): string {
  const part = file.subarray(0, file.length - addedBytes);
  if (file.subarray(part.length).toString("latin1").trim() === "") return "blanks were added.";
  try {
    const files = openBoth(part, file);
    if (files === undefined) return unknown;
    const { shown, sealed } = files;
    const isSame = [...shown.entries].every(
      ([number, entry]) => JSON.stringify(entry) === JSON.stringify(sealed.entries.get(number)),
    );
    const [root, otherRoot] = [shown, sealed].map(({ trailer }) => JSON.stringify(trailer.get("/Root")));
    if (isSame && root === otherRoot && shown.entries.size === sealed.entries.size) {
      return "bytes were added that readers are not sent to.";
    }
    const pages = [...compareStructure(shown, sealed)].flatMap(([page, { contents }]) =>
      contents.length > 0 ? [page] : [],
    );
    if (pages.length > 0) return `something was drawn onto the sealed pages (${pages.slice(0, 20).join(", ")}).`;
    return "a revision was added, in which fields, signatures or data are new.";
  } catch (error) {
    return error instanceof Difference ? `a revision was added: ${error.message}.` : unknown;
  }
}

const unknown = "something was added that cannot be read as a revision.";

/** Where the evidence log of an organization has the head of a trail. */
interface EvidencePlace {
  readonly logId: string;
  readonly leafIndex: bigint;
  readonly leafHash: Uint8Array;
}

/** As the trail tells of it: the hash in the form that receipts have. */
export const evidenceDetails = ({ logId, leafIndex, leafHash }: EvidencePlace): JsonObject => ({
  logId,
  leafIndex: Number(leafIndex),
  leafHash: `${hashPrefix}${Buffer.from(leafHash).toString("hex")}`,
});

/** Where the log has the head of a completed agreement; undefined until it has it. */
function evidenceIn(events: readonly AuditEvent[]): EvidencePlace | undefined {
  const completed = events.find(({ action }) => action === "agreement.completed");
  const logged = events.find(
    ({ action, details }) => action === "agreement.logged" && details?.sequence === completed?.sequence,
  );
  const { logId, leafIndex, leafHash } = logged?.details ?? {};
  if (typeof logId !== "string" || typeof leafIndex !== "number" || typeof leafHash !== "string") return undefined;
  return { logId, leafIndex: BigInt(leafIndex), leafHash: Buffer.from(leafHash.slice(hashPrefix.length), "hex") };
}

const hashPrefix = "sha256:";

/** What a file is to an agreement. */
interface KnownFile {
  readonly kind: "original" | "sealed" | "certificate";
  readonly agreement: Agreement;
  /** Empty for certificates. */
  readonly documentId: string;
  readonly documentName: string;
}

/** Everything in an agreement that has this hash. */
function knownFiles(agreement: Agreement, sha256: Buffer): KnownFile[] {
  const { certificate, documents } = agreement;
  const found: KnownFile[] = documents.flatMap((document): KnownFile[] => {
    const { documentId, name: documentName } = document;
    const file = { agreement, documentId, documentName };
    if (document.sealedSha256?.equals(sha256) === true) return [{ ...file, kind: "sealed" }];
    const isOriginal = document.sha256.equals(sha256) || document.sentSha256?.equals(sha256) === true;
    return isOriginal ? [{ ...file, kind: "original" }] : [];
  });
  if (certificate?.sha256.equals(sha256) === true) {
    found.push({ kind: "certificate", agreement, documentId: "", documentName: "" });
  }
  return found;
}

/** Those that had to act; who gets a copy only is nobody's business here. */
const partiesOf = ({ recipients }: Agreement) => recipients.filter(({ role }) => role !== "carbon-copy");
