import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import type { NewId } from "#platform/ids.ts";
import type { AcceptPath } from "../accept/accept-path.ts";
import type { ContentKeeper } from "../accept/content-keeper.ts";
import type { TemplateSource } from "../accept/template-source.ts";

/** What the handlers are made of; each takes what it uses. */
export interface ClickDeps {
  /** Connects as the role that acts for one organization at a time. */
  readonly pool: pg.Pool;
  readonly acceptPath: AcceptPath;
  readonly templates: TemplateSource;
  readonly content: ContentKeeper;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Tells the relay that there are new events. */
  wakeRelay(): void;
}
