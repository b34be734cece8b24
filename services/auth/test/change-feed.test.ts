import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { until } from "#platform/testing/until.ts";
import { type AuthHarness, createKey, createOrganization, describeChanges, listChanges, startAuth } from "./harness.ts";

let auth: AuthHarness;
let organizationId: string;

beforeEach(async () => {
  auth = await startAuth();
  organizationId = await createOrganization(auth);
});
afterEach(() => auth.stop());

const change = () => auth.admin.setOrganizationLimits({ organizationId, limits: { accept: 5 } });
const hour = 3600 * 1000;

describe("listChanges", () => {
  test("nothing has changed at first", async () => {
    expect(await listChanges(auth)).toEqual([]);
  });

  test("a reader that polls while many write sees every change, in order and without gaps", async () => {
    const second = await auth.another();
    const organizations = await Promise.all(Array.from({ length: 4 }, () => createOrganization(auth)));
    const keys = await Promise.all(Array.from({ length: 12 }, () => createKey(auth, organizationId)));
    const writers = [
      ...keys.map(({ keyId }, n) => (n % 2 ? auth : second).admin.revokeApiKey({ organizationId, keyId })),
      ...Array.from({ length: 28 }, (_, n) =>
        (n % 2 ? auth : second).admin.setOrganizationLimits({
          organizationId: organizations[n % 4] ?? "",
          limits: { accept: n + 1 },
        }),
      ),
    ];
    const seen: bigint[] = [];
    await until(async () => {
      seen.push(...(await listChanges(auth, seen.at(-1) ?? 0n)).map((entry) => entry.cursor));
      return seen.length >= writers.length;
    });
    await Promise.all(writers);
    expect(await listChanges(auth, seen.at(-1))).toEqual([]);
    expect(seen).toEqual(Array.from({ length: writers.length }, (_, n) => BigInt(n + 1)));
  });

  test("a change that is not committed holds back all later ones", async () => {
    const slow = await auth.superuser.connect();
    await slow.query("begin");
    await slow.query("update auth.change_head set cursor = cursor + 1");
    const waiting = change();
    await until(async () => {
      const { rowCount } = await auth.superuser.query("select from pg_locks where not granted");
      return rowCount !== 0;
    });
    expect(await listChanges(auth)).toEqual([]);
    await slow.query(
      "insert into auth.change (cursor, kind, subject, created_at) values (1, 'key_revoked', 'slow', $1)",
      [auth.clock.now()],
    );
    await slow.query("commit");
    slow.release();
    await waiting;
    expect(describeChanges(await listChanges(auth))).toEqual([
      "revokedKeyId:slow",
      `changedOrganizationId:${organizationId}`,
    ]);
  });

  test("a change that is rolled back leaves no gap", async () => {
    await change();
    const client = await auth.superuser.connect();
    await client.query("begin; update auth.change_head set cursor = cursor + 1; rollback");
    client.release();
    await change();
    expect((await listChanges(auth)).map((entry) => entry.cursor)).toEqual([1n, 2n]);
  });

  test("a new reader gets what is younger than two hours, a known one everything after its cursor", async () => {
    await change();
    auth.clock.advance(2 * hour - 1);
    expect(await listChanges(auth)).toHaveLength(1);
    auth.clock.advance(1);
    expect(await listChanges(auth)).toEqual([]);
    await change();
    expect((await listChanges(auth)).map((entry) => entry.cursor)).toEqual([2n]);
    auth.clock.advance(24 * hour);
    expect((await listChanges(auth, 1n)).map((entry) => entry.cursor)).toEqual([2n]);
    expect(await listChanges(auth, 2n)).toEqual([]);
  });

  test("a cursor that was never given out starts over, as after a restored backup", async () => {
    await change();
    for (const cursor of [2n, 1_000_000n, 2n ** 63n, 2n ** 64n - 1n]) {
      expect((await listChanges(auth, cursor)).map((entry) => entry.cursor)).toEqual([1n]);
    }
  });

  test("at most a thousand changes come at once, and the next call goes on behind them", async () => {
    await auth.superuser.query(
      `with head as (update auth.change_head set cursor = 1500)
       insert into auth.change select n, 'key_revoked', n::text, $1 from generate_series(1, 1500) n`,
      [auth.clock.now()],
    );
    const first = await listChanges(auth);
    expect([first.length, first[0]?.cursor, first.at(-1)?.cursor]).toEqual([1000, 1n, 1000n]);
    const rest = await listChanges(auth, 1000n);
    expect([rest.length, rest.at(-1)?.cursor]).toEqual([500, 1500n]);
  });
});
