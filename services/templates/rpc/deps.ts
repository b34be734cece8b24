import type { Client, ServiceImpl } from "@connectrpc/connect";
import type pg from "pg";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import type { Clock } from "#platform/clock.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid, type NewId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { CheckLimits } from "../content-check/check-pool.ts";
import type { ContentChecker } from "../content-check/content-checker.ts";
import type { TemplatesOrm } from "../store/orm.ts";

/** The dependencies of the handlers; each handler picks what it uses. */
export interface TemplatesDeps {
  readonly orm: TemplatesOrm;
  /** Reads of one organization with a single statement. */
  readonly readerPool: pg.Pool;
  /** Connects as the role that reads across organizations. */
  readonly resolverPool: pg.Pool;
  readonly checker: ContentChecker;
  readonly checkLimits: CheckLimits;
  /** How much all screenshots that deployments of an organization have ever named may have together. */
  readonly screenshotBytes: number;
  /** Checks PDFs. */
  readonly pdfs: Pick<Client<typeof SignService>, "checkPdf">;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Tells the relay that there are new events. */
  wakeRelay(): void;
  /** Tells all processes that a publication is scheduled. */
  wakePublisher(): void;
}

/** An id that is not a UUID names nothing, so it is answered like an unknown one. */
export function parseTemplateId(text: string): string {
  if (!isUuid(text)) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
  return text.toLowerCase();
}

/** See parseTemplateId; callers that know the template ask for that first. */
export function parseVersionId(text: string): string {
  if (!isUuid(text)) throw new DomainError("CLICK_VERSION_NOT_FOUND");
  return text.toLowerCase();
}

/** See parseTemplateId. */
export function parseDeploymentId(text: string): string {
  if (!isUuid(text)) throw new DomainError("CLICK_DEPLOYMENT_NOT_FOUND");
  return text.toLowerCase();
}

/** Some RPCs of the service. */
export type TemplatesRpcs<Name extends keyof ServiceImpl<typeof TemplatesService>> = Pick<
  ServiceImpl<typeof TemplatesService>,
  Name
>;
