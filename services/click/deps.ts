import type pg from "pg";
import type { AcceptPath } from "./accept/accept-path.ts";
import type { PurposeOffers, TemplateOffers } from "./consent/purpose-offers.ts";
import type { EvidencePrinter } from "./evidence/pdf/evidence-printer.ts";
import type { EvidenceParts } from "./keys/evidence-parts.ts";
import type { Proofs } from "./log/proofs.ts";
import type { AcceptanceSource } from "./receipts/acceptance-store.ts";
import type { RenderDeps } from "./render/render-deps.ts";
import type { TemplateParts } from "./stats/create-statistics.ts";

/** What the handlers are made of; each takes what it uses. */
export interface ClickDeps extends RenderDeps, EvidenceParts {
  readonly acceptPath: AcceptPath;
  readonly findAcceptance: AcceptanceSource;
  /** PEM of the certificates that the chains of time-stamping authorities must end in. */
  readonly tsaCertificates: readonly string[];
  readonly evidencePrinter: EvidencePrinter;
  readonly templateParts: TemplateParts;
  readonly purposeOffers: PurposeOffers;
  readonly templateOffers: TemplateOffers;
  readonly proofs: Proofs;
  /** Connects as the role that takes personal data away. */
  readonly eraserPool: pg.Pool;
  /** Whether checkpoints of the anchor log get time stamps: until then evidence is not complete. */
  readonly hasTimestampAuthority: boolean;
}
