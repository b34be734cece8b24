import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Agreement, AuditEvent } from "#gen/assent/sign/v1/agreement_pb.ts";
import { until } from "#platform/testing/until.ts";
import { documentOf, embeddedSigner, read, send, sit, untilCompleted } from "../../completion/test/completion-setup.ts";
import { smallestPdf } from "../../intake/merge-pdfs.ts";
import { type Organization, type SignHarness, type SignProcess, startSign } from "../../test/harness.ts";

const hourMs = 3_600_000;

let sign: SignHarness;
/** Processes that do the work; the first one is at it. */
let [first, second]: SignProcess[] = [];
let organization: Organization;

beforeAll(async () => {
  sign = await startSign();
  [first, second] = [await sign.another(), await sign.another()];
  await first.startWorkers();
});
beforeEach(() => {
  organization = sign.organization();
});
afterAll(() => sign?.stop());

/** An agreement that everybody has signed, sealed. */
async function complete(): Promise<Agreement> {
  const agreement = await send(organization, {
    documents: [documentOf("1", smallestPdf)],
    recipients: [embeddedSigner("1", "Ann")],
  });
  await (await sit(sign, organization, agreement, "1"))();
  return untilCompleted(organization, agreement.id);
}

const eventsOf = async (agreementId: string): Promise<AuditEvent[]> =>
  (await organization.listAuditEvents({ agreementId })).events;
const loggedIn = (events: readonly AuditEvent[]) => events.filter(({ action }) => action === "agreement.logged");
const untilLogged = (agreementId: string): Promise<AuditEvent[]> =>
  until(async () => {
    const events = await eventsOf(agreementId);
    return loggedIn(events).length > 0 && events;
  });
const leavesOf = (agreementId: string) => sign.click.leaves.filter((leaf) => leaf.agreementId === agreementId);
const jobOf = async (agreementId: string) =>
  (
    await sign.superuser.query<{ attempts: number; failed_at: Date | null; claim: string | null }>(
      "select attempts, failed_at, claim from sign.job where kind = 'evidence' and key = $1",
      [agreementId],
    )
  ).rows[0];
const fileOf = ({ documents: [document] }: Agreement) => ({
  file: { file: { case: "sha256" as const, value: document?.sealedSha256 ?? new Uint8Array() } },
});
const evidenceOf = async (agreement: Agreement) => {
  const { known } = await organization.verifyDocument(fileOf(agreement));
  const { summary } = await sign.organization().verifySeal(fileOf(agreement));
  expect([known[0]?.isAuditIntact, summary?.isAuditIntact]).toEqual([true, true]);
  return [known[0]?.evidence, summary && Buffer.from(summary.evidenceLeafHash)];
};

describe("the trail of a completed agreement", () => {
  test("is entered into the evidence log with the hash that it had then, which the trail and checks of files tell", async () => {
    const agreement = await complete();
    const events = await untilLogged(agreement.id);
    const completed = events.find(({ action }) => action === "agreement.completed") as AuditEvent;
    expect(leavesOf(agreement.id)).toMatchObject([
      { sequence: completed.sequence, headHash: completed.hash, completedAt: completed.occurredAt },
    ]);
    const leafIndex = sign.click.leaves.findIndex((leaf) => leaf.agreementId === agreement.id);
    const leafHash = createHash("sha256").update(completed.hash).digest();
    const [logged] = loggedIn(events);
    expect(logged).toMatchObject({ source: "system", agreementStatus: completed.agreementStatus });
    expect(JSON.parse(logged?.detailsJson ?? "")).toEqual({
      ...{ sequence: completed.sequence, logId: organization.orgId, leafIndex },
      leafHash: `sha256:${leafHash.toString("hex")}`,
      leaf: `{"n":${leafIndex}}`,
    });
    const place = { logId: organization.orgId, leafIndex: BigInt(leafIndex), leafHash };
    // Whoever has the file learns neither the id of the organization nor how much it has recorded.
    expect(await evidenceOf(agreement)).toMatchObject([place, leafHash]);
  });

  test("waits for a log that is away, while nobody else does", async () => {
    sign.click.setAway(true);
    const agreement = await complete();
    const untilTried = (attempts: number) =>
      until(async () => {
        const job = await jobOf(agreement.id);
        return job !== undefined && job.attempts >= attempts && job.claim === null;
      });
    await untilTried(1);
    // Pauses grow to an hour: as if it had been away for six weeks.
    await sign.superuser.query("update sign.job set attempts = 1000 where kind = 'evidence' and key = $1", [
      agreement.id,
    ]);
    sign.clock.advance(hourMs);
    await untilTried(1_001);
    expect(await jobOf(agreement.id)).toMatchObject({ failed_at: null });
    expect([loggedIn(await eventsOf(agreement.id)), await evidenceOf(agreement)]).toEqual([
      ...[[], [undefined, Buffer.alloc(0)]],
    ]);
    expect((await read(organization, agreement.id)).status).toBe(agreement.status);
    sign.click.setAway(false);
    sign.clock.advance(hourMs);
    const events = await untilLogged(agreement.id);
    expect(leavesOf(agreement.id)).toMatchObject([
      { headHash: events.find(({ action }) => action === "agreement.completed")?.hash },
    ]);
    expect(await jobOf(agreement.id)).toBeUndefined();
  });

  test("is not entered when somebody has changed it since", async () => {
    sign.click.setAway(true);
    const agreement = await complete();
    const { rows: before } = await sign.superuser.query<{ agreement_status: string }>(
      "select agreement_status from sign.audit_event where agreement_id = $1 and sequence = 1",
      [agreement.id],
    );
    const write = (status = "") =>
      sign.superuser.query(
        "update sign.audit_event set agreement_status = $2 where agreement_id = $1 and sequence = 1",
        [agreement.id, status],
      );
    await write("voided");
    // An attempt that ends after the clock was advanced would wait for another hour.
    const { attempts } = await until(async () => {
      const job = await jobOf(agreement.id);
      return job !== undefined && job.attempts > 0 && job.claim === null && job;
    });
    sign.click.setAway(false);
    sign.clock.advance(hourMs);
    await until(async () => {
      const { rows } = await sign.superuser.query<{ attempts: number; last_error: string }>(
        "select attempts, last_error from sign.job where kind = 'evidence' and key = $1 and claim is null",
        [agreement.id],
      );
      return rows[0] !== undefined && rows[0].attempts > attempts && /not what was written/.test(rows[0].last_error);
    });
    expect(leavesOf(agreement.id)).toEqual([]);
    await write(before[0]?.agreement_status);
    sign.clock.advance(hourMs);
    await untilLogged(agreement.id);
  });

  test("has one leaf and tells of it once, although the one who entered it never came to write that down", async () => {
    const [entered, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    sign.click.beforeAnswer(async () => {
      sign.click.beforeAnswer(async () => {});
      entered.resolve();
      await released.promise;
    });
    const agreement = await complete();
    await entered.promise;
    // As if it had been killed here: its lease runs out, and another process takes over.
    await sign.superuser.query(
      "update sign.job set claim = gen_random_uuid(), claimed_until = now() - interval '1 second' where kind = 'evidence' and key = $1",
      [agreement.id],
    );
    const calls = sign.click.calls();
    await second?.startWorkers();
    const before = await untilLogged(agreement.id);
    expect(sign.click.calls()).toBe(calls + 1);
    released.resolve();
    // Which waits for what it is doing.
    await first?.stop();
    expect(await eventsOf(agreement.id)).toEqual(before);
    expect([loggedIn(before).length, leavesOf(agreement.id).length]).toEqual([1, 1]);
    expect(await evidenceOf(agreement)).toMatchObject([{ leafIndex: expect.anything() }, { length: 32 }]);
  });
});
