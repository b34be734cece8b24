import type { Client } from "@connectrpc/connect";
import type { CountTemplatePartsResponse, TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";

/** How many versions and active deployments a template has; rejects with CLICK_TEMPLATE_NOT_FOUND. */
export type TemplateParts = (caller: Caller, templateId: string) => Promise<CountTemplatePartsResponse>;

export const createTemplateParts =
  (templates: Client<typeof TemplatesService>): TemplateParts =>
  (caller, templateId) =>
    templates.countTemplateParts({ templateId }, { headers: callerHeaders(caller) });
