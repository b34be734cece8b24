import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { FileInQuestion, PartySchema, SealFindingSchema } from "#gen/assent/sign/v1/verification_pb.ts";
import { FileKind } from "#gen/assent/sign/v1/verification_pb.ts";
import { sha256Of } from "#platform/blobs/blob-store.ts";
import { DomainError } from "#platform/errors.ts";
import type { Agreement } from "../domain/agreement.ts";
import type { Sealer } from "../seal/sealer.ts";
import { type KnownFile, partiesOf } from "../verification/known-files.ts";
import type { FoundSeal, SealReader } from "../verification/seal-reader.ts";
import { wireRecipientStatuses, wireRoles } from "./messages.ts";

/** Sealing adds to the 25 MB that a document may have. */
const maxBytes = 32 * 1024 * 1024;

/** What a file tells by itself. */
export interface ReadFile {
  readonly sha256: Buffer;
  readonly seals: MessageInitShape<typeof SealFindingSchema>[];
}

export async function readFile(
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

export const wireFileKinds: Readonly<Record<KnownFile["kind"], FileKind>> = {
  original: FileKind.ORIGINAL,
  sealed: FileKind.SEALED,
  certificate: FileKind.CERTIFICATE,
};

export const partyMessages = (agreement: Agreement): MessageInitShape<typeof PartySchema>[] =>
  partiesOf(agreement).map(({ recipientId, name, role, status, completedAt, declinedAt }) => {
    const endedAt = completedAt ?? declinedAt;
    return {
      ...{ recipientId, name, role: wireRoles[role], status: wireRecipientStatuses[status] },
      ...(endedAt === null ? {} : { endedAt: timestampFromDate(endedAt) }),
    };
  });
