import type { AcceptanceEvidence } from "../../receipts/acceptance-evidence.ts";
import type { RecordedReceipt } from "../../receipts/receipt.ts";
import { orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { type ClickHarness, rows } from "../../test/harness.ts";
import { openAcceptance } from "../../vault/seals.ts";
import { createSubjectVault } from "../../vault/subject-vault.ts";
import { acceptTimeBucket, acceptTimeQuantile } from "../template-stats.ts";
import type { StatFilter } from "./stats-actions.ts";

interface SessionRow {
  readonly id: string;
  readonly versionId: string;
  readonly locale: string;
  readonly status: string;
  readonly outcome: string | null;
  readonly single: boolean;
  readonly createdAt: Date;
  readonly presentedAt: Date | null;
  readonly completedAt: Date | null;
  readonly expiresAt: Date;
  readonly updatedAt: Date;
}

interface AcceptanceRow {
  readonly receipt: RecordedReceipt;
  readonly evidence: AcceptanceEvidence;
  readonly sessionId: string | null;
}

interface ConsentRow {
  readonly purpose: string;
  readonly type: string;
  readonly at: Date;
  readonly versionId: string;
  readonly locale: string;
}

export interface Records {
  readonly sessions: readonly SessionRow[];
  readonly acceptances: readonly AcceptanceRow[];
  readonly consents: readonly ConsentRow[];
}

/** Everything that is stored of a template, as it is. */
export async function readRecords(click: ClickHarness, template: FakeTemplate): Promise<Records> {
  const of = [orgOf(template), template.templateId];
  const sessions = await rows<SessionRow>(
    click,
    `select s.id, s.version_id as "versionId", s.locale, s.status, s.outcome, s.created_at as "createdAt",
       s.presented_at as "presentedAt", s.completed_at as "completedAt", s.expires_at as "expiresAt",
       s.updated_at as "updatedAt", (t.terms::jsonb #>> '{policy,singleUseSession}')::boolean as single
     from click.session s join click.template_terms t using (organization_id, terms_hash)
     where s.organization_id = $1 and s.template_id = $2`,
    of,
  );
  const acceptances = await rows<{ recordId: string; sealed: Buffer; seed: Buffer; sessionId: string | null }>(
    click,
    `select a.receipt_id as "recordId", a.sealed, k.seed, a.session_id as "sessionId"
     from click.acceptance a
     join click.subject_key k on k.organization_id = a.organization_id and k.record_id = a.receipt_id
     where a.organization_id = $1 and a.template_id = $2`,
    of,
  );
  const consents = await rows<ConsentRow>(
    click,
    `select purpose, type, recorded_at as at, version_id as "versionId", locale from click.consent_event
     where organization_id = $1 and template_id = $2`,
    of,
  );
  const vault = createSubjectVault([click.masterKey], () => click.masterKey);
  const opened = acceptances.map(({ recordId, sealed, seed, sessionId }) => {
    const record = { organizationId: orgOf(template), recordId };
    const { receipt, evidence } = openAcceptance(vault, record, seed, sealed);
    return { receipt, evidence, sessionId };
  });
  return { sessions, acceptances: opened, consents };
}

const day = (time: Date | string): string => (typeof time === "string" ? time : time.toISOString()).slice(0, 10);

/** The statistics as somebody counts them who has all the time of the world. */
export function recount({ sessions, acceptances, consents }: Records, filter: StatFilter, now: Date): object {
  const isOf = (text: { versionId: string; locale: string }): boolean =>
    (filter.versionId ?? text.versionId) === text.versionId && (filter.locale ?? text.locale) === text.locale;
  const isWithin = (time: Date | string | null): boolean =>
    time !== null && day(time) >= (filter.from ?? "") && day(time) <= (filter.to ?? "9999");
  const count = (is: (session: SessionRow) => boolean, time: (session: SessionRow) => Date | null): number =>
    sessions.filter((session) => isOf(session) && is(session) && isWithin(time(session))).length;
  const decided = acceptances.filter(({ receipt }) => isOf(receipt) && isWithin(receipt.acceptedAt));
  const accepted = decided.filter(({ receipt }) => receipt.decision === "ACCEPT");
  const withSession = accepted.filter(({ sessionId }) => sessionId !== null);
  const counted = {
    created: count(
      () => true,
      ({ createdAt }) => createdAt,
    ),
    presented: count(
      () => true,
      ({ presentedAt }) => presentedAt,
    ),
    accepted: new Set(withSession.map(({ sessionId }) => sessionId)).size,
    completed: count(
      ({ status }) => status === "COMPLETED",
      ({ completedAt }) => completedAt,
    ),
    declined: count(
      ({ outcome }) => outcome === "DECLINED",
      ({ updatedAt }) => updatedAt,
    ),
    expired: count(
      ({ status }) => status === "EXPIRED",
      ({ expiresAt }) => expiresAt,
    ),
    cancelled: count(
      ({ status }) => status === "CANCELLED",
      ({ updatedAt }) => updatedAt,
    ),
  };
  const unanswered = count(
    ({ status, outcome }) => status === "COMPLETED" && outcome === "NONE",
    ({ completedAt }) => completedAt,
  );
  const abandoned = counted.expired + counted.cancelled + unanswered;
  const ended = counted.accepted + counted.declined + abandoned;
  const rate = (part: number) => (ended === 0 ? null : part / ended);
  const directDeclines = decided.filter(
    ({ receipt, sessionId }) => receipt.decision === "DECLINE" && sessionId === null,
  );
  const since = (days: number): number => {
    const start = Math.floor((now.getTime() - days * 86_400_000) / 3_600_000) * 3_600_000;
    return accepted.filter(({ receipt }) => Date.parse(receipt.acceptedAt) >= start).length;
  };
  const times = accepted.flatMap((one) => {
    const ms = displayedFor(one, sessions);
    return ms === undefined ? [] : [{ bucket: acceptTimeBucket(ms), acceptances: 1 }];
  });
  const consented = consents.filter((consent) => isOf(consent) && isWithin(consent.at));
  const acceptedAt = accepted.map(({ receipt }) => receipt.acceptedAt).sort();
  return {
    sessions: counted,
    acceptances: {
      total: accepted.length,
      uniqueUsers: new Set(accepted.map(({ receipt }) => receipt.userRef)).size,
      direct: accepted.length - withSession.length,
      withSession: withSession.length,
      last24h: since(1),
      last7d: since(7),
      last30d: since(30),
    },
    declines: counted.declined + directDeclines.length,
    withdrawals: consented.filter(({ type }) => type === "WITHDRAWN").length,
    rates: { acceptance: rate(counted.accepted), decline: rate(counted.declined), abandonment: rate(abandoned) },
    timeToAcceptMs: { p50: acceptTimeQuantile(times, 0.5), p90: acceptTimeQuantile(times, 0.9) },
    byVersion: tally(accepted.map(({ receipt }) => `${receipt.versionId} ${receipt.revision} ${receipt.versionLabel}`)),
    byLocale: tally(accepted.map(({ receipt }) => receipt.locale)),
    byDay: tally(accepted.map(({ receipt }) => day(receipt.acceptedAt))),
    byPurpose: tally(consented.map(({ purpose, type }) => `${purpose} ${type === "RENEWED" ? "GRANTED" : type}`)),
    firstAcceptedAt: acceptedAt.at(0) ?? null,
    lastAcceptedAt: acceptedAt.at(-1) ?? null,
  };
}

/** Of single use, or shown by us: since when the text was on display. */
function displayedFor(
  { receipt, evidence, sessionId }: AcceptanceRow,
  sessions: readonly SessionRow[],
): number | undefined {
  const session = sessions.find(({ id }) => id === sessionId);
  if (session !== undefined && !session.single) return undefined;
  const since = session === undefined ? evidence.shown?.renderedAt : (session.presentedAt ?? session.createdAt);
  return since == null ? undefined : Date.parse(receipt.acceptedAt) - new Date(since).getTime();
}

function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
