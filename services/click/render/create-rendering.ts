import type { Client } from "@connectrpc/connect";
import type pg from "pg";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import { createTermsPlacer } from "../accept/prepare-shown.ts";
import { renderKeyKek } from "../domain/sealed-key.ts";
import { createDeploymentSource } from "./deployment-source.ts";
import { createDraftSource } from "./draft-source.ts";
import { createHtmlConverter } from "./html-converter.ts";
import { createHtmlSource } from "./html-source.ts";
import { createRenderKeys } from "./render-keys.ts";
import { createRenderTokens } from "./render-tokens.ts";
import { createShownKeeper } from "./shown-keeper.ts";

export interface RenderingOptions {
  readonly pool: pg.Pool;
  readonly templates: Client<typeof TemplatesService>;
  /** 32 bytes. */
  readonly masterKey: Buffer;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The parts that renderings, sessions and acceptances share. */
export function createRendering({ pool, templates, masterKey, clock, logger }: RenderingOptions) {
  const converter = createHtmlConverter();
  const keys = createRenderKeys({ pool, kek: renderKeyKek(masterKey), clock, logger });
  return {
    parts: {
      html: createHtmlSource({ pool, converter }),
      shown: createShownKeeper({ pool }),
      placeTerms: createTermsPlacer(),
      tokens: createRenderTokens({ keys, clock }),
      deployments: createDeploymentSource(templates),
      drafts: createDraftSource(templates, converter),
    },
    close: () => converter.close(),
  };
}
