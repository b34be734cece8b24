import { createHash } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type pg from "pg";
import { createPool, withOrg } from "#platform/db/pool.ts";
import { newId } from "#platform/ids.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { callerOf } from "#platform/testing/service-harness.ts";
import type { Agreement, StoredFile } from "../../agreement/agreement.ts";
import { loadAgreement } from "../../agreement/agreement-store.ts";
import { emptyAudit, isChainIntact } from "../../agreement/audit-chain.ts";
import { listAuditEvents } from "../../agreement/audit-store.ts";
import type { Change, SignEvent } from "../../agreement/change.ts";
import {
  type ChangeDeps,
  changeAgreement,
  changeWithKey,
  createAgreement,
  findReplay,
} from "../../agreement/change-agreement.ts";
import { sampleContext, sampleDraft, sampleRecipient, sampleTab } from "../../agreement/test/lifecycle-samples.ts";
import { testSeals } from "../../agreement/test/trail-vault.ts";
import { documentWith } from "../../signing/test/signing-setup.ts";

let database: TestDatabase;
let pool: pg.Pool;
let deps: ChangeDeps;
let woken: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, role: "assent_sign", max: 8, name: "sign" });
  deps = {
    ...{ pool, newId, ...testSeals(pool) },
    clock: { now: () => new Date() },
    wakeRelay: () => woken.push("relay"),
    wakeJobs: () => woken.push("jobs"),
  };
});
afterEach(() => {
  woken = [];
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const { actor } = sampleContext(new Date());

const changeTo = (agreement: Agreement, kind: "agreement.created" | "agreement.modified", details = {}): Change => ({
  agreement,
  audit: [{ action: kind, actor, details }],
  events: [{ kind }],
  jobs: [],
});

const newCaller = () => callerOf(newId());
type Caller = ReturnType<typeof newCaller>;

const pdf = Buffer.from("%PDF-1.7 the only document");

/** A draft with a document, two recipients and a custom field, in its organization. */
async function stored(caller: Caller): Promise<Agreement> {
  const document = documentWith(pdf, "1", { id: newId() });
  const draft = sampleDraft([sampleRecipient("1", { tabs: [sampleTab("signature")] }), sampleRecipient("2")], {
    ...{ id: newId(), documents: [document], audit: emptyAudit, metadata: { a: [1, { b: "ü" }] } },
    customFields: [
      { fieldId: "12345678901", name: "po", value: "7", kind: "list", items: ["7"], show: true, required: false },
    ],
  });
  const { agreement } = await createAgreement(deps, caller, changeTo(draft, "agreement.created"), {
    bytes: new Map([[document.id, pdf]]),
  });
  return agreement;
}

const read = (caller: Caller, id: string) => withOrg(pool, caller.orgId, (tenant) => loadAgreement(tenant, id));
const trail = (caller: Caller, id: string) =>
  withOrg(pool, caller.orgId, (tenant) => listAuditEvents(tenant, deps.vault, id));

/** How many rows the organization has of everything that a change writes. */
async function counts({ orgId }: Caller): Promise<number[]> {
  const tables = [
    "agreement",
    "document",
    "recipient",
    "audit_event",
    "job",
    "blob",
    "blob_reference",
    "idempotency_key",
  ];
  return withOrg(pool, orgId, async ({ client }) => {
    const found: number[] = [];
    for (const table of tables) {
      const { rows } = await client.query<{ n: number }>(`select count(*)::int as n from sign.${table}`);
      found.push(rows[0]?.n ?? -1);
    }
    return found;
  });
}

const target = (id: string) => ({ id, isTemplate: false });

test("what was written is read as it was", async () => {
  const caller = newCaller();
  const written = await stored(caller);
  expect(await read(caller, written.id)).toEqual(written);
  expect(written).toMatchObject({ version: 1, audit: { count: 1 } });
  expect(woken).toEqual(["relay"]);
});

test("a change writes what differs: parts that come, go, move and change", async () => {
  const caller = newCaller();
  const { id } = await stored(caller);
  const other = documentWith(Buffer.from("%PDF-1.7 another"), "2", { id: newId() });
  const added = sampleRecipient("3", { email: "C@Example.com" });
  const decide = (before: Agreement): Change => {
    const [first, second] = before.recipients;
    if (first === undefined || second === undefined) throw new Error("two were written");
    const recipients = [added, { ...first, tabs: [], name: "Changed" }];
    const after = { ...before, recipients, documents: [other], customFields: [], emailSubject: "New" };
    return {
      ...changeTo(after, "agreement.modified"),
      jobs: [{ kind: "mail", key: "k", runAt: new Date(0), payload: {} }],
    };
  };
  const changed = await changeAgreement(
    deps,
    caller,
    target(id),
    decide,
    new Map([[other.id, Buffer.from("%PDF-1.7 another")]]),
  );
  expect(changed).toMatchObject({ version: 2, emailSubject: "New", customFields: [] });
  expect(await read(caller, id)).toEqual(changed);
  // Of the files there is only that of the other document.
  expect((await counts(caller)).slice(5, 7)).toEqual([1, 1]);
  expect(woken).toEqual(["relay", "relay", "jobs"]);
  const again = await changeAgreement(deps, caller, target(id), (agreement) => ({
    ...changeTo(agreement, "agreement.modified"),
    audit: [],
    events: [],
  }));
  expect(again.version).toBe(2);
});

test("many changes at the same time leave one history without gaps, which shows every tampering", async () => {
  const caller = newCaller();
  const { id } = await stored(caller);
  const names = Array.from({ length: 12 }, (_, n) => `change ${n}`);
  const versions = await Promise.all(
    names.map(async (name) => {
      const decide = (agreement: Agreement): Change =>
        changeTo({ ...agreement, emailBlurb: `${agreement.emailBlurb};${name}` }, "agreement.modified", { name });
      return (await changeAgreement(deps, caller, target(id), decide)).version;
    }),
  );
  expect(versions.sort((a, b) => a - b)).toEqual(names.map((_, n) => n + 2));
  const agreement = await read(caller, id);
  if (agreement === undefined) throw new Error("it was stored");
  const events = await trail(caller, id);
  expect(new Set(agreement.emailBlurb.split(";").slice(1))).toEqual(new Set(names));
  expect(events.map(({ sequence }) => sequence)).toEqual([1, ...names.map((_, n) => n + 2)]);
  expect(agreement.emailBlurb.split(";").slice(1)).toEqual(events.slice(1).map(({ details }) => details?.name));

  const { audit } = agreement;
  const isIntact = (tampered: typeof events) => isChainIntact(id, tampered, audit);
  expect(isIntact(events)).toBe(true);
  expect(isIntact(events.slice(0, -1))).toBe(false);
  expect(isIntact(events.slice(1))).toBe(false);
  expect(isIntact(events.filter(({ sequence }) => sequence !== 5))).toBe(false);
  expect(isIntact(events.with(2, { ...events[3], sequence: 3 } as never))).toBe(false);
  for (const changes of [
    { details: { name: "x" } },
    { occurredAt: new Date(0) },
    { agreementStatus: "sent" },
    { action: "agreement.sent" },
  ])
    expect(isIntact(events.with(4, { ...events[4], ...changes } as never))).toBe(false);
  expect(isChainIntact(newId(), events, audit)).toBe(false);
});

test("of two creates with one key one makes the agreement, and both answer it", async () => {
  const caller = newCaller();
  const idempotency = { key: "key-1", requestHash: createHash("sha256").update("request").digest() };
  const create = () => {
    const draft = sampleDraft([sampleRecipient("1")], { id: newId(), documents: [], audit: emptyAudit });
    return createAgreement(deps, caller, changeTo(draft, "agreement.created"), { bytes: new Map(), idempotency });
  };
  const answers = await Promise.all([create(), create(), create()]);
  expect(answers.map(({ replayed }) => replayed).sort()).toEqual([false, true, true]);
  expect(new Set(answers.map(({ agreement }) => agreement.id)).size).toBe(1);
  expect((await counts(caller))[0]).toBe(1);
  const replay = await findReplay(deps, caller.orgId, idempotency, false);
  expect(replay).toEqual(answers[0]?.agreement);
  await expectDomainError(
    findReplay(deps, caller.orgId, { ...idempotency, requestHash: Buffer.alloc(32) }, false),
    "IDEMPOTENCY_KEY_REUSED",
  );
  expect(await findReplay(deps, newCaller().orgId, idempotency, false)).toBeUndefined();

  const { id } = answers[0]?.agreement ?? { id: "" };
  const decide = (agreement: Agreement) => changeTo(agreement, "agreement.modified");
  const keyed = { idempotency: { key: "key-2", requestHash: idempotency.requestHash } };
  const changes = await Promise.all([1, 2].map(() => changeWithKey(deps, caller, target(id), decide, keyed)));
  expect(changes.map(({ agreement, replayed }) => [agreement.version, replayed]).sort()).toEqual([
    [2, false],
    [2, true],
  ]);
});

test("a change that is refused or fails leaves nothing, not even its key", async () => {
  const caller = newCaller();
  const { id } = await stored(caller);
  const before = await counts(caller);
  const idempotency = { key: "key", requestHash: Buffer.alloc(32) };
  const document = documentWith(Buffer.from("%PDF-1.7 new"), "2", { id: newId() });
  const decide = (agreement: Agreement): Change => ({
    ...changeTo({ ...agreement, documents: [document] }, "agreement.modified"),
    jobs: [{ kind: "mail", key: "k", runAt: new Date(), payload: {} }],
    // Found out last of all: there is no such event.
    events: [{ kind: "nothing" } as unknown as SignEvent],
  });
  const bytes = new Map([[document.id, Buffer.from("%PDF-1.7 new")]]);
  await expect(changeWithKey(deps, caller, target(id), decide, { bytes, idempotency })).rejects.toThrow();
  const wrongBytes = new Map([[document.id, Buffer.from("others")]]);
  const fitting = (agreement: Agreement) => changeTo({ ...agreement, documents: [document] }, "agreement.modified");
  await expect(changeWithKey(deps, caller, target(id), fitting, { bytes: wrongBytes, idempotency })).rejects.toThrow(
    "checked",
  );
  expect(await counts(caller)).toEqual(before);
  expect((await read(caller, id))?.version).toBe(1);
  expect(woken).toEqual(["relay"]);
});

test("files are stored once in their agreement, apart from those of others, and go with it for ever", async () => {
  const caller = newCaller();
  const [one, other] = [await stored(caller), await stored(caller)];
  expect((await counts(caller)).slice(5, 7)).toEqual([2, 2]);
  const again = documentWith(pdf, "2", { id: newId() });
  await changeAgreement(
    deps,
    caller,
    target(one.id),
    (before) => changeTo({ ...before, documents: [...before.documents, again] }, "agreement.modified"),
    new Map([[again.id, pdf]]),
  );
  expect((await counts(caller)).slice(5, 7)).toEqual([2, 3]);
  const readFile = ({ id }: Agreement, file: StoredFile) =>
    withOrg(pool, caller.orgId, (tenant) => deps.files.read(tenant, id, file));
  expect(await readFile(one, again)).toEqual(pdf);
  // What belongs to one agreement is not read as that of another.
  await expectDomainError(readFile(other, again), "DOCUMENT_DAMAGED");
  const deletion = (agreement: Agreement): Change => ({
    ...changeTo(agreement, "agreement.modified"),
    audit: [{ action: "agreement.deleted", actor }],
    events: [{ kind: "agreement.deleted" }],
  });
  await changeAgreement(deps, caller, target(one.id), deletion);
  expect(await read(caller, one.id)).toBeUndefined();
  await expectDomainError(changeAgreement(deps, caller, target(one.id), deletion), "ENVELOPE_NOT_FOUND");
  await expectDomainError(readFile(one, again), "DOCUMENT_ERASED");
  expect(await readFile(other, other.documents[0] ?? again)).toEqual(pdf);
  await changeAgreement(deps, caller, target(other.id), deletion);
  expect((await counts(caller)).slice(5, 7)).toEqual([0, 0]);
  // The rows of what was deleted hold nothing that people wrote; the trail stays.
  expect((await counts(caller)).slice(0, 4)).toEqual([2, 0, 0, 5]);
});

test("another organization finds nothing, nor does who asks for the other kind", async () => {
  const caller = newCaller();
  const { id } = await stored(caller);
  const decide = (agreement: Agreement) => changeTo(agreement, "agreement.modified");
  await expectDomainError(changeAgreement(deps, newCaller(), target(id), decide), "ENVELOPE_NOT_FOUND");
  await expectDomainError(changeAgreement(deps, caller, { id, isTemplate: true }, decide), "TEMPLATE_NOT_FOUND");
  const other = newCaller();
  expect(await read(other, id)).toBeUndefined();
  expect(await trail(other, id)).toEqual([]);
});
