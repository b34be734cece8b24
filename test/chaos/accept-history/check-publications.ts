import { answered, byKey } from "./check-answers.ts";
import {
  type AnsweredReceipt,
  changingKey,
  type History,
  type OpenedSession,
  type Publication,
  type Violation,
} from "./history.ts";

/** What an acceptance says about its text. */
interface Named extends AnsweredReceipt {
  readonly versionId: string;
  readonly revision: number;
  readonly acceptedAt: string;
}

/**
 * Of the texts that were changed during the run: every session pins the text that was live when it was opened, an
 * acceptance with a session names what that pinned, and any other the text that was live when it was recorded.
 */
export function checkPublications({ operations, publications, sessions }: History): Violation[] {
  const texts = Map.groupBy(publications, ({ versionId }) => versionId);
  const opened = new Map(sessions.map((session) => [session.key, session]));
  const pinned = sessions.flatMap((session) =>
    told("a session pins a live text", session.sessionId, problemOf(texts.get(session.versionId), momentOf(session))),
  );
  const named = [...byKey(operations)].flatMap(([key, ofKey]) => {
    const [first] = answered(ofKey);
    const receipt = first?.outcome.receipts[0];
    if (first === undefined || receipt === undefined) return [];
    const session = opened.get(first.key);
    if (session !== undefined) return told("an acceptance names what was pinned", key, otherThan(session, receipt));
    if (!isOf(texts, receipt)) {
      const isMissing = first.key.startsWith(changingKey);
      return told("an acceptance names a live text", key, isMissing ? "names another text" : undefined);
    }
    // Who is told that it was recorded now has sent what was recorded; whoever learned of it later sent it at some time.
    const fresh = answered(ofKey).find(({ outcome }) => outcome.fresh);
    const since = fresh?.startedAt ?? Math.min(...ofKey.map(({ startedAt }) => startedAt));
    const at = Date.parse(receipt.acceptedAt);
    const moment = { revision: receipt.revision, notBefore: at, notAfter: at, since };
    const own = texts.get(receipt.versionId)?.filter(({ organizationId }) => organizationId === first.organizationId);
    return told("an acceptance names a live text", key, problemOf(own, moment));
  });
  return [...pinned, ...named];
}

const told = (rule: string, what: string, problem: string | undefined): Violation[] =>
  problem === undefined ? [] : [{ rule, detail: `${what} ${problem}` }];

const isOf = (texts: ReadonlyMap<string, unknown>, receipt: AnsweredReceipt): receipt is Named =>
  texts.has(String(receipt.versionId));

function otherThan(pinned: OpenedSession, receipt: AnsweredReceipt): string | undefined {
  const names = ["sessionId", "versionId", "revision"] as const;
  const other = names.find((name) => receipt[name] !== pinned[name]);
  return other && `names ${other} ${receipt[other]} and not ${pinned[other]}`;
}

/** Something that names a revision, which must have been live by one time and not have ended before another. */
interface Moment {
  readonly revision: number;
  readonly notBefore: number;
  readonly notAfter: number;
  /** When it was asked for, in milliseconds since the beginning of the run. */
  readonly since: number;
}

/** What is shown is composed after it was looked up: it was live at some time between the request and the answer. */
const momentOf = ({ revision, createdAt, askedAt, startedAt }: OpenedSession): Moment => ({
  ...{ revision, notBefore: createdAt, notAfter: askedAt, since: startedAt },
});

function problemOf(
  publications: readonly Publication[] = [],
  { revision, notBefore, notAfter, since }: Moment,
): string | undefined {
  const own = publications.find((one) => one.revision === revision);
  if (own === undefined) return `names revision ${revision}, which was never published`;
  if (notBefore < own.liveFrom) return `names revision ${revision} ${own.liveFrom - notBefore} ms before its time`;
  const later = publications.find(
    (one) => one.revision > revision && one.toldAt < since && (!one.isScheduled || one.liveFrom <= notAfter),
  );
  return later && `names revision ${revision} when revision ${later.revision} was live`;
}
