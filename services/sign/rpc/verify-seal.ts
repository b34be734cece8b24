import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import type { SealedSummarySchema } from "#gen/assent/sign/v1/verification_pb.ts";
import { inSnapshot } from "#platform/db/transaction.ts";
import { isChainIntact } from "../domain/audit-chain.ts";
import { loadAgreement } from "../store/agreement-store.ts";
import { listAuditEvents } from "../store/audit-store.ts";
import { findSealedFile, type SealedFileOwner } from "../store/file-store.ts";
import { evidenceIn } from "../verification/evidence-place.ts";
import { knownFiles } from "../verification/known-files.ts";
import type { SignDeps } from "./deps.ts";
import { partyMessages, readFile, wireFileKinds } from "./file-in-question.ts";

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
