import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type ResolveTemplatesRequest_Item as Item,
  type ResolveTemplatesResponse_ResultSchema as ResultSchema,
  type TemplateSnapshotSchema,
  TemplateStatus,
  TemplateType,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { isUuid, parseOrgId } from "#platform/ids.ts";
import { isSlug } from "#platform/slug.ts";
import { templateStatus } from "../domain/template.ts";
import {
  type Resolution,
  type ResolvedTemplate,
  type ResolveItem,
  resolveTemplates as resolve,
  resolveKey,
} from "../store/resolve-store.ts";
import { answerValidMs } from "./answer-validity.ts";
import type { TemplatesDeps, TemplatesRpcs } from "./deps.ts";
import { counterpartyMessage } from "./messages.ts";

export const resolveTemplates = (
  deps: Pick<TemplatesDeps, "resolverPool" | "clock">,
): TemplatesRpcs<"resolveTemplates"> => ({
  async resolveTemplates(request) {
    const items = request.items.map(parseItem);
    const known = items.filter((item) => item !== undefined);
    const now = deps.clock.now();
    const resolutions = await resolve(deps.resolverPool, known, now);
    const results = items.map((item) => resultMessage(item && resolutions.get(resolveKey(item))));
    return { results, validForMs: validForMs([...resolutions.values()], now) };
  },
});

/** No answer may be used up to the time for which another text is scheduled; ours may be almost a millisecond later. */
const validForMs = (resolutions: readonly Resolution[], now: Date): number =>
  Math.min(
    answerValidMs,
    ...resolutions.flatMap(({ changesAt }) => (changesAt === null ? [] : changesAt - now.getTime() - 1)),
  );

/** Undefined for what cannot be the name of any template; it must not spoil the batch. */
function parseItem(item: Item): ResolveItem | undefined {
  const orgId = parseOrgId(item.organizationId);
  const template = parseName(item.template);
  if (orgId === undefined || template === undefined) return undefined;
  return { orgId, template, knownEtag: etagPattern.test(item.knownEtag) ? item.knownEtag : null };
}

const etagPattern = /^[0-9a-f]{1,64}$/;

function parseName(template: Item["template"]): ResolveItem["template"] | undefined {
  switch (template.case) {
    case "templateId":
      return isUuid(template.value) ? { id: template.value } : undefined;
    case "templateSlug":
      return isSlug(template.value) ? { slug: template.value } : undefined;
    case undefined:
      return undefined;
  }
}

function resultMessage(resolution: Resolution | undefined): MessageInitShape<typeof ResultSchema> {
  if (resolution === undefined) return { etag: "" };
  const { etag, template } = resolution;
  return template === undefined ? { etag } : { etag, snapshot: snapshotMessage(template) };
}

/** A template as an acceptance or a rendering knows it. */
export function snapshotMessage(template: ResolvedTemplate): MessageInitShape<typeof TemplateSnapshotSchema> {
  const { type, archived, counterparty, publishedVersions, changesAt, ...same } = template;
  const status = templateStatus({ archived, publishedVersions: publishedVersions.length });
  return {
    ...same,
    type: TemplateType[type],
    status: TemplateStatus[status],
    counterparty: counterpartyMessage(counterparty),
    publishedVersions: publishedVersions.map((version) => ({ ...version })),
    changesAt: changesAt === null ? undefined : timestampFromMs(changesAt),
  };
}
