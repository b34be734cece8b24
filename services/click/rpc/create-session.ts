import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService, CreateSessionRequest } from "#gen/assent/click/v1/click_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { type TemplateName, templateKey } from "../accept/template-source.ts";
import { type BoundText, type CurrentTemplate, chooseText } from "../domain/agreement.ts";
import { captureClaimed } from "../domain/capture.ts";
import { viewSession } from "../domain/session-view.ts";
import { sessionCreated } from "../events.ts";
import { findSession, insertSession, type NewSession } from "../store/session-store.ts";
import type { ClickDeps } from "./deps.ts";
import { sessionMessage } from "./messages.ts";
import { checkNewSession } from "./session-input.ts";

type Deps = Pick<ClickDeps, "pool" | "clock" | "newId" | "templates" | "content" | "wakeRelay">;

export const createSession = (deps: Deps): Pick<ServiceImpl<typeof ClickService>, "createSession"> => ({
  async createSession(request, context) {
    const caller = requireCaller(context);
    checkNewSession(request);
    const template = await resolveTemplate(deps, caller, request);
    const text = await chooseSessionText(deps, caller, request, template);
    await deps.content.keep(caller, text, template.terms);
    const session = newSession(deps, caller, request, { text, template });
    const stored = await withOrg(deps.pool, caller.orgId, async (client) => {
      await insertSession(caller.orgId, client, session);
      const event = { caller, eventId: deps.newId(), now: session.createdAt };
      await insertOutbox(client, "click", [sessionCreated(event, session.id, text)]);
      return findSession(caller.orgId, client, session.id);
    });
    deps.wakeRelay();
    if (stored === undefined) throw new Error("a new session cannot be read");
    return { session: sessionMessage(viewSession(caller.orgId, stored, session.createdAt)) };
  },
});

async function resolveTemplate(deps: Deps, caller: Caller, request: CreateSessionRequest): Promise<CurrentTemplate> {
  const name = templateName(caller, request);
  const template = name && (await deps.templates.resolve([name])).get(templateKey(name));
  if (template === undefined) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
  return template;
}

/** Undefined for what cannot be the name of any template. */
function templateName(caller: Caller, { template }: CreateSessionRequest): TemplateName | undefined {
  if (template.case === undefined) return undefined;
  if (template.case === "templateSlug") return { organizationId: caller.orgId, template };
  const value = template.value.toLowerCase();
  return isUuid(value) ? { organizationId: caller.orgId, template: { case: "templateId", value } } : undefined;
}

async function chooseSessionText(
  deps: Deps,
  caller: Caller,
  { versionId, locale }: CreateSessionRequest,
  template: CurrentTemplate,
): Promise<BoundText> {
  const isPublished = template.published.some((version) => version.versionId === versionId?.toLowerCase());
  const isKnown =
    versionId === undefined ||
    isPublished ||
    (isUuid(versionId) && (await deps.templates.hasVersion(caller, template.terms.terms.templateId, versionId)));
  const text = chooseText(template, { versionId, locale }, isKnown);
  // Nothing fills in values yet, so a text that needs them cannot be shown.
  if (template.terms.needsData) throw new DomainError("CLICK_DATA_INVALID");
  return text;
}

function newSession(
  deps: Deps,
  caller: Caller,
  request: CreateSessionRequest,
  { text, template }: { text: BoundText; template: CurrentTemplate },
): NewSession {
  const createdAt = deps.clock.now();
  const { policy } = template.terms.terms;
  const { templateId, versionId, revision, label, locale, contentHash } = text;
  return {
    id: deps.newId(),
    templateId,
    versionId,
    revision,
    label,
    locale,
    contentHash,
    termsHash: template.terms.hash,
    userRef: request.userRef ?? null,
    metadata: request.metadata,
    returnUrl: request.returnUrl ?? null,
    context: captureClaimed(request.context, policy),
    clientId: caller.clientId,
    requestId: caller.requestId,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + (request.ttlSeconds ?? policy.sessionTtlSeconds) * 1000),
  };
}
