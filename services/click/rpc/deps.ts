import type { AcceptPath } from "../accept/accept-path.ts";
import type { PurposeOffers } from "../consent/purpose-offers.ts";
import type { TemplateOffers } from "../consent/template-offers.ts";
import type { RenderDeps } from "../render/render-deps.ts";
import type { TemplateParts } from "../stats/template-parts.ts";

/** What the handlers are made of; each takes what it uses. */
export interface ClickDeps extends RenderDeps {
  readonly acceptPath: AcceptPath;
  readonly templateParts: TemplateParts;
  readonly purposeOffers: PurposeOffers;
  readonly templateOffers: TemplateOffers;
}
