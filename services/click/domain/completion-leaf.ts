import type { LeafPayload } from "../log/leaf.ts";
import type { BoundText } from "./agreement.ts";
import { digestAlgorithm, disclose } from "./disclosures.ts";
import type { SessionOutcome } from "./session.ts";

/** What the log holds of a session that was completed. */
export interface CompletionLeaf extends LeafPayload {
  readonly kind: "click.session.completed";
  /** The session. */
  readonly sid: string;
  readonly outcome: SessionOutcome;
  readonly tpl: string;
  readonly ver: string;
  readonly rev: number;
  readonly label: string;
  readonly locale: string;
  readonly contentHash: string;
  readonly termsHash: string;
  readonly createdAt: string;
  readonly completedAt: string;
  /** Its acceptances, oldest first; that of a decline among them. */
  readonly receipts: readonly string[];
  readonly _sd: readonly string[];
  readonly _sd_alg: typeof digestAlgorithm;
}

export interface CompletionInput {
  readonly issuer: string;
  readonly organizationId: string;
  readonly sessionId: string;
  readonly outcome: SessionOutcome;
  readonly text: BoundText;
  readonly termsHash: Buffer;
  readonly createdAt: Date;
  readonly completedAt: Date;
  readonly receiptIds: readonly string[];
  /** What is personal of it; null when that was erased or is restricted. */
  readonly person: CompletedBy | null;
}

export interface CompletedBy {
  readonly userRef: string | null;
  readonly reason: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly context: object | null;
}

/** The leaf, and what proves the personal values that it commits to. The record id of the leaf is the session's. */
export function completionLeaf(input: CompletionInput): {
  readonly payload: CompletionLeaf;
  readonly disclosures: readonly string[];
} {
  const { text } = input;
  const { digests, disclosures } = disclose(personalValues(input.person), disclosurePlaces);
  const payload: CompletionLeaf = {
    v: 1,
    kind: "click.session.completed",
    iss: input.issuer,
    org: input.organizationId,
    sid: input.sessionId,
    outcome: input.outcome,
    tpl: text.templateId,
    ver: text.versionId,
    rev: text.revision,
    label: text.label,
    locale: text.locale,
    contentHash: text.contentHash,
    termsHash: `sha256:${input.termsHash.toString("hex")}`,
    createdAt: input.createdAt.toISOString(),
    completedAt: input.completedAt.toISOString(),
    receipts: input.receiptIds,
    _sd: digests,
    _sd_alg: digestAlgorithm,
  };
  return { payload, disclosures };
}

/** userRef, reason, metadata, context. */
const disclosurePlaces = 4;

function personalValues(person: CompletedBy | null): Readonly<Record<string, unknown>> {
  if (person === null) return {};
  const { userRef, reason, metadata, context } = person;
  return { userRef, reason, metadata: Object.keys(metadata).length === 0 ? null : metadata, context };
}
