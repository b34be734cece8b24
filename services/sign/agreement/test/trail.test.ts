import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import { canonicalJson } from "#platform/canonical-json.ts";
import { isTransient } from "#platform/db/errors.ts";
import { createPool, withOrg } from "#platform/db/pool.ts";
import { newId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createHashKey } from "#platform/master-keys/hash-key.ts";
import { createResealer } from "#platform/master-keys/reseal.ts";
import type { KeyRing } from "#platform/secrets.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { dumpTables, findIn, resealAll } from "#platform/testing/database-dump.ts";
import { callerOf } from "#platform/testing/service-harness.ts";
import { createSeedVault } from "#platform/vault/seed-vault.ts";
import type { Agreement } from "../agreement.ts";
import { loadAgreement } from "../agreement-store.ts";
import { emptyAudit, isChainIntact } from "../audit-chain.ts";
import { listAuditEvents } from "../audit-store.ts";
import { type AuditEntry, changeTo } from "../change.ts";
import { type ChangeDeps, changeAgreement, createAgreement } from "../change-agreement.ts";
import { auditNames } from "../recipients.ts";
import { sealedColumns } from "../subject-keys.ts";
import { sampleContext, sampleDraft, sampleRecipient } from "./lifecycle-samples.ts";
import { testSeals } from "./trail-vault.ts";

let database: TestDatabase;
let pool: pg.Pool;
let superuser: pg.Pool;
let deps: ChangeDeps;
const masterKey = randomBytes(32);
const hashKey = randomBytes(32);
const vaultOf = (ring: KeyRing) => createSeedVault("sign", ring, () => hashKey);

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = database.superuser;
  pool = createPool({ url: database.url, role: "assent_sign", max: 8, name: "sign" });
  deps = {
    ...{ pool, newId, ...testSeals(pool, vaultOf([masterKey])) },
    ...{ clock: { now: () => new Date() }, wakeRelay: () => {}, wakeJobs: () => {} },
  };
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

type Caller = ReturnType<typeof callerOf>;
const newCaller = () => callerOf(newId());
const target = (id: string) => ({ id, isTemplate: false });

const ann = { name: "Ann Secretname", email: "Ann.Secret@example.com", clientUserId: "" };
const visitor = { ip: "192.0.2.77", userAgent: "SecretBrowser/7" };

/** An agreement with two people of whom its trail tells. */
async function told(caller: Caller): Promise<Agreement> {
  const recipients = [
    sampleRecipient("1", { id: newId(), ...ann }),
    sampleRecipient("2", { id: newId(), clientUserId: "bob-7" }),
  ];
  const draft = sampleDraft(recipients, { id: newId(), documents: [], audit: emptyAudit });
  const { actor } = sampleContext();
  const entries = recipients.map((one): AuditEntry => ({ action: "recipient.sent", actor, details: auditNames(one) }));
  const change = changeTo(draft, { audit: [{ action: "agreement.created", actor }, ...entries] });
  const { agreement } = await createAgreement(deps, caller, change, { bytes: new Map() });
  return decline(caller, agreement.id);
}

/** What Ann does in her browser. */
const decline = (caller: Caller, id: string, reason = "secret reason of Ann") =>
  changeAgreement(deps, caller, target(id), (agreement) => {
    const [first] = agreement.recipients;
    if (first === undefined) throw new Error("there are two");
    const actor = { source: "signer" as const, id: first.id, name: first.name, email: first.email, ...visitor };
    return changeTo(agreement, {
      audit: [{ action: "recipient.declined", actor, details: { ...auditNames(first), reason } }],
    });
  });

/** The trail as it is read, and whether it is what was written. */
async function read({ orgId }: Caller, id: string, vault = deps.vault) {
  return withOrg(pool, orgId, async (tenant) => {
    const agreement = await loadAgreement(tenant, id);
    const events = await listAuditEvents(tenant, vault, id);
    if (agreement === undefined) throw new Error("it was stored");
    return { events, isIntact: isChainIntact(id, events, agreement.audit) };
  });
}

const keysOf = async (id: string) => {
  const sql = "select id, email_index, user_index, seed from sign.subject_key where agreement_id = $1";
  return (await superuser.query(sql, [id])).rows;
};

describe("the stored trail", () => {
  test("is read as it was written, and holds no value of a person in any column", async () => {
    const caller = newCaller();
    const { id } = await told(caller);
    const { events, isIntact } = await read(caller, id);
    expect(isIntact).toBe(true);
    expect(events.at(-1)).toMatchObject({
      actor: { source: "signer", ...visitor, name: ann.name, email: ann.email },
      details: { name: ann.name, email: ann.email, reason: "secret reason of Ann" },
    });
    const rows = (await dumpTables(superuser)).split("\n").filter((row) => row.includes(id));
    const kept = rows.filter((row) => /^sign\.(audit_event|subject_key): /.test(row));
    expect(kept).toHaveLength(7);
    const values = [
      ann.name,
      ann.email,
      visitor.ip,
      visitor.userAgent,
      "secret reason of Ann",
      "Person 2",
      "bob-7",
      "Client",
    ];
    expect(findIn(kept.join("\n"), values)).toEqual([]);
    // They would be found where they are: the recipients of the agreement have names.
    expect(findIn(rows.join("\n"), [ann.name])).toEqual([ann.name]);
  });

  test("has one key for a person, however many change it at the same time, and finds it by address and reference", async () => {
    const caller = newCaller();
    const { id } = await told(caller);
    const before = await keysOf(id);
    await Promise.all(Array.from({ length: 8 }, (_, n) => decline(caller, id, `reason ${n}`)));
    const { events, isIntact } = await read(caller, id);
    expect([isIntact, events.length]).toEqual([true, 12]);
    expect(await keysOf(id)).toEqual(before);
    const index = (text: string) => deps.vault.subjectIndex(caller.orgId, text);
    expect(before.filter(({ email_index }) => email_index?.equals(index("email:ann.secret@example.com")))).toHaveLength(
      1,
    );
    expect(before.filter(({ user_index }) => user_index?.equals(index("user:bob-7")))).toHaveLength(1);
    expect(before.find((key) => key.id === id)).toMatchObject({ email_index: null });
    expect(before).toHaveLength(3);
  });

  test("has another key once the address is another one: whoever had the former is somebody else", async () => {
    const caller = newCaller();
    const { id } = await told(caller);
    await changeAgreement(deps, caller, target(id), (agreement) => {
      const [first, ...others] = agreement.recipients;
      if (first === undefined) throw new Error("there are two");
      const changed = { ...first, email: "eve@example.com" };
      const { actor } = sampleContext();
      const audit: AuditEntry[] = [{ action: "recipient.sent", actor, details: auditNames(changed) }];
      return changeTo({ ...agreement, recipients: [changed, ...others] }, { audit });
    });
    expect(await keysOf(id)).toHaveLength(4);
    expect((await read(caller, id)).isIntact).toBe(true);
  });

  test("shows a key as missing that nobody erased, whatever stands in its place", async () => {
    const caller = newCaller();
    const { id } = await told(caller);
    await superuser.query("update sign.subject_key set seed = null where agreement_id = $1 and id <> $1", [id]);
    const { events, isIntact } = await read(caller, id);
    expect([isIntact, events.at(-1)?.actor.name]).toEqual([false, "ERASED"]);
    await superuser.query("delete from sign.subject_key where agreement_id = $1 and id <> $1", [id]);
    expect((await read(caller, id)).isIntact).toBe(false);
  });

  test("goes on when the key of what is about nobody in particular was erased", async () => {
    const caller = newCaller();
    const { id } = await told(caller);
    await superuser.query("update sign.subject_key set seed = null where agreement_id = $1 and id = $1", [id]);
    const { actor } = sampleContext();
    const audit: AuditEntry[] = [
      { action: "agreement.erased", actor, details: { keys: [id] } },
      { action: "agreement.voided", actor, details: { reason: "why" } },
    ];
    await changeAgreement(deps, caller, target(id), (agreement) => changeTo(agreement, { audit }));
    const { events, isIntact } = await read(caller, id);
    expect([isIntact, events[0]?.actor.name, events.at(-1)?.details]).toEqual([true, "ERASED", { reason: "why" }]);
  });

  test.each([
    [
      "a bit of what is sealed",
      "sealed",
      "jsonb_set(sealed, '{0,1}', to_jsonb(overlay(sealed->0->>1 placing case when substr(sealed->0->>1, 60, 1) = 'A' then 'B' else 'A' end from 60 for 1)))",
    ],
    ["who is told of", "sealed", "sealed - 0"],
    [
      "a box of another event",
      "sealed",
      "(select e.sealed from sign.audit_event e where e.agreement_id = t.agreement_id and e.sequence = 2)",
    ],
    ["a digest", "sd", "sd - 3"],
    ["the format", "sd", "null, sealed = null"],
    ["the details", "details", "'{}'"],
    ["who signed", "actor_id", "'another'"],
    ["what it came from", "source", "'api'"],
    ["the time", "occurred_at", "occurred_at + interval '1 ms'"],
  ])("shows a change of %s", async (_, column, value) => {
    const caller = newCaller();
    const { id } = await told(caller);
    await superuser.query(
      `update sign.audit_event t set ${column} = ${value} where agreement_id = $1 and sequence = 4`,
      [id],
    );
    expect((await read(caller, id)).isIntact).toBe(false);
  });

  test("that began in format 1 goes on in the same chain", async () => {
    const caller = newCaller();
    const { id } = await told(caller);
    await superuser.query("delete from sign.audit_event where agreement_id = $1", [id]);
    await superuser.query("delete from sign.subject_key where agreement_id = $1", [id]);
    const none = "audit_count = 0, audit_hash = decode(repeat('00', 32), 'hex')";
    await superuser.query(`update sign.agreement set ${none} where id = $1`, [id]);
    await addInFormat1(caller, id);
    await decline(caller, id);
    const { events, isIntact } = await read(caller, id);
    expect(isIntact).toBe(true);
    expect(events).toMatchObject([{ actor: { name: "Acme" } }, { actor: { name: ann.name }, sequence: 2 }]);
    expect(events.map(({ committed }) => committed === undefined)).toEqual([true, false]);
  });

  test("goes on with what a process of the release before adds, but is not completed by one that cannot read it", async () => {
    const caller = newCaller();
    const { id } = await told(caller);
    await addInFormat1(caller, id, "agreement.reminded");
    await decline(caller, id);
    const { events, isIntact } = await read(caller, id);
    expect(isIntact).toBe(true);
    expect(events.slice(-3).map(({ committed }) => committed === undefined)).toEqual([false, true, false]);
    // It tries again, as after any failure of the database that passes.
    const refused = await addInFormat1(caller, id, "agreement.completed").catch((error: unknown) => error);
    expect([isTransient(refused), String(refused)]).toEqual([true, expect.stringContaining("cannot read")]);
    expect((await read(caller, id)).events).toHaveLength(6);
  });
});

/** Adds an event to the trail as the release before did, everything in clear. */
const addInFormat1 = ({ orgId }: Caller, id: string, action = "agreement.created") =>
  withOrg(pool, orgId, async (tenant) => {
    const agreement = await loadAgreement(tenant, id, { lock: true });
    if (agreement === undefined) throw new Error("it was stored");
    const { count, hash: previousHash } = agreement.audit;
    const [sequence, occurredAt] = [count + 1, "2026-11-01T09:00:00.000Z"];
    const told = {
      ...{ agreementId: id, sequence, occurredAt, action, source: "api", details: {}, agreementStatus: "created" },
      actor: { id: "cl_1", name: "Acme", email: "", ip: "192.0.2.1", userAgent: "curl/8" },
      previousHash: previousHash.toString("hex"),
    };
    const hash = createHash("sha256").update(canonicalJson(told)).digest();
    await tenant.client.query(
      `insert into sign.audit_event (organization_id, agreement_id, sequence, occurred_at, action, source, actor_id,
         actor_name, actor_email, ip, user_agent, agreement_status, previous_hash, hash)
       values ($1, $2, $3, $4, $5, 'api', 'cl_1', 'Acme', '', '192.0.2.1', 'curl/8', 'created', $6, $7)`,
      [orgId, id, sequence, occurredAt, action, previousHash, hash],
    );
    const head = "update sign.agreement set audit_count = $3, audit_hash = $4 where organization_id = $1 and id = $2";
    await tenant.client.query(head, [orgId, id, sequence, hash]);
  });

test("keys of another organization are neither read nor written, and nobody who serves requests changes one", async () => {
  const [caller, stranger] = [newCaller(), newCaller()];
  const { id } = await told(caller);
  const count = async ({ orgId }: Caller) =>
    withOrg(pool, orgId, async ({ client }) => (await client.query("select from sign.subject_key")).rowCount);
  expect([await count(caller), await count(stranger)]).toEqual([3, 0]);
  for (const sql of [
    "update sign.subject_key set seed = null",
    "delete from sign.subject_key",
    `insert into sign.subject_key (organization_id, agreement_id, id) values ('${caller.orgId}', '${id}', gen_random_uuid())`,
  ]) {
    await expect(withOrg(pool, stranger.orgId, ({ client }) => client.query(sql))).rejects.toThrow(
      /permission|row-level/,
    );
  }
});

test("after the master key was replaced, trails of before are read with the newest one alone", async () => {
  const caller = newCaller();
  const { id } = await told(caller);
  const before = await read(caller, id);
  const logger = createLogger("test", "silent");
  const findFormer = async () => undefined;
  await createHashKey({ pool, schema: "sign", masterKeys: [masterKey], logger, findFormer }).load();
  const newest = randomBytes(32);
  const masterKeys: KeyRing = [newest, masterKey];
  const resealerPool = createPool({ url: database.url, role: "assent_sign_resealer", max: 1, name: "resealer" });
  const columns = sealedColumns(masterKeys, vaultOf(masterKeys));
  const resealer = createResealer({ service: "sign", schema: "sign", pool, resealerPool, masterKeys, columns, logger });
  expect(await read(caller, id, vaultOf(masterKeys))).toEqual(before);
  expect((await read(caller, id, vaultOf([newest]))).isIntact).toBe(false);
  expect(await resealAll(resealer)).toMatchObject({ unreadable: 0 });
  await resealerPool.end();
  expect(await read(caller, id, vaultOf([newest]))).toEqual(before);
  await createHashKey({ pool, schema: "sign", masterKeys: [newest], logger, findFormer }).load();
});
