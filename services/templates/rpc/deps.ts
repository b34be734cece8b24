import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import type { NewId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { CheckLimits } from "../content-check/check-pool.ts";
import type { ContentChecker } from "../content-check/content-checker.ts";
import type { TemplatesOrm } from "../store/orm.ts";

/** The dependencies of the handlers; each handler picks what it uses. */
export interface TemplatesDeps {
  readonly orm: TemplatesOrm;
  /** Connects as the role that reads across organizations. */
  readonly resolverPool: pg.Pool;
  readonly checker: ContentChecker;
  readonly checkLimits: CheckLimits;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Tells the relay that there are new events. */
  wakeRelay(): void;
}
