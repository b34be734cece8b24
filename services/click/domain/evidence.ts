import type { AcceptanceEvidence } from "./acceptance-evidence.ts";
import type { AcceptanceLeaf } from "./acceptance-leaf.ts";
import type { Aftermath } from "./aftermath.ts";
import type { EvidenceIntegrity } from "./evidence-integrity.ts";
import type { EvidencedShowing } from "./evidence-shown.ts";
import type { PageEvent } from "./page-facts.ts";
import type { PolicyCheck } from "./policy-checks.ts";
import type { Receipt } from "./receipt.ts";
import type { SessionView } from "./session-view.ts";
import type { Terms } from "./terms.ts";

/** The text that was shown, as it was kept. */
export interface ShownText {
  readonly title: string | null;
  readonly content: Buffer;
  readonly format: "HTML" | "MARKDOWN" | "TEXT";
  readonly contentHash: string;
  readonly texts: object;
  readonly publishedAt: Date | null;
  readonly publishedBy: string;
}

/** An acceptance or decline with what may be shown of it. */
export interface EvidencedAcceptance {
  readonly receipt: Receipt;
  readonly leaf: AcceptanceLeaf;
  /** Null when nothing personal may be shown. */
  readonly evidence: AcceptanceEvidence | null;
  /** What the policy asked for; none after erasure. */
  readonly checks: readonly PolicyCheck[];
}

/** Everything that is known about a session, with what proves it. */
export interface Evidence {
  readonly generatedAt: Date;
  readonly session: SessionView;
  /** Why the session was closed, if somebody said so. */
  readonly reason: string | null;
  /** The end user's side as it was when the session was created. */
  readonly sessionContext: object | null;
  /** In the order of the log; the bundle is about the last one. */
  readonly acceptances: readonly EvidencedAcceptance[];
  readonly terms: Terms;
  readonly policyHash: string;
  readonly text: ShownText;
  readonly showing: EvidencedShowing;
  /** What the page of the session told us, oldest first. */
  readonly events: readonly PageEvent[];
  readonly aftermath: Aftermath;
  readonly integrity: EvidenceIntegrity;
}
