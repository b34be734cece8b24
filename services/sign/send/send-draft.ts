import type { Caller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import type { Agreement } from "../agreement/agreement.ts";
import { type Change, type DecisionContext, noChange, thenChange } from "../agreement/change.ts";
import {
  type CallerContext,
  changeWithKey,
  type KeyedAgreement,
  type KeyedRequest,
  type NewBytes,
} from "../agreement/change-agreement.ts";
import { agreementTarget, findEarlier, requireTarget } from "../agreement/context.ts";
import type { CheckedFile, Definition } from "../agreement/definition.ts";
import { refuse } from "../agreement/problems.ts";
import { requireBrands } from "../brands/handlers.ts";
import { findAnchors } from "../create/make-agreement.ts";
import { bytesOf, newDocuments, numberDocuments } from "../create/new-documents.ts";
import type { AnchorMatches } from "../create/place-tabs.ts";
import type { SignDeps } from "../deps.ts";
import { checkFiles } from "../edit/documents.ts";
import { documentLimitProblems } from "../edit/edit-documents.ts";
import { updateAgreement } from "../edit/update-agreement.ts";
import { requireSendable, requireUnsent, sendAgreement } from "./send.ts";

export interface SendCommand {
  readonly agreementId: string;
  /**
   * Changes to make first; lists that are not empty replace existing ones. Read only after the status check, so
   * that a wrong status is reported first.
   */
  readonly changes?: () => Definition;
  readonly idempotency?: KeyedRequest | undefined;
}

/** Limits the retries if somebody keeps changing the draft. */
const maxAttempts = 5;

/**
 * Sends a draft. Anchors are searched outside the transaction because that takes time, and searched again if
 * the draft has changed meanwhile.
 */
export async function sendDraft(
  deps: SignDeps,
  caller: CallerContext,
  command: SendCommand,
  context: DecisionContext,
): Promise<KeyedAgreement> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const sent = await trySending(deps, caller, command, context).catch((error: unknown) =>
      replayInstead(deps, caller, command, error),
    );
    if (sent !== undefined) return sent;
  }
  throw new DomainError("SERVICE_UNAVAILABLE");
}

/** A repeated request may find that the first one has already sent the agreement. */
async function replayInstead(
  deps: SignDeps,
  caller: Pick<Caller, "orgId">,
  { idempotency }: SendCommand,
  error: unknown,
): Promise<KeyedAgreement> {
  const isSent = error instanceof DomainError && error.code === "ENVELOPE_ALREADY_SENT";
  const earlier = isSent ? await findEarlier(deps, caller, idempotency, false) : undefined;
  if (earlier === undefined) throw error;
  return earlier;
}

/** Undefined when the draft has changed meanwhile. */
async function trySending(
  deps: SignDeps,
  caller: CallerContext,
  { agreementId, changes, idempotency }: SendCommand,
  context: DecisionContext,
): Promise<KeyedAgreement | undefined> {
  const target = agreementTarget(agreementId);
  const draft = await requireTarget(deps, caller.orgId, target);
  requireUnsent(draft);
  const prepared = await prepare(deps, caller, draft, changes, context);
  requireSendable(prepared.change.agreement);
  const matches = await findAnchors(deps, caller.orgId, prepared.change.agreement, prepared.bytes);
  const decide = (current: Agreement): Change => {
    requireUnsent(current);
    if (current.version !== draft.version) throw new DraftChanged();
    return thatSends(current, prepared, matches, context);
  };
  try {
    return await changeWithKey(deps, caller, target, decide, { bytes: prepared.bytes, idempotency });
  } catch (error) {
    if (error instanceof DraftChanged) return undefined;
    throw error;
  }
}

class DraftChanged extends Error {}

interface Prepared {
  /** Based on the draft as read. */
  readonly change: Change;
  readonly bytes: NewBytes;
  readonly isChanged: boolean;
}

/** An unchanged draft keeps the part objects just read, because the store only writes what differs. */
function thatSends(current: Agreement, prepared: Prepared, matches: AnchorMatches, context: DecisionContext): Change {
  if (!prepared.isChanged) return sendAgreement(current, matches, context);
  return thenChange(prepared.change, (agreement) => sendAgreement(agreement, matches, context));
}

async function prepare(
  deps: SignDeps,
  { orgId }: Pick<Caller, "orgId">,
  draft: Agreement,
  readChanges: (() => Definition) | undefined,
  context: DecisionContext,
): Promise<Prepared> {
  if (readChanges === undefined) return { change: noChange(draft), bytes: new Map(), isChanged: false };
  const changes = readChanges();
  await requireBrands({ pool: deps.pool, orgId }, [changes]);
  const definitions = numberDocuments(changes.documents);
  const checked: readonly CheckedFile[] = await checkFiles(deps, orgId, definitions);
  const documents = newDocuments(definitions, checked, context);
  refuse(documentLimitProblems(documents));
  const change = updateAgreement(
    draft,
    {
      changes,
      ...(documents.length > 0 ? { documents, files: checked } : {}),
      replaceRecipients: changes.recipients.length > 0,
      replaceCustomFields: changes.customFields.length > 0,
    },
    context,
  );
  return { change, bytes: bytesOf(documents, checked), isChanged: true };
}
