import type { Client } from "@connectrpc/connect";
import type pg from "pg";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import type { Clock } from "#platform/clock.ts";
import { createTurns } from "#platform/turns.ts";
import { createTermsPlacer } from "../accept/prepare-shown.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import type { SubjectVault } from "../vault/subject-vault.ts";
import { createDeploymentSource } from "./deployment-source.ts";
import { createDraftSource } from "./draft-source.ts";
import { createHtmlConverter } from "./html-converter.ts";
import { createHtmlSource } from "./html-source.ts";
import { createRenderTokens } from "./render-tokens.ts";
import { createShownKeeper } from "./shown-keeper.ts";

export interface RenderingOptions {
  readonly pool: pg.Pool;
  readonly templates: Client<typeof TemplatesService>;
  readonly renderKeys: SigningKeys;
  readonly vault: SubjectVault;
  readonly clock: Clock;
}

/** The parts that renderings, sessions and acceptances share. */
export function createRendering({ pool, templates, renderKeys, vault, clock }: RenderingOptions) {
  const converter = createHtmlConverter();
  return {
    parts: {
      html: createHtmlSource({ pool, converter }),
      shown: createShownKeeper({ pool, vault }),
      placeTerms: createTermsPlacer(),
      turns: createTurns(),
      tokens: createRenderTokens({ keys: renderKeys, clock }),
      deployments: createDeploymentSource(templates),
      drafts: createDraftSource(templates, converter),
    },
    close: () => converter.close(),
  };
}
