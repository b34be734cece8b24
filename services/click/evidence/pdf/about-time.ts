import { facts, knownFrom, list, section, time, words } from "./facts.ts";
import { type Markup, markup, nothing } from "./markup.ts";
import type { PrintedBundle } from "./printed-bundle.ts";

/** A bundle with the time that its time stamp confirms, for which the stamp has to be read. */
export interface StampedTime {
  /** RFC 3339; null when there is no time stamp. */
  readonly stampedAt: string | null;
}

export function whenSection(bundle: PrintedBundle, { stampedAt }: StampedTime): Markup {
  const { session, receipts, presentation } = bundle;
  const last = receipts.at(-1);
  const isSession = session.origin === "API";
  return section(
    "When",
    facts([
      ["Decision, by the clock of the service", time(last?.acceptedAt)],
      ["Decision, by the clock of the sender", time(last?.clientAcceptedAt)],
      ["Session created", isSession ? time(session.createdAt) : undefined],
      ["Text rendered", time(session.presentedAt ?? presentation.renderedAt)],
      ["Session completed", isSession ? time(session.completedAt) : undefined],
      ["Session expires", isSession && session.completedAt === null ? time(session.expiresAt) : undefined],
      ["Valid until", time(last?.expiresAt)],
      ["To be accepted again by", time(last?.reacceptBy)],
      ["In the log", inLog(bundle)],
      ["Time stamp of an outside authority", stampOf(bundle, stampedAt)],
      ["This document was made", time(bundle.generatedAt)],
    ]),
    timelinePart(bundle),
  );
}

function inLog({ integrity }: PrintedBundle): string | undefined {
  const { log } = integrity;
  if (log === null) return "no record of the session is in the log";
  if (log.treeSize === undefined) return `to be covered by a checkpoint by ${time(log.integrateBy)}`;
  return `record ${log.leafIndex} of the ${log.treeSize} that a signed checkpoint covers`;
}

function stampOf({ integrity }: PrintedBundle, stampedAt: string | null): string | undefined {
  const { anchor } = integrity;
  if (anchor === null) return undefined;
  if (stampedAt !== null) return `${time(stampedAt)}, by ${anchor.tsaName ?? "an authority without a name"}`;
  return anchor.status === "PENDING" ? "still to come" : "none";
}

function timelinePart({ timeline }: PrintedBundle): Markup {
  if (timeline.length === 0) return nothing;
  return markup`<h3>What happened, in the order in which the service learned of it</h3>
${list(
  [["Learned at (UTC)", 40], ["Happened at (UTC)", 40], ["What", 36], ["By", 19], ["Known from", 20], "Detail"],
  timeline,
  (entry) => [
    clock(entry.serverAt),
    entry.at === entry.serverAt ? "then" : clock(entry.at),
    words(entry.type),
    words(entry.actor),
    knownFrom(entry.source),
    entry.detail,
  ],
)}`;
}

/** The title of the column says that it is UTC. */
const clock = (value: string | null): string | undefined => time(value)?.replace(/ UTC$/, "");
