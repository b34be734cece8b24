import type { JsonObject } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService, CreateSessionRequest } from "#gen/assent/click/v1/click_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { captureClaimed } from "../domain/capture.ts";
import type { Policy } from "../domain/policy.ts";
import type { SessionPerson } from "../domain/session-person.ts";
import { viewSession } from "../domain/session-view.ts";
import { sessionCreated } from "../events.ts";
import { type Composition, compose } from "../render/compose.ts";
import { findSession, insertSession, type NewSession } from "../store/session-store.ts";
import { sealRendering } from "../vault/rendering-seal.ts";
import { openSession, sealSession } from "../vault/session-seal.ts";
import { newSeed } from "../vault/subject-vault.ts";
import type { ClickDeps } from "./deps.ts";
import { answerSession } from "./session-answer.ts";
import { checkNewSession } from "./session-input.ts";
import { type PinnedText, pinText } from "./session-text.ts";

type Deps = Pick<
  ClickDeps,
  | "pool"
  | "vault"
  | "clock"
  | "newId"
  | "templates"
  | "deployments"
  | "content"
  | "html"
  | "shown"
  | "tokens"
  | "wakeRelay"
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
    const opened = openSession(deps.vault, caller.orgId, stored);
    return { session: await answerSession(deps, viewSession(caller.orgId, stored, opened, session.createdAt)) };
  },
});

/** Everything that a session refers to and that tells nothing about its user is stored before it. */
async function composeAndKeep(
  { content, html, shown }: Deps,
  caller: Caller,
  { data }: CreateSessionRequest,
  { text, terms, deployment }: PinnedText,
): Promise<Composition> {
  await content.keep(caller, text, terms);
  const composition = compose(await html.load(caller.orgId, text, terms.terms.type), terms.terms, data);
  const contents = [composition.wordsJson];
  if (composition.data === null) contents.push(composition.html);
  if (deployment !== undefined) contents.push(deployment.snapshotJson);
  await shown.keep(caller.orgId, contents);
  return composition;
}

function newSession(
  deps: Deps,
  caller: Caller,
  request: CreateSessionRequest,
  { text, terms, deployment }: PinnedText,
  { html, renderHash, wordsHash, data }: Composition,
): NewSession {
  const { vault } = deps;
  const createdAt = deps.clock.now();
  const { policy } = terms.terms;
  const { templateId, versionId, revision, label, locale, contentHash } = text;
  const placement = deployment?.placement;
  const id = deps.newId();
  const record = { organizationId: caller.orgId, recordId: id };
  const seed = newSeed();
  return {
    id,
    templateId,
    versionId,
    revision,
    label,
    locale,
    contentHash,
    termsHash: terms.hash,
    subjectIndex: request.userRef === undefined ? null : vault.subjectIndex(caller.orgId, request.userRef),
    seed,
    sealed: sealSession(vault, record, seed, personOf(request, policy, data)),
    clientId: caller.clientId,
    requestId: caller.requestId,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + (request.ttlSeconds ?? policy.sessionTtlSeconds) * 1000),
    deployment: placement === undefined ? null : { id: placement.deploymentId, snapshotHash: placement.snapshotHash },
    renderHash,
    sealedRendering: data === null ? null : sealRendering(vault, record, seed, html),
    wordsHash,
  };
}

const personOf = (
  { userRef, metadata, returnUrl, context }: CreateSessionRequest,
  policy: Policy,
  data: JsonObject | null,
): SessionPerson => ({
  userRef: userRef ?? null,
  metadata,
  returnUrl: returnUrl ?? null,
  context: captureClaimed(context, policy),
  data,
});
