import type { Composition } from "#gen/assent/sign/v1/sign_pb.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Agreement } from "../agreement/agreement.ts";
import { loadAgreements } from "../agreement/agreement-store.ts";
import { findEarlier, keyedRequest, waitingCaller } from "../agreement/context.ts";
import { agreementMessage } from "../agreement/messages.ts";
import { invalid, problem } from "../agreement/problems.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";
import type { Layer, LoadedComposition } from "./compose.ts";
import { parseDefinition, parseDocument } from "./input.ts";
import { makeAgreement } from "./make-agreement.ts";

export const createAgreement = (deps: SignDeps): SignRpcs<"createAgreement"> => ({
  async createAgreement(request, context) {
    const caller = waitingCaller(context);
    const { isTemplate, send, observed } = request;
    const idempotency = keyedRequest(request);
    const earlier = await findEarlier(deps, caller, idempotency, isTemplate);
    if (earlier !== undefined) return answer(earlier, caller.orgId);
    if (isTemplate && send) throw invalid(problem("send", "NOT_ALLOWED", "must not be set for templates"));
    const compositions = await loadCompositions(deps, caller.orgId, request.compositions);
    const definition = parseDefinition(request.definition);
    const made = { definition, compositions, isTemplate, send, observed, idempotency };
    return answer(await makeAgreement(deps, caller, made), caller.orgId);
  },
});

const answer = ({ agreement, replayed }: Awaited<ReturnType<typeof makeAgreement>>, orgId: string) => ({
  agreement: agreementMessage(agreement, orgId),
  replayed,
});

/** Loads the templates that the request's compositions name. Throws TEMPLATE_NOT_FOUND. */
async function loadCompositions(
  { pool }: Pick<SignDeps, "pool">,
  orgId: OrgId,
  compositions: readonly Composition[],
): Promise<readonly LoadedComposition[]> {
  const ids = new Set(compositions.flatMap(({ layers }) => layers.flatMap(templateIdOf)));
  const found = ids.size === 0 ? [] : await withOrg(pool, orgId, (tenant) => loadAgreements(tenant, [...ids]));
  const templates = new Map(found.filter(({ status }) => status === "template").map((one) => [one.id, one]));
  return compositions.map(({ layers, document }) => ({
    layers: layers.flatMap((layer) => parseLayer(layer, templates)),
    ...(document === undefined ? {} : { document: parseDocument(document) }),
  }));
}

type WireLayer = Composition["layers"][number];

const templateIdOf = ({ source }: WireLayer): readonly string[] =>
  source.case === "templateId" ? [source.value.toLowerCase()] : [];

function parseLayer(layer: WireLayer, templates: ReadonlyMap<string, Agreement>): readonly Layer[] {
  const { source } = layer;
  if (source.case === "definition") return [{ kind: "definition", definition: parseDefinition(source.value) }];
  return templateIdOf(layer).map((id) => {
    const template = templates.get(id);
    if (template === undefined) throw new DomainError("TEMPLATE_NOT_FOUND");
    return { kind: "template", template };
  });
}
