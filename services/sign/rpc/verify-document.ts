import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { EvidencePlaceSchema, type KnownFileSchema } from "#gen/assent/sign/v1/verification_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inSnapshot } from "#platform/db/transaction.ts";
import type { OrgId } from "#platform/ids.ts";
import { isChainIntact } from "../domain/audit-chain.ts";
import { loadAgreements } from "../store/agreement-store.ts";
import { listAuditEvents } from "../store/audit-store.ts";
import { findAgreementsWithFile } from "../store/file-store.ts";
import { evidenceIn } from "../verification/evidence-place.ts";
import { type KnownFile, knownFiles } from "../verification/known-files.ts";
import type { SignDeps } from "./deps.ts";
import { partyMessages, readFile, wireFileKinds } from "./file-in-question.ts";
import { wireAgreementStatuses } from "./messages.ts";

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
