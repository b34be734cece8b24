import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import type { NewId, OrgId } from "#platform/ids.ts";
import type { ContentKeeper } from "../accept/content-keeper.ts";
import type { KeyHasher } from "../accept/key-hasher.ts";
import type { PlaceTerms } from "../accept/prepare-shown.ts";
import type { TemplateSource } from "../accept/template-source.ts";
import type { BoundText } from "../domain/agreement.ts";
import type { SubjectVault } from "../vault/subject-vault.ts";
import type { DeploymentSource } from "./deployment-source.ts";
import type { DraftSource } from "./draft-source.ts";
import type { HtmlSource } from "./html-source.ts";
import type { RenderTokens } from "./render-tokens.ts";
import type { ShownKeeper } from "./shown-keeper.ts";

/** What renderings are made of; each takes what it uses. */
export interface RenderDeps {
  /** Connects as the role that acts for one organization at a time. */
  readonly pool: pg.Pool;
  readonly templates: TemplateSource;
  readonly deployments: DeploymentSource;
  readonly drafts: DraftSource;
  readonly content: ContentKeeper;
  readonly html: HtmlSource;
  readonly shown: ShownKeeper;
  readonly placeTerms: PlaceTerms;
  readonly tokens: RenderTokens;
  readonly keys: KeyHasher;
  readonly vault: SubjectVault;
  readonly clock: Clock;
  readonly newId: NewId;
  /** For the statistics; costs nothing. */
  countRendering(orgId: OrgId, text: BoundText, at: Date): void;
  /** Tells the relay that there are new events. */
  wakeRelay(): void;
  /** Says that leaves were added to this organization's log, after their commit; costs nothing. */
  wakeIntegrator(organizationId: string): void;
}
