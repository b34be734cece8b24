import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { OrgId } from "#platform/ids.ts";
import { orgOf } from "../../test/actions.ts";
import { as, type ClickHarness, rows, startClick } from "../../test/harness.ts";
import { createSubjectVault } from "../../vault/subject-vault.ts";
import { consentActions, statuses } from "./consent-actions.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addConsent, read, update, acceptConsent } = consentActions(() => click);

const secrets = {
  userRef: "zoe.secret@customer.example",
  reason: "because of the divorce",
  actorId: "agent-zelda-7",
  idempotencyKey: "ticket-of-zoe-1042",
  context: { ip: "198.51.100.7", userAgent: "ZoesBrowser/133.0", pageUrl: "https://customer.example/zoes-page" },
  observed: { ip: "203.0.113.77", userAgent: "ZoesBackend/1" },
  metadata: { ticket: "zoes-ticket" },
};

const secretValues = [
  secrets.userRef,
  secrets.reason,
  secrets.actorId,
  secrets.idempotencyKey,
  "198.51.100",
  "203.0.113",
  "ZoesBrowser",
  "ZoesBackend",
  "zoes-page",
  "zoes-ticket",
];

/** Every row of every table of the service, as text; bytes are hexadecimal there. */
async function dump(): Promise<string> {
  const tables = await rows<{ name: string }>(
    click,
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'click'",
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    for (const { row } of await rows<{ row: string }>(click, `select t::text as row from click.${name} t`)) {
      texts.push(`${name}: ${row}`);
    }
  }
  return texts.join("\n");
}

/** The forms in which a value could stand in the dump. */
const formsOf = (value: string): string[] => [
  value,
  Buffer.from(value).toString("hex"),
  // In the middle of something in base64, wherever it begins.
  ...[0, 1, 2].map((offset) =>
    Buffer.from("x".repeat(offset) + value)
      .toString("base64url")
      .slice(offset === 0 ? 0 : 4, -4),
  ),
];

describe("what is stored of a change of consent", () => {
  test("tells nobody who looks into the database whom it is about, nor what was said", async () => {
    const template = addConsent([{ key: "news", expiresAfterDays: 30 }, "ads"]);
    const orgId = orgOf(template);
    const { userRef } = secrets;
    await update(orgId, { news: "GRANT", ads: "DENY" }, { ...secrets, actorType: "ADMIN" });
    await update(orgId, { news: "WITHDRAW" }, { ...secrets, idempotencyKey: undefined });
    const text = await dump();
    for (const value of secretValues) {
      for (const form of formsOf(value)) expect(text.includes(form) ? `${form} is stored` : "").toBe("");
    }
    // The dump is complete: what is no secret is in it.
    expect(text).toContain(Buffer.from("click.consent.withdrawn").toString("hex"));
    // Whoever may ask is told.
    const { history } = await read(orgId, { userRef, includeHistory: true });
    expect(history.map(({ reason }) => reason)).toEqual([secrets.reason, secrets.reason, secrets.reason]);
  });

  test("neither does what an acceptance brings", async () => {
    const template = addConsent([{ key: "news", expiresAfterDays: 30 }]);
    const { userRef, context, metadata } = secrets;
    await acceptConsent(template, { news: true }, { userRef, context, metadata });
    const text = await dump();
    for (const value of secretValues) {
      for (const form of formsOf(value)) expect(text.includes(form) ? `${form} is stored` : "").toBe("");
    }
    expect(statuses(await read(orgOf(template), { userRef }))).toEqual({ news: "GRANTED" });
  });
});

const receiptOf = async (orgId: OrgId, receiptId: unknown) =>
  JSON.parse((await click.client.getReceipt({ receiptId: String(receiptId) }, as(orgId))).receiptJson);

/** Changes one change of consent as its restriction or erasure does. */
async function changeRecord(orgId: OrgId, how: "erase" | "restrict"): Promise<void> {
  const vault = createSubjectVault([click.masterKey], () => click.masterKey);
  const keys = await rows<{ recordId: string; seed: Buffer }>(
    click,
    `select record_id as "recordId", seed from click.subject_key where organization_id = $1`,
    [orgId],
  );
  if (how === "erase") {
    await rows(click, "delete from click.subject_key where organization_id = $1", [orgId]);
    await rows(
      click,
      "update click.consent_event set subject_index = $2, sealed = null, erased_at = now() where organization_id = $1",
      [orgId, randomBytes(16)],
    );
    return;
  }
  for (const { recordId, seed } of keys) {
    const restricted = vault.wrapSeed({ organizationId: orgId, recordId }, seed);
    await rows(
      click,
      `update click.subject_key set seed = $3, restricted_until = now() + interval '1 year'
       where organization_id = $1 and record_id = $2`,
      [orgId, recordId, restricted],
    );
  }
}

describe.each([
  ["erase", { erased: true, restricted: false }],
  ["restrict", { erased: false, restricted: true }],
] as const)("after somebody asked to %s it, a change of consent", (how, state) => {
  test("has a receipt without anything personal, in the same place of the log", async () => {
    const orgId = orgOf(addConsent(["news"]));
    const change = { ...secrets, actorType: "ADMIN", method: "PHONE" };
    const { receipts } = await update(orgId, { news: "GRANT" }, change);
    const [before] = receipts;
    await changeRecord(orgId, how);
    const withheld = { userRef: null, actor: { type: "ADMIN", id: null }, reason: null, idempotencyKey: null };
    const after = { ...before, ...withheld, ...state };
    const found = await receiptOf(orgId, before?.receiptId);
    expect(found).toEqual(after);
    expect(Object.keys(found)).toEqual(Object.keys(before ?? {}));
    // Whoever still has the key gets the same receipt, not another change.
    const again = await update(orgId, { news: "GRANT" }, change);
    expect(again).toMatchObject({ replayed: true, receipts: [after] });
  });
});

describe("after somebody asked to restrict it, a change of consent", () => {
  test("keeps its reason to itself in the history", async () => {
    const orgId = orgOf(addConsent(["news"]));
    await update(orgId, { news: "WITHDRAW" }, secrets);
    await changeRecord(orgId, "restrict");
    const { history } = await read(orgId, { userRef: secrets.userRef, includeHistory: true });
    expect(history).toMatchObject([{ type: "WITHDRAWN", purpose: "news", actor: "USER" }]);
    expect(history[0]?.reason).toBeUndefined();
  });
});
