import type pg from "pg";
import type { TemplateOffers } from "../consent/template-offers.ts";
import type { EvidenceParts } from "../keys/evidence-parts.ts";
import type { Proofs } from "../log/proofs.ts";

/** What evidence is collected with. */
export interface EvidenceDeps
  extends Pick<EvidenceParts, "vault" | "issuer" | "receiptKeys" | "renderKeys" | "logKeys"> {
  readonly pool: pg.Pool;
  readonly proofs: Proofs;
  readonly templateOffers: Pick<TemplateOffers, "published">;
  /** Whether checkpoints of the anchor log get time stamps: until then evidence is not complete. */
  readonly hasTimestampAuthority: boolean;
}
