import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService, CreateSessionRequest } from "#gen/assent/click/v1/click_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { captureClaimed } from "../domain/capture.ts";
import { viewSession } from "../domain/session-view.ts";
import { sessionCreated } from "../events.ts";
import { type Composition, compose } from "../render/compose.ts";
import { findSession, insertSession, type NewSession } from "../store/session-store.ts";
import type { ClickDeps } from "./deps.ts";
import { answerSession } from "./session-answer.ts";
import { checkNewSession } from "./session-input.ts";
import { type PinnedText, pinText } from "./session-text.ts";

type Deps = Pick<
  ClickDeps,
  "pool" | "clock" | "newId" | "templates" | "deployments" | "content" | "html" | "shown" | "tokens" | "wakeRelay"
>;

export const createSession = (deps: Deps): Pick<ServiceImpl<typeof ClickService>, "createSession"> => ({
  async createSession(request, context) {
    const caller = requireCaller(context);
    checkNewSession(request);
    const pinned = await pinText(deps, caller, request);
    const shown = await composeAndKeep(deps, caller, request, pinned);
    const session = newSession(deps, caller, request, pinned, shown);
    const stored = await withOrg(deps.pool, caller.orgId, async (client) => {
      await insertSession(caller.orgId, client, session);
      const event = { caller, eventId: deps.newId(), now: session.createdAt };
      const created = sessionCreated(event, session.id, pinned.text, session.deployment?.id ?? null);
      await insertOutbox(client, "click", [created]);
      return findSession(caller.orgId, client, session.id);
    });
    deps.wakeRelay();
    if (stored === undefined) throw new Error("a new session cannot be read");
    return { session: await answerSession(deps, viewSession(caller.orgId, stored, session.createdAt)) };
  },
});

/** Everything that a session refers to is stored before it. */
async function composeAndKeep(
  { content, html, shown }: Deps,
  caller: Caller,
  { data }: CreateSessionRequest,
  { text, terms, deployment }: PinnedText,
): Promise<Composition> {
  await content.keep(caller, text, terms);
  const composition = compose(await html.load(caller.orgId, text, terms.terms.type), terms.terms, data);
  const contents = [composition.html, composition.wordsJson];
  if (deployment !== undefined) contents.push(deployment.snapshotJson);
  await shown.keep(caller.orgId, contents);
  return composition;
}

function newSession(
  deps: Deps,
  caller: Caller,
  request: CreateSessionRequest,
  { text, terms, deployment }: PinnedText,
  { renderHash, wordsHash, data }: Composition,
): NewSession {
  const createdAt = deps.clock.now();
  const { policy } = terms.terms;
  const { templateId, versionId, revision, label, locale, contentHash } = text;
  const placement = deployment?.placement;
  return {
    id: deps.newId(),
    templateId,
    versionId,
    revision,
    label,
    locale,
    contentHash,
    termsHash: terms.hash,
    userRef: request.userRef ?? null,
    metadata: request.metadata,
    returnUrl: request.returnUrl ?? null,
    context: captureClaimed(request.context, policy),
    clientId: caller.clientId,
    requestId: caller.requestId,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + (request.ttlSeconds ?? policy.sessionTtlSeconds) * 1000),
    deployment: placement === undefined ? null : { id: placement.deploymentId, snapshotHash: placement.snapshotHash },
    renderHash,
    wordsHash,
    data,
  };
}
