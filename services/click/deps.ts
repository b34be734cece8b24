import type { ServiceImpl } from "@connectrpc/connect";
import type pg from "pg";
import type { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import type { ErrorCode } from "#platform/errors.ts";
import type { AcceptPath } from "./accept/accept-path.ts";
import type { PurposeOffers, TemplateOffers } from "./consent/purpose-offers.ts";
import type { Setbacks } from "./erasure/erase-due.ts";
import type { EvidencePrinter } from "./evidence/pdf/evidence-printer.ts";
import type { EvidenceParts } from "./keys/evidence-parts.ts";
import type { LogGuard } from "./log/epochs.ts";
import type { Proofs } from "./log/proofs.ts";
import type { AcceptanceSource } from "./receipts/acceptance-store.ts";
import type { RenderDeps } from "./render/render-deps.ts";
import type { TemplateParts } from "./stats/create-statistics.ts";

/** The dependencies of the handlers; each handler picks what it uses. */
export interface ClickDeps extends RenderDeps, EvidenceParts {
  readonly acceptPath: AcceptPath;
  /** Counts what came of an item of a batch: "ok" or the code of its error. */
  countItem(code: "ok" | ErrorCode): void;
  readonly findAcceptance: AcceptanceSource;
  /** PEM certificates that the chains of timestamp authorities must end in. */
  readonly tsaCertificates: readonly string[];
  readonly evidencePrinter: EvidencePrinter;
  readonly templateParts: TemplateParts;
  readonly purposeOffers: PurposeOffers;
  readonly templateOffers: TemplateOffers;
  readonly proofs: Proofs;
  /** Before anything is recorded. */
  readonly logGuard: LogGuard;
  /** Before anything is deleted for its time. */
  readonly setbacks: Setbacks;
  /** Connects as the role that reads the logs of all organizations. */
  readonly integratorPool: pg.Pool;
  /** Connects as the role that removes personal data. */
  readonly eraserPool: pg.Pool;
  /** Whether checkpoints of the anchor log get timestamps. Evidence is complete only with one. */
  readonly hasTimestampAuthority: boolean;
}

/** Some RPCs of the service. */
export type ClickRpcs<Name extends keyof ServiceImpl<typeof ClickService>> = Pick<
  ServiceImpl<typeof ClickService>,
  Name
>;
