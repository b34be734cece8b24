import type { SessionFacts } from "../domain/agreement.ts";
import { type CompletionInput, completionLeaf } from "../domain/completion-leaf.ts";
import type { PageEvent } from "../domain/page-facts.ts";
import type { RecordedReceipt } from "../domain/receipt.ts";
import { type KnownPerson, nobody, type SessionPerson } from "../domain/session-person.ts";
import type { LeafDraft } from "../log/leaf-signer.ts";
import type { StoredPageEvent } from "../store/session-event-store.ts";
import type { SessionFactsRow } from "../store/session-store.ts";
import { openReceipt } from "./acceptance-seal.ts";
import { readSeed } from "./record-seed.ts";
import type { RecordName, SubjectVault } from "./subject-vault.ts";

/** What the completion of a session adds. */
export interface SessionClosing {
  readonly reason: string | null;
  /** Of the completion's leaf (RFC 9901). */
  readonly disclosures: readonly string[];
}

/** The sealed part of a row of click.session. */
export interface SealedSession {
  readonly id: string;
  readonly sealed: Buffer | null;
  readonly sealedReason: Buffer | null;
  /** As stored. */
  readonly seed: Buffer | null;
}

export interface OpenedSession extends KnownPerson {
  readonly closing: SessionClosing;
}

export const sealSession = (vault: SubjectVault, record: RecordName, seed: Buffer, person: SessionPerson): Buffer =>
  vault.seal(record, seed, JSON.stringify(person));

/** What completing a session writes besides its state. */
export interface SealedCompletion {
  readonly leaf: LeafDraft;
  /** For the row of the session: SessionClosing. */
  readonly sealedReason: Buffer | null;
}

/** Without a seed nothing personal may be added to what is known: the leaf then commits to nothing. */
export function sealCompletion(vault: SubjectVault, seed: Buffer | null, input: CompletionInput): SealedCompletion {
  const { organizationId, sessionId: recordId, person } = input;
  const { payload, disclosures } = completionLeaf(seed === null ? { ...input, person: null } : input);
  const closing: SessionClosing = { reason: person?.reason ?? null, disclosures };
  const sealedReason = seed === null ? null : vault.seal({ organizationId, recordId }, seed, JSON.stringify(closing));
  return { leaf: { recordId, payload }, sealedReason };
}

/** Nothing personal is left of a session that was erased or is restricted. Throws when it was sealed otherwise. */
export function openSession(
  vault: SubjectVault,
  organizationId: string,
  { id, sealed, sealedReason, seed: stored }: SealedSession,
  opensRestricted = false,
): OpenedSession {
  const record = { organizationId, recordId: id };
  const known = readSeed(vault, record, stored, opensRestricted);
  const open = <T>(box: Buffer | null, otherwise: T): T =>
    box === null || known.seed === null
      ? otherwise
      : (JSON.parse(vault.open(record, known.seed, box).toString("utf8")) as T);
  return { ...known, person: open(sealed, nobody), closing: open(sealedReason, notClosed) };
}

const notClosed: SessionClosing = { reason: null, disclosures: [] };

export const sealEvents = (
  vault: SubjectVault,
  record: RecordName,
  seed: Buffer,
  events: readonly PageEvent[],
): StoredPageEvent[] =>
  events.map(({ target, ...event }) => ({
    ...event,
    sealedTarget: target === null ? null : vault.seal(record, seed, target),
  }));

export const openEvents = (
  vault: SubjectVault,
  record: RecordName,
  seed: Buffer,
  events: readonly StoredPageEvent[],
): PageEvent[] =>
  events.map(({ sealedTarget, ...event }) => ({
    ...event,
    target: sealedTarget === null ? null : vault.open(record, seed, sealedTarget).toString("utf8"),
  }));

/** A session as acceptances need it, with its user in memory. */
export function openSessionFacts(vault: SubjectVault, row: SessionFactsRow): SessionFacts {
  const { organizationId, sealed, seed: stored, userReceiptId, userSealed, userSeed, ...rest } = row;
  const sealedRow = { id: row.id, sealed, sealedReason: null, seed: stored };
  const { person, seed, erased } = openSession(vault, organizationId, sealedRow);
  const { metadata, context, data } = person;
  const userRef = person.userRef ?? (seed === null ? null : acceptedBy(vault, row));
  return { ...rest, userRef, metadata, context, data, seed, erased };
}

/** Who accepted a session that was made for nobody in particular. */
function acceptedBy(
  vault: SubjectVault,
  { organizationId, userReceiptId, userSealed, userSeed }: SessionFactsRow,
): string | null {
  if (userReceiptId === null || userSealed === null) return null;
  const record = { organizationId, recordId: userReceiptId };
  const { seed } = readSeed(vault, record, userSeed);
  if (seed === null) return null;
  const receipt = JSON.parse(openReceipt(vault, record, seed, userSealed)) as Pick<RecordedReceipt, "userRef">;
  return receipt.userRef;
}
