import type { Caller } from "#platform/caller.ts";
import { thenChange } from "../agreement/change.ts";
import {
  type CallerContext,
  createAgreement,
  type KeyedAgreement,
  type KeyedRequest,
  type Within,
} from "../agreement/change-agreement.ts";
import { decisionContext, senderOf } from "../agreement/context.ts";
import type { Definition } from "../agreement/definition.ts";
import { refuse } from "../agreement/problems.ts";
import type { SignDeps } from "../deps.ts";
import { checkFiles } from "../edit/documents.ts";
import { documentLimitProblems } from "../edit/edit-documents.ts";
import { requireSendable, sendAgreement } from "../send/send.ts";
import { compose, type LoadedComposition } from "./compose.ts";
import { createDraft } from "./create.ts";
import { findAnchors } from "./find-anchors.ts";
import { bytesOf, numberDocuments } from "./new-documents.ts";

/** A new agreement or template. */
export interface NewAgreement {
  readonly definition: Definition;
  /** What it is put together from; the definition goes over it. */
  readonly compositions: readonly LoadedComposition[];
  readonly isTemplate: boolean;
  readonly send: boolean;
  readonly observed: { readonly ip: string; readonly userAgent: string } | undefined;
  readonly idempotency: KeyedRequest | undefined;
  /** What happens in the same transaction. */
  readonly within?: Within;
}

/** Makes an agreement, and sends it in the same transaction when it is to be sent. */
export async function makeAgreement(
  deps: SignDeps,
  caller: Caller & CallerContext,
  wanted: NewAgreement,
): Promise<KeyedAgreement> {
  const { orgId } = caller;
  const { isTemplate, idempotency, within } = wanted;
  await deps.organizations.of(orgId);
  const composed = compose(wanted.definition, wanted.compositions);
  const definition = { ...composed, documents: numberDocuments(composed.documents) };
  const checked = await checkFiles(deps, orgId, definition.documents);
  const context = decisionContext(deps, caller, wanted.observed);
  const draft = createDraft(definition, checked, { isTemplate, sender: senderOf(deps, caller) }, context);
  refuse(documentLimitProblems(draft.agreement.documents));
  const bytes = bytesOf(draft.agreement.documents, checked);
  const options = { bytes, idempotency, ...(within === undefined ? {} : { within }) };
  if (!wanted.send) return createAgreement(deps, caller, draft, options);
  requireSendable(draft.agreement);
  const matches = await findAnchors(deps, orgId, draft.agreement, bytes);
  const sent = thenChange(draft, (agreement) => sendAgreement(agreement, matches, context));
  return createAgreement(deps, caller, sent, options);
}
