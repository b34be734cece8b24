import { createHash, randomBytes } from "node:crypto";
import type pg from "pg";
import { createPool } from "#platform/db/pool.ts";
import { newId, type OrgId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createRecorder, type RecorderLimits, type RecordOutcome, recorderDefaults } from "../accept/recorder.ts";
import type { AcceptanceRecord } from "../store/record-statement.ts";
import { as, type ClickHarness, rows } from "./harness.ts";

/** A pool that connects as the recorder and does not wait long for locks. */
export const recorderPool = (click: ClickHarness): pg.Pool =>
  createPool({ url: click.database.url, role: "assent_click_recorder", max: 4, lockTimeoutMs: 300, name: "test" });

const hashOf = (text: string): Buffer => createHash("sha256").update(text).digest();

export interface WantedRecord {
  readonly orgId: OrgId;
  readonly key?: string;
  readonly body?: string;
  readonly sessionId?: string;
}

/** An acceptance that could be recorded; what matters to the recorder is as wanted. */
export function newRecord(
  { orgId, key = newId(), body = "", sessionId }: WantedRecord,
  changes: Partial<AcceptanceRecord> = {},
): AcceptanceRecord {
  const receiptId = newId();
  const move = { to: "ACCEPTED", outcome: null, reason: null, reusable: false } as const;
  return {
    organizationId: orgId,
    idempotencyHash: hashOf(key),
    bodyHash: hashOf(body),
    receiptId,
    templateId: newId(),
    versionId: newId(),
    revision: 1,
    termsHash: randomBytes(32),
    onceHash: null,
    userRef: "u",
    decision: "ACCEPT",
    acceptedAt: new Date().toISOString(),
    receipt: receiptId,
    evidence: "{}",
    session: sessionId === undefined ? null : { id: sessionId, ...move },
    consents: [],
    events: [{ eventId: newId(), organizationId: orgId, subject: "assent.click.acceptance.recorded", data: "{}" }],
    ...changes,
  };
}

/** A recorder over a pool that counts statements and lets the test stand in the way of some of them. */
export function startRecorder(
  pool: pg.Pool,
  limits: Partial<RecorderLimits> = {},
  interfere: (n: number) => Promise<void> | void = () => {},
) {
  const batches: number[] = [];
  let running = 0;
  let mostRunning = 0;
  let commits = 0;
  const query = async (config: pg.QueryConfig) => {
    if (config.name?.startsWith("click-record") !== true) return pool.query(config);
    const receiptIds = config.values?.[8] as unknown[] | undefined;
    batches.push(receiptIds?.length ?? 0);
    running += 1;
    mostRunning = Math.max(mostRunning, running);
    try {
      await interfere(batches.length);
      return await pool.query(config);
    } finally {
      running -= 1;
    }
  };
  const onRecorded = () => {
    commits += 1;
  };
  const deps = { pool: { query } as unknown as pg.Pool, logger: createLogger("test", "silent"), onRecorded };
  const recorder = createRecorder(deps, { ...recorderDefaults, ...limits });
  return { recorder, batches, mostRunning: () => mostRunning, commits: () => commits };
}

export const submit = (started: ReturnType<typeof startRecorder>, records: readonly AcceptanceRecord[]) =>
  Promise.all(started.recorder.submit(records));

export const kinds = (outcomes: readonly RecordOutcome[]): string[] =>
  outcomes.map((outcome) => (outcome.kind === "refused" ? outcome.error.code : outcome.kind));

export const times = (n: number): number[] => Array.from({ length: n }, (_, index) => index);

/** A session of a template of its own. */
export async function newSession(click: ClickHarness, orgId: OrgId): Promise<string> {
  const template = click.templates.add(orgId);
  const request = { template: { case: "templateId", value: template.templateId } as const };
  return (await click.client.createSession(request, as(orgId))).session?.id ?? "";
}

export async function statusOf(click: ClickHarness, sessionId: string): Promise<string | undefined> {
  return (await rows<{ status: string }>(click, "select status from click.session where id = $1", [sessionId]))[0]
    ?.status;
}
