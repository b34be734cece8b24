import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { PDFDocument, StandardFonts } from "pdf-lib";
import { createPool } from "#platform/db/pool.ts";
import { dumpTables } from "#platform/testing/database-dump.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { documentOf, embeddedSigner, send } from "../../completion/test/completion-setup.ts";
import { addWords } from "../../intake/read-words.ts";
import { createRemover } from "../../retention/remover.ts";
import { removal } from "../../retention/test/retention-setup.ts";
import { type Organization, type SignHarness, type SignProcess, startSign } from "../../test/harness.ts";

let sign: SignHarness;
let workers: SignProcess[];
let organization: Organization;

beforeAll(async () => {
  sign = await startSign();
  workers = [await sign.another(), await sign.another()];
  await Promise.all(workers.map((worker) => worker.startWorkers()));
});
beforeEach(() => {
  organization = sign.organization();
});
afterAll(() => sign?.stop());

async function pdfOf(...pages: string[]): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const text of pages)
    document.addPage([595, 842]).drawText(text, { x: 40, y: 780, size: 11, font, lineHeight: 14 });
  return document.save();
}

const english =
  "The tenant shall return the keys when the lease ends,\nand the landlord refunds the depo-\nsit of Zaphod.";
const german =
  "Der Mieter gibt die Schlüssel zurück, wenn das Mietverhältnis endet,\nund die Häuser werden nicht verkauft.";

const draft = async (subject: string, ...files: Uint8Array[]): Promise<string> => {
  const documents = files.map((file, index) => documentOf(String(index + 1), file));
  const { agreement } = await organization.createAgreement({ definition: { emailSubject: subject, documents } });
  return agreement?.id ?? "";
};
const turnOn = (by = organization) => by.putFileSearch({ enabled: true });
const found = async (words: string, by = organization): Promise<string[]> =>
  (await by.listAgreements({ words })).agreements.map(({ emailSubject }) => emailSubject).sort();
const allRead = (by = organization) =>
  until(async () => {
    const { setting } = await by.getFileSearch({});
    return setting?.files === setting?.filesRead && setting;
  }, 30_000);
const rows = async (of = organization): Promise<number> =>
  (await sign.superuser.query("select from sign.file_words where organization_id = $1", [of.orgId])).rowCount ?? 0;
const jobs = async (): Promise<number> =>
  (await sign.superuser.query("select from sign.job where kind like 'file-%'")).rowCount ?? 0;

test("finds agreements by the words of their files, in the forms of their language, in whatever order", async () => {
  await turnOn();
  await draft("lease", await pdfOf("First page", english));
  await draft("Miete", await pdfOf(german));
  await draft("both", await pdfOf(english), await pdfOf(german));
  await allRead();
  expect(await found("landlord")).toEqual(["both", "lease"]);
  expect(await found("KEYS returning leases")).toEqual(["both", "lease"]);
  // Of a word that a line divides, and one that no dictionary knows.
  expect(await found("deposits zaphod")).toEqual(["both", "lease"]);
  expect(await found("haus")).toEqual(["Miete", "both"]);
  expect(await found("Schlüssel")).toEqual(["Miete", "both"]);
  // Both words, but in one file.
  expect(await found("landlord Schlüssel")).toEqual([]);
  expect(await found("the")).toEqual([]);
  for (const odd of ["%", "'", "a & !b | (", "\u202e", "'); drop"]) expect(await found(odd)).toEqual([]);
  const listed = await organization.listAgreements({ text: "schlüssel", withTotal: true });
  expect(listed.agreements.map(({ emailSubject }) => emailSubject).sort()).toEqual(["Miete", "both"]);
  expect(listed.total).toBe(2n);
  expect((await organization.listAgreements({ text: "LEAS" })).agreements).toHaveLength(1);
});

test("says that it is off where it is, and the search for texts is as it was", async () => {
  await draft("keys", await pdfOf(english));
  await expectDomainError(organization.listAgreements({ words: "keys" }), "VALIDATION_FAILED");
  expect((await organization.listAgreements({ text: "keys" })).agreements).toHaveLength(1);
  expect((await organization.listAgreements({ text: "tenant" })).agreements).toEqual([]);
  expect((await organization.getFileSearch({})).setting).toMatchObject({ enabled: false, files: 1n, filesRead: 0n });
  expect(await rows()).toBe(0);
});

test("reads what was there before once it is turned on, and forgets all when it is turned off", async () => {
  const other = sign.organization();
  await draft("one", await pdfOf(english));
  await draft("two", await pdfOf(english), await pdfOf(german));
  const { setting } = await turnOn();
  expect(setting).toMatchObject({ enabled: true, files: 3n });
  await turnOn(other);
  await allRead();
  expect(await found("landlord")).toEqual(["one", "two"]);
  expect(await found("landlord", other)).toEqual([]);
  // Once it is sure that nobody has begun before, nothing is left to do.
  sign.clock.advance(91_000);
  await until(async () => (await jobs()) === 0, 30_000);
  await turnOn();
  expect(await jobs()).toBe(0);

  const off = await organization.putFileSearch({ enabled: false });
  expect(off.setting).toMatchObject({ enabled: false });
  await expectDomainError(organization.listAgreements({ words: "landlord" }), "VALIDATION_FAILED");
  expect((await organization.listAgreements({ text: "landlord" })).agreements).toEqual([]);
  await until(async () => (await rows()) === 0 && (await jobs()) === 0);
  await turnOn();
  await allRead();
  expect(await found("landlord")).toEqual(["one", "two"]);
  const { acts } = await organization.listPrivacyActs({});
  expect(acts.map(({ action, detailsJson }) => [action, JSON.parse(detailsJson)])).toEqual(
    [true, false, true].map((enabled) => ["file-search.changed", { enabled }]),
  );
});

test("neither words nor their order stand in the tables, and another organization has other hashes", async () => {
  const other = sign.organization();
  for (const by of [organization, other]) {
    await turnOn(by);
    await send(by, { documents: [documentOf("1", await pdfOf(english))], recipients: [embeddedSigner("1", "Ann")] });
    await allRead(by);
  }
  const dump = await dumpTables(sign.superuser);
  for (const word of ["zaphod", "landlord", "tenant"]) expect(dump.toLowerCase()).not.toContain(word);
  const { rows: common } = await sign.superuser.query(
    `select unnest(tsvector_to_array(words)) from sign.file_words where organization_id = $1
     intersect select unnest(tsvector_to_array(words)) from sign.file_words where organization_id = $2`,
    [organization.orgId, other.orgId],
  );
  expect(common).toEqual([]);
  expect(await rows()).toBe(1);
});

test("words go with their file: taken out, deleted, purged, erased, or its time over", async () => {
  await turnOn();
  const file = await pdfOf(english);
  const made: string[] = [];
  for (const name of ["removed", "deleted", "expired"]) made.push(await draft(name, file));
  await allRead();
  const [removed = "", deleted = "", expired = ""] = made;
  expect(await found("landlord")).toEqual(["deleted", "expired", "removed"]);

  await organization.removeDocuments({ target: targetOf(removed), documentIds: ["1"] });
  await organization.deleteAgreement({ target: targetOf(deleted) });
  expect(await rows()).toBe(1);
  await sign.superuser.query(
    `insert into sign.retention_period (organization_id, owner_id, status, days, changed_at) values ($1, $1, 'created', 1, now())`,
    [organization.orgId],
  );
  await sign.superuser.query("update sign.agreement set modified_at = now() - interval '9 days' where id = $1", [
    expired,
  ]);
  const deps = await removal(sign);
  try {
    await createRemover(deps).run();
  } finally {
    await deps.close();
  }
  expect(await rows()).toBe(0);

  const sent = await send(organization, {
    documents: [documentOf("1", file)],
    recipients: [embeddedSigner("1", "Ann")],
  });
  await allRead();
  await organization.voidAgreement({ agreementId: sent.id, reason: "Over" });
  await organization.purgeAgreement({ agreementId: sent.id, state: "documents_queued" });
  sign.clock.advance(15 * 86_400_000);
  await until(async () => (await rows()) === 0, 30_000);
  // Once the file is gone, nobody reads it again.
  await organization.putFileSearch({ enabled: false });
  await turnOn();
  sign.clock.advance(91_000);
  await until(async () => (await jobs()) === 0, 30_000);
  expect(await rows()).toBe(0);
});

const targetOf = (id: string) => ({ id: { case: "agreementId" as const, value: id } });

test("what cannot be read, or is read by two at once, is noted once", async () => {
  await turnOn();
  const same = await pdfOf(english);
  const ids = await Promise.all(Array.from({ length: 6 }, (_, n) => draft(`copy ${n}`, same)));
  await allRead();
  expect(new Set(ids).size).toBe(6);
  expect(await found("landlord")).toHaveLength(6);
  // The same again changes nothing.
  const [document] = (
    await sign.superuser.query("select * from sign.file_words where organization_id = $1", [organization.orgId])
  ).rows;
  await sign.superuser.query(
    `insert into sign.job (organization_id, id, kind, key, agreement_id, payload, request_id, traceparent, created_at, run_at)
     values ($1, $2, 'file-words', $3, $4, $5, '', '', now(), now())`,
    [
      ...[organization.orgId, randomUUID(), document.document_id, document.agreement_id],
      { agreementId: document.agreement_id, documentId: document.document_id },
    ],
  );
  await until(async () => {
    const { rowCount } = await sign.superuser.query("select from sign.job where kind = 'file-words'");
    return rowCount === 0;
  });
  expect(await rows()).toBe(6);
});

test("the index of words is used, which it would not be under row-level security", async () => {
  const searcher = createPool({ url: sign.database.url, role: "assent_sign_searcher", max: 1, name: "test" });
  try {
    await searcher.query("set enable_seqscan = off");
    // Of a few rows it is as cheap to look at all of an organization.
    const { rows: plan } = await searcher.query<{ "QUERY PLAN": string }>(
      `explain select distinct agreement_id from sign.file_words
       where words @@ '(''a'' & ''b'') | ''c'''::tsquery order by 1 desc limit 10`,
    );
    expect(plan.map((row) => row["QUERY PLAN"]).join("\n")).toContain("file_words_found");
  } finally {
    await searcher.end();
  }
});

test.each([
  ["full width and ligatures", "ＡＢＣ ﬁnal", ["abc", "final"]],
  ["scripts without spaces", "株式会社の契約書", ["株式会社", "の", "契約", "書"]],
  ["signs between words", "l’accord, 3.2-B", ["l", "accord", "3", "2", "b"]],
])("words of %s", (_name, text, expected) => {
  const words = new Set<string>();
  addWords(words, text, 100);
  expect([...words]).toEqual(expected);
});

test("a text of endless words stays within its limits", () => {
  const words = new Set<string>();
  addWords(words, `${"x".repeat(1_000_000)} ${Array.from({ length: 500 }, (_, n) => `w${n}`).join(" ")}`, 100);
  expect(words.size).toBe(100);
  expect(Math.max(...[...words].map((word) => word.length))).toBe(64);
});
