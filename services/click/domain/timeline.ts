import type { EvidencedAcceptance } from "./evidence.ts";
import type { PageEvent } from "./page-facts.ts";
import type { SessionView } from "./session-view.ts";

/** Something that happened, by whose clock. */
export interface TimelineEntry {
  /** When it happened: by the client's clock for what only the client saw. */
  readonly at: string | null;
  /** When we learned of it. */
  readonly serverAt: string;
  readonly type: string;
  readonly actor: "USER" | "BACKEND" | "SYSTEM";
  /** SERVER: we saw it or did it ourselves, at serverAt. CLIENT: somebody has told us. */
  readonly source: "SERVER" | "CLIENT";
  readonly detail: string | null;
}

/** What happened to a session, in the order in which we learned of it. */
export function buildTimeline(
  session: SessionView,
  acceptances: readonly EvidencedAcceptance[],
  events: readonly PageEvent[],
  reason: string | null,
): TimelineEntry[] {
  const entries: (TimelineEntry | undefined)[] = [
    session.origin === "API" ? entry(session.createdAt, "SESSION_CREATED", "BACKEND") : undefined,
    entry(session.presentedAt, "PRESENTED", "SYSTEM"),
    ...events.map(pageEntry),
    ...acceptances.flatMap(acceptanceEntries),
    session.status === "CANCELLED" ? entry(session.updatedAt, "SESSION_CANCELLED", "BACKEND") : undefined,
    session.status === "EXPIRED" ? entry(session.expiresAt, "SESSION_EXPIRED", "SYSTEM") : undefined,
    session.origin === "API"
      ? entry(session.completedAt, "SESSION_COMPLETED", "BACKEND", reason ?? session.outcome)
      : undefined,
  ];
  const known = entries.filter((one) => one !== undefined);
  // Stable: what has the same time stays in the order above.
  return known.sort((a, b) => (a.serverAt < b.serverAt ? -1 : a.serverAt > b.serverAt ? 1 : 0));
}

function entry(
  time: Date | null,
  type: string,
  actor: TimelineEntry["actor"],
  detail: string | null = null,
): TimelineEntry | undefined {
  if (time === null) return undefined;
  const at = time.toISOString();
  return { at, serverAt: at, type, actor, source: "SERVER", detail };
}

const pageEntry = ({ type, at, target, serverAt }: PageEvent): TimelineEntry => ({
  at: at?.toISOString() ?? null,
  serverAt: serverAt.toISOString(),
  type,
  actor: "USER",
  source: "CLIENT",
  detail: target,
});

function acceptanceEntries({ receipt, evidence }: EvidencedAcceptance): TimelineEntry[] {
  const serverAt = receipt.acceptedAt;
  const seen = (evidence?.presentation?.events ?? []).map(({ type, at, target }) => ({
    at: at ?? null,
    serverAt,
    type,
    actor: "USER" as const,
    source: "CLIENT" as const,
    detail: target ?? null,
  }));
  const type = receipt.decision === "ACCEPT" ? "ACCEPTED" : "DECLINED";
  return [
    ...seen,
    {
      at: receipt.clientAcceptedAt ?? serverAt,
      serverAt,
      type,
      actor: "USER",
      source: "SERVER",
      detail: receipt.receiptId,
    },
  ];
}
