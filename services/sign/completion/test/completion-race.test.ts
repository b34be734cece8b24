import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "#platform/testing/until.ts";
import { ordinaryPdf } from "../../intake/test/pdfs.ts";
import { type SignHarness, type SignProcess, startSign } from "../../test/harness.ts";
import { documentOf, embeddedSigner, send, sit } from "./completion-setup.ts";

/** `COMPLETIONS=200` for a longer run than is made each time. */
const count = Number(process.env.COMPLETIONS ?? 24);
const documents = 2;

let sign: SignHarness;
let second: SignProcess;

beforeAll(async () => {
  sign = await startSign();
  second = await sign.another();
});
afterAll(() => sign.stop());

describe("a completion", () => {
  test(
    "happens once for each agreement whose last two signers finish in the same instant, in two processes",
    async () => {
      const organization = sign.organization();
      const pdf = await ordinaryPdf(2);
      const finishes: (() => Promise<unknown>)[] = [];
      for (let number = 0; number < count; number += 1) {
        const agreement = await send(organization, {
          documents: [documentOf("1", pdf), documentOf("2", pdf)],
          recipients: [embeddedSigner("1", "Ann"), embeddedSigner("2", "Bob")],
        });
        const ann = await sit(sign, organization, agreement, "1");
        const bob = await sit(second, organization, agreement, "2");
        finishes.push(() => Promise.all([ann(), bob()]));
      }
      await sign.startWorkers();
      await second.startWorkers();
      const start = performance.now();
      for (const finish of finishes) await finish();
      await untilNothingWaits();
      const seconds = (performance.now() - start) / 1_000;
      process.stderr.write(
        `${count} completions of ${documents} documents: ${(count / seconds).toFixed(1)} a second\n`,
      );

      const events = await sign.superuser.query<{ subject: string; events: number; agreements: number }>(
        `select subject, count(*)::int as events, count(distinct data::json->>'aggregateId')::int as agreements
          from sign.outbox where subject in ('assent.sign.agreement.completed', 'assent.sign.document.completed')
          group by subject order by subject`,
      );
      expect(events.rows).toEqual([
        { subject: "assent.sign.agreement.completed", events: count, agreements: count },
        { subject: "assent.sign.document.completed", events: documents * count, agreements: count },
      ]);
      const stored = await sign.superuser.query<Record<string, number>>(
        `select (select count(*)::int from sign.agreement where status = 'completed') as completed,
          (select count(distinct certificate_sha256)::int from sign.agreement) as certificates,
          (select count(distinct sealed_sha256)::int from sign.document) as sealed,
          (select count(*)::int from sign.audit_event where action = 'agreement.completed') as audited,
          (select count(*)::int from sign.blob) as blobs`,
      );
      // All were made of one original, of which each has a copy of its own.
      const sealed = documents * count;
      expect(stored.rows).toEqual([
        { completed: count, certificates: count, sealed, audited: count, blobs: sealed + 2 * count },
      ]);
    },
    60_000 + count * 1_000,
  );
});

async function untilNothingWaits(): Promise<void> {
  await until(
    async () => {
      const { rowCount } = await sign.superuser.query(
        "select from sign.job where kind = 'completion' union all select from sign.agreement where status <> 'completed'",
      );
      return rowCount === 0;
    },
    30_000 + count * 500,
  );
}
