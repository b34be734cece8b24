import { hash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { fromBER } from "asn1js";
import { withOrg } from "#platform/db/pool.ts";
import { newId, type OrgId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { type HttpAuthority, startHttpAuthority } from "#platform/testing/http-authority.ts";
import { createTimestampAuthority } from "#platform/timestamps/timestamp-authority.ts";
import { describeWithOpenssl } from "../../../../test/verify/support/openssl.ts";
import { newOrg } from "../../test/harness.ts";
import { findAnchoring } from "../anchor-store.ts";
import { type AnchorDeps, anchorRound, createStamper } from "../create-log-workers.ts";
import { type LogHarness, startLogs, verifyLog } from "./log-harness.ts";

const intervalSeconds = 60;
let logs: LogHarness;
let http: HttpAuthority;
let lines: { level: string; msg: string }[];
beforeAll(async () => {
  logs = await startLogs();
  http = await startHttpAuthority();
});
beforeEach(() => {
  lines = [];
});
afterAll(async () => {
  await http.close();
  await logs.close();
});

/** Rounds as one process makes them. */
function startRounds(trusted: readonly string[]): (signal?: AbortSignal) => Promise<void> {
  const logger = createLogger("click", "info", { write: (line: string) => void lines.push(JSON.parse(line)) });
  const authority = createTimestampAuthority({ url: http.url, trusted });
  const intervalMs = intervalSeconds * 1000;
  const stamper = createStamper({ ...logs.deps, authority, logger, retryMs: intervalMs });
  const deps: AnchorDeps = { ...logs.deps, logger, newId, stamper, intervalMs, onPublished: () => undefined };
  return async (signal) => {
    logs.clock.advance(intervalSeconds);
    await anchorRound(deps, signal);
  };
}

async function grow(orgId: OrgId): Promise<void> {
  await logs.append(orgId, 1);
  await logs.integrate(orgId);
}

const anchoringOf = (orgId: OrgId, leafIndex: number) =>
  withOrg(logs.pool, orgId, (tenant) => findAnchoring(tenant, leafIndex));

const outcomes = async () =>
  Object.fromEntries(
    (await logs.metrics.timestampRequests.get()).values.map(({ labels, value }) => [labels.outcome, value]),
  );

describeWithOpenssl("time stamps of the anchor log", (makeAuthority) => {
  test("are over the note of its checkpoint, one for each", async () => {
    const authority = makeAuthority();
    http.answer(authority.reply);
    const round = startRounds([authority.root]);
    const orgId = newOrg();
    for (let n = 0; n < 2; n += 1) {
      await grow(orgId);
      await round();
      // Nothing has grown: there is nothing to stamp.
      await round();
      const anchoring = await anchoringOf(orgId, n);
      expect(anchoring?.tsaName).toBe("O=Test, CN=tsa");
      const imprint = hash("sha256", anchoring?.anchorCheckpoint.note ?? "", "buffer");
      expect(anchoring?.token?.includes(imprint)).toBe(true);
      expect(fromBER(anchoring?.token ?? Buffer.of()).offset).toBe(anchoring?.token?.length);
    }
    expect(http.requests).toHaveLength(2);
    const { rows } = await logs.superuser.query<{ stamped_at: Date }>("select stamped_at from click.anchor_timestamp");
    for (const { stamped_at } of rows) expect(Math.abs(stamped_at.getTime() - Date.now())).toBeLessThan(60_000);
  });
  test("may come from two processes for one checkpoint; the first is kept", async () => {
    const authority = makeAuthority();
    http.answer(authority.reply);
    const [orgId, one, other] = [newOrg(), startRounds([authority.root]), startRounds([authority.root])];
    await grow(orgId);
    await Promise.all([one(), other()]);
    await other();
    expect((await anchoringOf(orgId, 0))?.token).not.toBeNull();
  });

  describe("while the authority is away for an hour", () => {
    test("logs grow and are anchored, and when it is back its stamp holds for all of that time", async () => {
      const authority = makeAuthority();
      const round = startRounds([authority.root]);
      let asked = 0;
      http.handle((_request, response) => {
        asked += 1;
        response.writeHead(503).end();
      });
      const before = await outcomes();
      const orgId = newOrg();
      for (let minute = 0; minute < 60; minute += 1) {
        await grow(orgId);
        await round();
      }
      expect(await anchoringOf(orgId, 0)).toMatchObject({ checkpoint: { size: 1 }, token: null });
      expect(await anchoringOf(orgId, 59)).toMatchObject({ checkpoint: { size: 60 }, token: null });
      // After 1, 2, 4 and then every 5 minutes.
      expect(asked).toBeGreaterThan(10);
      expect(asked).toBeLessThan(20);
      expect(lines.map(({ level }) => level)).toEqual(["warn"]);
      http.answer(authority.reply);
      for (let minute = 0; minute < 5; minute += 1) await round();
      const [first, last] = [await anchoringOf(orgId, 0), await anchoringOf(orgId, 59)];
      expect(first?.token).not.toBeNull();
      expect(first?.anchorCheckpoint).toEqual(last?.anchorCheckpoint);
      expect(first?.checkpoint.size).toBe(1);
      expect(lines.at(-1)?.msg).toBe("the time-stamping authority works again");
      const after = await outcomes();
      expect(after.failed - (before.failed ?? 0)).toBe(asked);
      expect(after.stamped - before.stamped).toBe(1);
      await verifyLog(logs, "00000000-0000-0000-0000-000000000000");
    });
  });

  test("are not waited for by a process that stops", async () => {
    const [orgId, stopping] = [newOrg(), new AbortController()];
    await grow(orgId);
    http.handle(() => stopping.abort());
    const startedAt = performance.now();
    await startRounds([])(stopping.signal);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(lines).toEqual([]);
    expect((await anchoringOf(orgId, 0))?.token).toBeNull();
  });
  test("of an authority that is not trusted are not kept", async () => {
    http.answer(makeAuthority().reply);
    const orgId = newOrg();
    await grow(orgId);
    await startRounds([makeAuthority().root])();
    expect((await anchoringOf(orgId, 0))?.token).toBeNull();
    expect(lines).toMatchObject([{ level: "warn", msg: "no time stamp for the anchor log" }]);
  });
});

describe("without an authority", () => {
  test("nobody is asked", async () => {
    const orgId = newOrg();
    const before = http.requests.length;
    await grow(orgId);
    logs.clock.advance(intervalSeconds);
    const { deps, logger } = logs;
    await anchorRound({ ...deps, logger, newId, intervalMs: 1000, onPublished: () => undefined });
    expect((await anchoringOf(orgId, 0))?.token).toBeNull();
    expect(http.requests).toHaveLength(before);
  });
});
