import { setTimeout as delay } from "node:timers/promises";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { settleChanges } from "./answer-validity.ts";
import { createTemplate } from "./create-template.ts";
import { createVersion } from "./create-version.ts";
import type { TemplatesDeps } from "./deps.ts";
import { getRevision } from "./get-revision.ts";
import { getTemplate } from "./get-template.ts";
import { getVersion } from "./get-version.ts";
import { listTemplates } from "./list-templates.ts";
import { listVersions } from "./list-versions.ts";
import { publishVersion } from "./publish-version.ts";
import { resolveTemplates } from "./resolve-templates.ts";
import { updateTemplate } from "./update-template.ts";

export const templatesRoutes =
  (deps: TemplatesDeps): RpcRoutes =>
  (router) => {
    const handlers = {
      ...createTemplate(deps),
      ...getTemplate(deps),
      ...listTemplates(deps),
      ...updateTemplate(deps),
      ...createVersion(deps),
      ...getVersion(deps),
      ...listVersions(deps),
      ...publishVersion(deps),
      ...resolveTemplates(deps),
      ...getRevision(deps),
    };
    router.service(TemplatesService, settleChanges(handlers, delay));
  };
