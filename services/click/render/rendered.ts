import type { BoundText } from "../domain/agreement.ts";
import type { Placement } from "../domain/placement.ts";
import type { RenderClaims } from "../domain/render-claims.ts";
import type { Terms } from "../domain/terms.ts";
import type { ShownWords } from "./compose.ts";

/** A text as a person is shown it. */
export interface Rendered {
  readonly renderId: string;
  /** Revision 0 for a draft. */
  readonly text: BoundText;
  readonly terms: Terms;
  readonly html: string;
  readonly renderHash: string;
  readonly words: ShownWords;
  readonly placement: Placement | undefined;
  readonly sessionId: string | null;
  readonly alreadyAccepted: boolean;
  /** What its token says; null when nothing can be accepted with it. */
  readonly claims: RenderClaims | null;
  readonly renderedAt: Date;
  readonly expiresAt: Date;
  readonly isDraft: boolean;
}

/** How long a rendering without a session may be accepted. */
export const renderingLifetimeMs = 24 * 60 * 60 * 1000;
