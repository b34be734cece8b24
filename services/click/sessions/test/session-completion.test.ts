import { createPublicKey, verify } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SessionOutcome, SessionStatus } from "#gen/assent/click/v1/click_pb.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { createPool, withOrg } from "#platform/db/pool.ts";
import { digestOf, parseDisclosure } from "#platform/vault/disclosures.ts";
import { leafHashOf, receiptJws } from "../../log/leaf.ts";
import { type Completion, clientActions, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { as, type ClickHarness, type ClickInstance, rows, startClick, testIssuer } from "../../test/harness.ts";
import { openSession } from "../../vault/seals.ts";
import { createSubjectVault } from "../../vault/subject-vault.ts";
import { findSession } from "../session-store.ts";

let click: ClickHarness;
let other: ClickInstance;
beforeAll(async () => {
  click = await startClick();
  other = await click.startAnother();
});
afterAll(() => click.close());

const { addTemplate, create, get, complete, accept } = clientActions(() => click);

interface LeafRow {
  readonly leafIndex: string;
  readonly recordId: string;
  readonly leaf: Buffer;
  readonly leafHash: Buffer;
  readonly signature: Buffer;
  readonly kid: string;
  readonly publicKey: Buffer;
}

/** The leaves of the organization, in the order of the log. */
async function leavesOf(template: FakeTemplate) {
  const stored = await rows<LeafRow>(
    click,
    `select leaf_index as "leafIndex", record_id as "recordId", leaf, leaf_hash as "leafHash", signature, kid,
       public_key as "publicKey"
     from click.log_leaf join click.signing_key on purpose = 'receipt' and generation = signed_by
     where organization_id = $1 order by leaf_index`,
    [orgOf(template)],
  );
  expect(stored.map(({ leafIndex }) => Number(leafIndex))).toEqual(stored.map((_, index) => index));
  return stored.map((row) => {
    requireSigned(row);
    return { recordId: row.recordId, ...JSON.parse(row.leaf.toString("utf8")) };
  });
}

function requireSigned({ leaf, leafHash, signature, kid, publicKey }: LeafRow): void {
  const jws = receiptJws({ kid }, leaf, signature);
  const key = createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: publicKey.toString("base64url") },
    format: "jwk",
  });
  expect(verify(null, Buffer.from(jws.slice(0, jws.lastIndexOf("."))), key, signature)).toBe(true);
  expect(leafHashOf(leaf)).toEqual(leafHash);
}

const completionsOf = async (template: FakeTemplate) =>
  (await leavesOf(template)).filter(({ kind }) => kind === "click.session.completed");

/** What the row of the session stores about its completion. */
async function closingOf(template: FakeTemplate, id: string) {
  const pool = createPool({ url: click.database.url, role: "assent_click", max: 1, name: "test" });
  const row = await withOrg(pool, orgOf(template), (tenant) => findSession(tenant, id));
  await pool.end();
  if (row === undefined) throw new Error("there is no such session");
  return openSession(
    createSubjectVault([click.masterKey], () => click.masterKey),
    orgOf(template),
    row,
  ).closing;
}

/** Completes a session twenty times at once, by two processes. */
const completeAtOnce = (template: FakeTemplate, sessionId: string, { acceptance, ...request }: Completion = {}) => {
  const acceptanceJson = Buffer.from(acceptance === undefined ? "" : JSON.stringify(acceptance));
  const whole = { ...request, sessionId, acceptanceJson };
  return Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? click : other).client.completeSession(whole, as(orgOf(template))),
    ),
  );
};

describe("the leaf of a completed session", () => {
  test("says which text was closed with which outcome, and commits to who closed it and why", async () => {
    const template = addTemplate();
    const metadata = { order: "7" };
    const context = { ip: "203.0.113.9" };
    const session = await create(template, { userRef: "user-1", metadata, context });
    const { DECLINED } = SessionOutcome;
    const { session: completed } = await complete(template, session.id, { outcome: DECLINED, reason: "too long" });
    const [leaf, ...further] = await leavesOf(template);
    expect(further).toEqual([]);
    const { completedAt, createdAt, termsHash, _sd, ...rest } = leaf;
    expect(rest).toEqual({
      recordId: session.id,
      v: 1,
      kind: "click.session.completed",
      iss: testIssuer,
      org: orgOf(template),
      sid: session.id,
      outcome: "DECLINED",
      tpl: template.templateId,
      ver: session.versionId,
      rev: 1,
      label: "1.0",
      locale: "en",
      contentHash: session.contentHash,
      receipts: [],
      _sd_alg: "sha-256",
    });
    const [terms] = await rows<{ terms: string }>(
      click,
      "select terms from click.template_terms where organization_id = $1",
      [orgOf(template)],
    );
    expect(termsHash).toBe(sha256Label(terms?.terms ?? ""));
    const seconds = (time: string) => BigInt(Math.floor(Date.parse(time) / 1000));
    expect([seconds(createdAt), seconds(completedAt)]).toEqual([
      completed.createdAt?.seconds,
      completed.completedAt?.seconds,
    ]);
    const { reason, disclosures } = await closingOf(template, session.id);
    expect(reason).toBe("too long");
    expect(disclosures.map(digestOf).sort()).toEqual(_sd);
    expect(disclosures.map(parseDisclosure)).toEqual([
      { name: "userRef", value: "user-1" },
      { name: "reason", value: "too long" },
      { name: "metadata", value: metadata },
      { name: "context", value: context },
    ]);
  });

  test("is written once, however many complete it at once, and comes after the acceptance it names", async () => {
    const { ACCEPTED, DECLINED } = SessionOutcome;
    const requests: (Completion & { result: string; receipts: number })[] = [
      { result: "NONE", receipts: 0 },
      { outcome: DECLINED, reason: "no", result: "DECLINED", receipts: 0 },
      { outcome: ACCEPTED, result: "ACCEPTED", receipts: 1 },
      { acceptance: { action: "CHECKBOX" }, reason: "done", result: "ACCEPTED", receipts: 1 },
      { acceptance: {}, outcome: DECLINED, result: "DECLINED", receipts: 1 },
      {
        ...{ acceptance: { action: "CHECKBOX" }, idempotencyKey: "order-42", requestHash: new Uint8Array(32) },
        ...{ result: "ACCEPTED", receipts: 1 },
      },
    ];
    for (const { result, receipts, ...request } of requests) {
      const template = addTemplate({ policyFlags: { allowDecline: true, recordDecline: receipts > 0 } });
      const { id } = await create(template);
      const answers = await completeAtOnce(template, id, request);
      expect(new Set(answers.map(({ session }) => JSON.stringify(session?.completedAt?.nanos))).size).toBe(1);
      const leaves = await leavesOf(template);
      expect(leaves.map(({ recordId }) => recordId)).toEqual([...(leaves.at(-1)?.receipts ?? []), id]);
      expect(leaves.at(-1)).toMatchObject({ kind: "click.session.completed", outcome: result });
      expect(leaves.at(-1)?.receipts).toHaveLength(receipts);
      const { reason, disclosures } = await closingOf(template, id);
      expect(reason).toBe(request.reason ?? null);
      expect(leaves.at(-1)?._sd).toEqual(expect.arrayContaining(disclosures.map(digestOf)));
    }
  });

  test("names the acceptance that came before, and its user", async () => {
    const template = addTemplate();
    const { id } = await create(template, {});
    const { receipt } = await accept(template, { sessionId: id, userRef: "grace" });
    expect(await completionsOf(template)).toEqual([]);
    await completeAtOnce(template, id, { reason: "over" });
    expect(await completionsOf(template)).toMatchObject([
      { sid: id, outcome: "ACCEPTED", receipts: [receipt.receiptId] },
    ]);
    const { disclosures } = await closingOf(template, id);
    expect(disclosures.map(parseDisclosure)).toEqual([
      { name: "userRef", value: "grace" },
      { name: "reason", value: "over" },
    ]);
  });

  test("of a session that is used many times names all its acceptances, those that come meanwhile too", async () => {
    const template = addTemplate({ policyFlags: { singleUseSession: false } });
    const { id } = await create(template);
    const accepting = Array.from({ length: 8 }, () => accept(template, { sessionId: id }).catch(() => undefined));
    const completing = completeAtOnce(template, id, { acceptance: { action: "CHECKBOX" } });
    await Promise.all([...accepting, completing]);
    const { status, receiptIds } = await get(template, id);
    expect(status).toBe(SessionStatus.COMPLETED);
    const leaves = await leavesOf(template);
    const completions = leaves.filter(({ kind }) => kind === "click.session.completed");
    expect(completions).toHaveLength(1);
    expect(completions[0].receipts).toEqual(receiptIds);
    expect(leaves.at(-1)).toEqual(completions[0]);
    expect(
      leaves
        .slice(0, -1)
        .map(({ rid }) => rid)
        .sort(),
    ).toEqual([...receiptIds].sort());
  });

  test("a session that ends otherwise has none, nor has an acceptance without a session", async () => {
    const template = addTemplate({ policyFlags: { allowDecline: true } });
    const cancelled = await create(template);
    await click.client.cancelSession({ sessionId: cancelled.id }, as(orgOf(template)));
    const declined = await create(template);
    await accept(template, { sessionId: declined.id, decision: "DECLINE" });
    await complete(template, declined.id, { outcome: SessionOutcome.DECLINED });
    const { receipt } = await accept(template, { templateId: template.templateId, userRef: "user-1" });
    await complete(template, receipt.sessionId);
    expect(await completionsOf(template)).toEqual([]);
  });
});
