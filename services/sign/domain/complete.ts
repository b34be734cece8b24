import type { Agreement, SealedFile, SealLevel } from "./agreement.ts";
import type { Change, DecisionContext } from "./change.ts";
import { changeTo, noChange } from "./change-list.ts";
import { followUpJobs } from "./follow-up-jobs.ts";
import { completedMails } from "./mails.ts";
import { withStatus } from "./transitions.ts";

/** What was sealed of an agreement. */
export interface SealedParts {
  /** By the UUID of the document; all of them. */
  readonly documents: ReadonlyMap<string, SealedDocument>;
  /** Undefined until it is made: it tells of everything else. */
  readonly certificate: SealedDocument | undefined;
}

export interface SealedDocument extends SealedFile {
  readonly level: SealLevel;
}

/** Everything is sealed. Does nothing unless the agreement waits for that: whoever comes second changes nothing. */
export function completeAgreement(
  agreement: Agreement,
  { documents: sealed, certificate }: SealedParts,
  { now, actor }: DecisionContext,
): Change {
  if (agreement.status !== "completing") return noChange(agreement);
  const documents = agreement.documents.map((document) => {
    const { id, sha256 } = requireSealed(sealed, document.id);
    return { ...document, sealedId: id, sealedSha256: sha256 };
  });
  const levels = [...sealed.values(), ...(certificate === undefined ? [] : [certificate])].map(({ level }) => level);
  const completed: Agreement = {
    ...withStatus(agreement, "completed", now),
    documents,
    ...(certificate === undefined
      ? {}
      : { certificate: { id: certificate.id, sha256: certificate.sha256 }, sealLevel: lowestLevel(levels) }),
  };
  return changeTo(completed, {
    audit: [{ action: "agreement.completed", actor, details: { documents: documents.map(toldOf(sealed)) } }],
    events: [
      { kind: "agreement.completed" },
      ...documents.map(({ id, sealedSha256: sha256 }) => ({
        ...{ kind: "document.completed" as const, documentId: id, sha256 },
      })),
    ],
    jobs: [...followUpJobs.evidence(completed, now), ...completedMails(completed)],
  });
}

const toldOf =
  (sealed: SealedParts["documents"]) =>
  ({ id, documentId }: { readonly id: string; readonly documentId: string }) => {
    const { sha256, level } = requireSealed(sealed, id);
    return { documentId, sealedSha256: sha256.toString("hex"), sealLevel: level };
  };

function requireSealed(sealed: SealedParts["documents"], id: string): SealedDocument {
  const found = sealed.get(id);
  if (found === undefined) throw new Error(`document ${id} is not sealed`);
  return found;
}

/** What all of them have at least reached; B-T of none. */
export const lowestLevel = (levels: readonly SealLevel[]): SealLevel =>
  levels.every((level) => level === "B-T") ? "B-T" : "B-B";
