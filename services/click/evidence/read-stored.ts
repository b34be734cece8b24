import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import { readAftermath } from "../consent/read-aftermath.ts";
import type { AcceptanceLeaf } from "../domain/acceptance-leaf.ts";
import type { Aftermath } from "../domain/aftermath.ts";
import type { ShownText } from "../domain/evidence.ts";
import { hashesOf } from "../domain/evidence-shown.ts";
import type { PageEvent } from "../domain/page-facts.ts";
import { type FoundSession, readSession, readSessionEvents } from "../rpc/read-session.ts";
import { findText } from "../store/content-store.ts";
import { findLeaves, type LoggedLeaf } from "../store/log-store.ts";
import { findShown } from "../store/shown-store.ts";
import { readSealedRendering } from "../vault/rendering-seal.ts";
import type { SubjectVault } from "../vault/subject-vault.ts";
import { type ChosenTree, chooseTree } from "./choose-tree.ts";

/** What is stored of a session, as of one moment. */
export interface StoredEvidence {
  /** With its acceptances in the order of the log. */
  readonly found: FoundSession;
  readonly text: ShownText;
  /** What was shown to everybody, by its hash. */
  readonly contents: ReadonlyMap<string, Buffer>;
  /** What was shown with somebody's values; null when there is nothing or it may not be read. */
  readonly rendering: string | null;
  readonly events: readonly PageEvent[];
  readonly since: Omit<Aftermath, "currentRevision">;
  /** In the order of the log. */
  readonly leaves: readonly LoggedLeaf[];
  readonly tree: ChosenTree | undefined;
}

export interface StoredRequest {
  readonly sessionId: string;
  readonly openRestricted: boolean;
  readonly now: Date;
}

/** Undefined when there is no such session. Throws when something was sealed with another master key. */
export async function readStored(
  vault: SubjectVault,
  orgId: OrgId,
  client: pg.ClientBase,
  { sessionId, openRestricted, now }: StoredRequest,
): Promise<StoredEvidence | undefined> {
  const reading = { vault, opensRestricted: openRestricted };
  const session = await readSession(reading, orgId, client, sessionId, now);
  if (session === undefined) return undefined;
  const text = await findText(orgId, client, session.view);
  if (text === undefined) throw new Error("the text of a session is not stored");
  const found = { ...session, acceptances: session.acceptances.toSorted((a, b) => a.leafIndex - b.leafIndex) };
  const leaves = await readLeaves(orgId, client, found);
  const isPersonalized = session.view.templateType === "GENERATED";
  return {
    found,
    text,
    contents: await findShown(orgId, client, shownHashes(found)),
    rendering: isPersonalized ? await readSealedRendering(vault, orgId, client, session.view.id, openRestricted) : null,
    events: await readSessionEvents(reading, orgId, client, session),
    since: await readAftermath(reading, orgId, client, session),
    leaves,
    tree: await chooseTree(orgId, client, leaves),
  };
}

/** Those of the acceptances, and that of the completion of the session. */
async function readLeaves(orgId: OrgId, client: pg.ClientBase, { view, acceptances }: FoundSession) {
  const recordIds = [...acceptances.map(({ receiptId }) => receiptId), view.id];
  const leaves = await findLeaves(orgId, client, recordIds);
  return [...leaves.values()].sort((a, b) => a.leafIndex - b.leafIndex);
}

/** The leaf of an acceptance names what is not personal of it; a hash that is personal names nothing here. */
function shownHashes({ acceptances, shown }: FoundSession): string[] {
  const last = acceptances.at(-1);
  return hashesOf(last === undefined ? shown : (JSON.parse(last.leaf.toString("utf8")) as AcceptanceLeaf));
}
