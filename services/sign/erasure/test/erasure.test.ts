import { createHash, randomUUID } from "node:crypto";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type PersonalItem, PersonalItemOutcome } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { type Agreement, AgreementStatus, type AuditEvent, TabType } from "#gen/assent/sign/v1/agreement_pb.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { dumpTables, findIn } from "#platform/testing/database-dump.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import {
  type Definition,
  documentOf,
  embeddedSigner,
  read,
  send,
  sit,
  tinyPng,
  untilCompleted,
} from "../../completion/test/completion-setup.ts";
import { smallestPdf } from "../../intake/merge-pdfs.ts";
import { type Organization, type SignHarness, type SignProcess, startSign } from "../../test/harness.ts";
import { nameOf, trailProblems } from "./trail-problems.ts";

let sign: SignHarness;
let worker: SignProcess;
let organization: Organization;

beforeAll(async () => {
  sign = await startSign();
  worker = await sign.another();
  await worker.startWorkers();
});
beforeEach(() => {
  organization = sign.organization();
});
afterAll(() => sign?.stop());

const ann = { ...embeddedSigner("1", "Ann Secretname"), email: "Ann.Secret@example.com", clientUserId: "ann-ref-77" };
const bob = { ...embeddedSigner("2", "Bob Othername"), email: "joann.secret@example.com" };
const annsValues = [
  "Ann Secretname",
  "ann.secret@example.com",
  "Ann.Secret@example.com",
  "ann-ref-77",
  "Ann is a nurse",
];
const parties: Definition = {
  documents: [documentOf("1", smallestPdf)],
  recipients: [{ ...ann, note: "Ann is a nurse" }, bob],
  emailSubject: "For ANN.SECRET@example.com and joann.secret@example.com",
  customFields: [{ name: "who", value: "ann.secret@example.com" }],
};

async function signed(at = organization, definition = parties): Promise<Agreement> {
  const agreement = await send(at, definition);
  // A drawn signature is a file.
  await (await sit(sign, at, agreement, "1"))({ drawnPng: tinyPng });
  await (await sit(sign, at, agreement, "2"))();
  return untilCompleted(at, agreement.id);
}

const request = { email: "ann.secret@EXAMPLE.com", userRef: "" };

/** All pages of an erasure. */
async function erase(
  by: Pick<Organization, "erasePerson"> = organization,
  { erasureId = randomUUID() as string, ...person } = {} as { erasureId?: string; email?: string; userRef?: string },
): Promise<PersonalItem[]> {
  const asked = { erasureId, person: { ...request, ...person }, ground: "GDPR_17" };
  return gather((cursor) => by.erasePerson({ ...asked, cursor }));
}

/** What an erasure would do. */
const find = (by: Pick<Organization, "findPerson"> = organization): Promise<PersonalItem[]> =>
  gather((cursor) => by.findPerson({ person: request, cursor }));

async function gather(
  ask: (cursor: string) => Promise<{ items: PersonalItem[]; nextCursor: string }>,
): Promise<PersonalItem[]> {
  const items: PersonalItem[] = [];
  let cursor = "";
  do {
    const page = await ask(cursor);
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== "");
  return items;
}

const told = (items: readonly PersonalItem[], targetId: string) =>
  items
    .filter((item) => item.targetId === targetId)
    .map(({ kind, name, outcome, keptBecause }) =>
      [kind, name, outcome === PersonalItemOutcome.ERASED ? "" : keptBecause].filter(Boolean).join(" "),
    );

const eventsOf = async (agreementId: string, at = organization): Promise<AuditEvent[]> =>
  (await at.listAuditEvents({ agreementId })).events;
const isIntact = async ({ documents: [document] }: Agreement, at = organization): Promise<boolean | undefined> => {
  const value = document?.sealedSha256 ?? new Uint8Array();
  return (await at.verifyDocument({ file: { file: { case: "sha256", value } } })).known[0]?.isAuditIntact;
};
/** Rows about an agreement, without the bytes of files, which are kept. */
const rowsOf = async (...ids: string[]): Promise<string> =>
  (await dumpTables(sign.superuser))
    .split("\n")
    .filter((row) => row.startsWith("sign.") && !/^sign\.blob/.test(row) && ids.some((id) => row.includes(id)))
    .join("\n")
    // Whose end is Ann's.
    .replaceAll(bob.email, "");
const untilQuiet = () =>
  until(async () => (await sign.superuser.query("select from sign.job where run_at <= now()")).rowCount === 0);

describe("a person who has signed", () => {
  test("is told of first, then erased everywhere but in the files, and everything that was written still proves", async () => {
    const agreement = await signed();
    const others = sign.organization();
    const theirs = await signed(others);
    await untilQuiet();
    const before = await rowsOf(agreement.id);
    expect(findIn(before, annsValues)).toEqual(
      expect.arrayContaining(["Ann Secretname", "ann-ref-77", "Ann is a nurse"]),
    );
    const planned = await find();
    expect(await rowsOf(agreement.id)).toBe(before);

    const items = await erase();
    expect(told(items, agreement.id)).toEqual([
      ...[
        "agreement.trail",
        "agreement.recipient",
        "agreement.signature",
        "agreement.mails",
        "agreement.links",
        "agreement.text emailSubject",
        "agreement.text customFields",
      ],
      "agreement.files FILE_OF_ALL",
    ]);
    expect(told(items, agreement.id)).toEqual(told(planned, agreement.id));
    expect(findIn(await rowsOf(agreement.id), annsValues)).toEqual([]);
    const after = await read(organization, agreement.id);
    expect(after.emailSubject).toBe("For ERASED and joann.secret@example.com");
    expect(after.recipients).toMatchObject([
      { name: "ERASED", email: "" },
      { name: bob.name, email: bob.email },
    ]);
    expect(await isIntact(agreement)).toBe(true);

    const events = await until(async () => {
      const all = await eventsOf(agreement.id);
      return all.filter(({ action }) => action === "agreement.logged").length === 2 && all;
    });
    const statement = events.find(({ action }) => action === "agreement.erased");
    expect(JSON.parse(statement?.detailsJson ?? "")).toMatchObject({ ground: "GDPR_17", keys: [expect.any(String)] });
    expect(sign.click.leaves.filter((leaf) => leaf.agreementId === agreement.id)).toMatchObject([
      ...[{ sequence: expect.any(Number) }, { sequence: statement?.sequence, headHash: statement?.hash }],
    ]);
    expect(events.flatMap(({ erasedSubjects }) => erasedSubjects).length).toBeGreaterThan(0);
    expect(trailProblems(agreement.id, events)).toEqual([]);
    const unstated = events.filter(({ action }) => action !== "agreement.erased");
    expect(trailProblems(agreement.id, unstated)).toContainEqual(expect.stringContaining("something was taken away"));
    expect(events.filter(({ actorName }) => actorName === bob.name).length).toBeGreaterThan(0);

    // Another organization knows the same person, and goes on knowing them.
    expect(findIn(await rowsOf(theirs.id), ["Ann Secretname"])).toHaveLength(1);
    expect([await isIntact(theirs, others), told(await find(others), theirs.id)]).toEqual([
      ...[true, expect.arrayContaining(["agreement.trail", "agreement.recipient"])],
    ]);
  });

  test("is kept as long as a legal hold says so", async () => {
    const agreement = await signed();
    const { hold } = await organization.setLegalHold({ email: bob.email, reason: "a dispute with Bob" });
    const items = told(await erase(), agreement.id);
    expect(items).toEqual(expect.arrayContaining(["agreement.trail LEGAL_HOLD", "agreement.recipient LEGAL_HOLD"]));
    expect((await read(organization, agreement.id)).recipients[0]?.name).toBe(ann.name);
    await organization.liftLegalHold({ id: hold?.id ?? "" });
    expect(told(await erase(), agreement.id)).toEqual(
      expect.arrayContaining(["agreement.trail", "agreement.recipient"]),
    );
  });

  test("is kept by a hold on their address whatever they are named by", async () => {
    const agreement = await signed();
    await organization.setLegalHold({ email: ann.email, reason: "a dispute with Ann" });
    const isHeld = async (userRef: string) => (await organization.findPersonHold({ userRef })).isHeld;
    const named = [ann.clientUserId, ann.email.toUpperCase(), bob.clientUserId, "somebody"];
    expect(await Promise.all(named.map(isHeld))).toEqual([true, true, false, false]);
    const items = told(await erase(organization, { email: "", userRef: ann.clientUserId }), agreement.id);
    expect(items).toContain("agreement.recipient LEGAL_HOLD");
  });

  test("is erased once: the same erasure answers the same, two at once do it once, and a flipped bit is still found", async () => {
    const agreement = await signed();
    const second = await sign.another();
    const processes = [organization, second.organization(organization.orgId)];
    const erasureId = randomUUID();
    const same = await Promise.all(processes.map((by) => erase(by, { erasureId })));
    expect(told(same[1] ?? [], agreement.id)).toEqual(told(same[0] ?? [], agreement.id));
    expect(told(await erase(organization, { erasureId }), agreement.id)).toEqual(told(same[0] ?? [], agreement.id));
    await Promise.all(processes.map((by) => erase(by)));
    expect((await eventsOf(agreement.id)).filter(({ action }) => action === "agreement.erased")).toHaveLength(1);
    expect(told(await erase(), agreement.id)).toEqual(["agreement.files FILE_OF_ALL"]);
    await expect(erase(organization, { erasureId, email: "bob@example.com" })).rejects.toThrow("key");

    expect(await isIntact(agreement)).toBe(true);
    const flip = (column: string) =>
      sign.superuser.query(
        `update sign.audit_event set ${column} where agreement_id = $1 and action = 'agreement.erased' returning 1`,
        [agreement.id],
      );
    await flip("details = jsonb_set(details, '{ground}', '\"NONE\"')");
    expect(await isIntact(agreement)).toBe(false);
    await flip("details = jsonb_set(details, '{ground}', '\"GDPR_17\"')");
    expect(await isIntact(agreement)).toBe(true);
    // A key that no event states as erased.
    await sign.superuser.query("update sign.subject_key set seed = null where agreement_id = $1 and id = $1", [
      agreement.id,
    ]);
    expect(await isIntact(agreement)).toBe(false);
    await second.stop();
  });

  test("goes on to be erased after a process was killed in the middle, and by reference as well", async () => {
    const agreements = [await signed(), await signed()];
    const erasureId = randomUUID();
    const refuse = "alter table sign.erasure_report add constraint killed check (target_id <> '%') not valid";
    await sign.superuser.query(refuse.replace("%", agreements[1]?.id ?? ""));
    const asked = { erasureId, email: "", userRef: "ann-ref-77" };
    await expect(erase(organization, asked)).rejects.toThrow();
    await sign.superuser.query("alter table sign.erasure_report drop constraint killed");
    const done = await Promise.all(agreements.map(({ id }) => eventsOf(id)));
    const erased = done.map((events) => events.filter(({ action }) => action === "agreement.erased").length);
    expect(erased).toEqual([1, 0]);
    const items = await erase(organization, asked);
    for (const agreement of agreements) {
      expect(told(items, agreement.id)).toEqual(expect.arrayContaining(["agreement.trail", "agreement.recipient"]));
      expect(await isIntact(agreement)).toBe(true);
      expect((await eventsOf(agreement.id)).filter(({ action }) => action === "agreement.erased")).toHaveLength(1);
    }
  });
});

describe("an agreement that came to nothing", () => {
  const filesOf = (items: readonly PersonalItem[], targetId: string) =>
    items.filter((item) => item.targetId === targetId && item.kind === "agreement.files");

  test("loses its files when nobody is left of it, and no period keeps it", async () => {
    const agreement = await send(organization, parties);
    await organization.voidAgreement({ agreementId: agreement.id, reason: "no more" });
    await organization.putRetention({ periods: [{ status: "voided", days: 30 }] });
    // What is announced can still be taken back.
    const [early] = filesOf(await erase(), agreement.id);
    expect([early?.keptBecause, early?.keptUntil]).toEqual(["FILE_OF_ALL", undefined]);
    await sign.superuser.query(
      "update sign.retention_period set days = next_days, next_days = null, next_at = null where organization_id = $1",
      [organization.orgId],
    );
    const [first] = filesOf(await erase(), agreement.id);
    const kept = { outcome: PersonalItemOutcome.KEPT, keptBecause: "FILE_OF_ALL" };
    expect(first).toMatchObject(kept);
    const days =
      first?.keptUntil && (timestampDate(first.keptUntil).getTime() - sign.clock.now().getTime()) / 86_400_000;
    expect(Math.round(days ?? 0)).toBe(30);
    expect(filesOf(await erase(organization, { email: bob.email }), agreement.id)).toMatchObject([
      { ...kept, keptBecause: "RETENTION" },
    ]);
    await organization.putRetention({ periods: [] });
    const { hold } = await organization.setLegalHold({ agreementId: agreement.id, reason: "a dispute" });
    expect(filesOf(await erase(), agreement.id)).toMatchObject([{ ...kept, keptBecause: "LEGAL_HOLD" }]);
    await organization.liftLegalHold({ id: hold?.id ?? "" });

    const gone = { outcome: PersonalItemOutcome.ERASED, keptBecause: "" };
    const erasureId = randomUUID();
    expect(filesOf(await erase(organization, { erasureId }), agreement.id)).toMatchObject([gone]);
    expect(filesOf(await erase(organization, { erasureId }), agreement.id)).toMatchObject([gone]);
    expect(filesOf(await erase(), agreement.id)).toEqual([]);
    const target = { id: { case: "agreementId", value: agreement.id } } as const;
    await expectDomainError(
      organization.getDocumentContent({ target, documentId: agreement.documents[0]?.documentId ?? "" }),
      "DOCUMENT_ERASED",
    );
    const { rows } = await sign.superuser.query("select from sign.blob_reference where organization_id = $1", [
      organization.orgId,
    ]);
    expect(rows).toEqual([]);
    expect((await read(organization, agreement.id)).purge?.state).toBe("documents_purged");
    expect((await organization.listPrivacyActs({})).acts.map(({ action }) => action)).toContain("agreement.purged");
    const events = await until(async () => {
      const all = await eventsOf(agreement.id);
      return all.filter(({ action }) => action === "agreement.logged").length === 4 && all;
    });
    expect(trailProblems(agreement.id, events)).toEqual([]);
  });
});

describe("an agreement that has not ended", () => {
  test("tells and exports what somebody has saved before they finish, which is gone when it ends", async () => {
    const tab = { type: TabType.TEXT, label: "city", documentId: "1", page: 1, x: 10, y: 10 };
    const agreement = await send(organization, { ...parties, recipients: [{ ...ann, tabs: [tab] }, bob] });
    const { id: agreementId, recipients } = agreement;
    expect(told(await find(), agreementId)).not.toContain("agreement.tab-values IN_PROGRESS");
    const view = { agreementId, recipientId: "1", returnUrl: "https://app.example/back" };
    const { token } = await organization.createRecipientView(view);
    const { sessionToken } = await sign.signing.openView({ token });
    await sign.signing.saveSigningProgress({
      ...{ sessionToken, values: [{ tabId: recipients[0]?.tabs[0]?.tabId ?? "", value: "Lisbon" }] },
      signature: { typed: "Ann", font: "caveat", drawnPng: tinyPng },
    });
    expect(told(await find(), agreementId)).toContain("agreement.tab-values IN_PROGRESS");
    const { files } = await organization.exportPerson({ person: request });
    const record = files.find(({ path }) => path === `data/agreements/${agreementId}.json`);
    expect(JSON.parse(Buffer.from(record?.content ?? []).toString()).recipients[0].fields).toMatchObject([
      { label: "city", value: "Lisbon" },
    ]);
    expect(files.some(({ content }) => Buffer.from(content).equals(tinyPng))).toBe(true);
    await organization.voidAgreement({ agreementId, reason: "no more" });
    const left = await sign.superuser.query("select from sign.progress where agreement_id = $1", [agreementId]);
    expect(left.rowCount).toBe(0);
  });

  test("keeps who is in it, also when they sign at that moment", async () => {
    const agreement = await send(organization, parties);
    const finish = await sit(sign, organization, agreement, "1");
    const [items] = await Promise.all([erase(), finish()]);
    expect(told(items, agreement.id)).toEqual(
      expect.arrayContaining(["agreement.trail IN_PROGRESS", "agreement.recipient IN_PROGRESS"]),
    );
    await (await sit(sign, organization, agreement, "2"))();
    const completed = await untilCompleted(organization, agreement.id);
    expect(completed.recipients[0]?.name).toBe(ann.name);
    expect(told(await erase(), agreement.id)).toEqual(
      expect.arrayContaining(["agreement.trail", "agreement.recipient"]),
    );
    expect(await isIntact(completed)).toBe(true);
  });

  test("and was never sent, or was deleted, keeps nothing of them", async () => {
    const { agreement: draft } = await organization.createAgreement({ definition: parties });
    const { agreement: deleted } = await organization.createAgreement({ definition: parties });
    const ids = [draft?.id ?? "", deleted?.id ?? ""];
    await organization.deleteAgreement({ target: { id: { case: "agreementId", value: ids[1] ?? "" } } });
    // Drafts of releases before had this in clear.
    await sign.superuser.query(
      'update sign.agreement set metadata = \'{"a": "ann.secret@example.com"}\' where id = $1',
      [ids[0]],
    );
    const items = await erase();
    expect(told(items, ids[0] ?? "")).toEqual(
      expect.arrayContaining(["agreement.recipient", "agreement.text metadata"]),
    );
    expect(findIn(await rowsOf(...ids), annsValues)).toEqual([]);
    expect(await read(organization, ids[0] ?? "")).toMatchObject({
      status: AgreementStatus.CREATED,
      recipients: [{ name: "" }, {}],
    });
  });

  test("is found among as many as there are, page by page", async () => {
    const { agreement } = await organization.createAgreement({
      definition: { emailSubject: "To ann.secret@example.com" },
    });
    const columns = `status, email_subject, email_blurb, name, description, shared, notification, transaction_id, sender,
      created_at, modified_at, status_changed_at`;
    await sign.superuser.query(
      `insert into sign.agreement (organization_id, id, ${columns})
       select organization_id, gen_random_uuid(), ${columns} from sign.agreement, generate_series(1, 450) where id = $1`,
      [agreement?.id],
    );
    const items = await erase();
    expect(new Set(items.map(({ targetId }) => targetId)).size).toBe(451);
    expect(await find()).toEqual([]);
  });

  test("and a list that was not sent yet loses the copies that name them", async () => {
    // That of others has the reference as something else.
    const tab = { type: TabType.TEXT, value: ann.clientUserId };
    const copies = [{ recipients: [ann] }, { recipients: [{ ...bob, tabs: [tab] }] }];
    const { list } = await organization.createBulkList({ name: "All", copies });
    expect(told(await erase(organization, { userRef: ann.clientUserId }), list?.id ?? "")).toEqual(["bulk.list"]);
    expect(findIn(await rowsOf(list?.id ?? ""), annsValues)).toEqual([ann.clientUserId]);
    expect((await organization.getBulkList({ id: list?.id ?? "" })).list?.copies).toMatchObject([
      { recipients: [{ name: bob.name }] },
    ]);
  });
});

describe("an export", () => {
  const exported = async (email: string) => {
    const { files } = await organization.exportPerson({ person: { email } });
    return files.map(({ path, title, content }) => ({ path, text: `${title} ${Buffer.from(content).toString()}` }));
  };

  test("has of a copy in a list what is for the person, and nothing of the others in it", async () => {
    const bobs = { ...bob, note: "Bob is a cook" };
    await organization.createBulkList({ name: `For ${bob.name}`, copies: [{ recipients: [ann, bobs] }] });
    const list = (await exported(ann.email)).find(({ path }) => path.startsWith("data/bulk-lists/"));
    expect(list?.text).toContain(ann.name);
    expect(list?.text).not.toMatch(/Bob|joann/);
  });

  test("has nothing of those whose longer address ends like the person's", async () => {
    await organization.createAgreement({ definition: parties });
    expect(await exported("secret@example.com")).toEqual([]);
  });

  test("has what the sender has filled in without the names of others, of which one may begin another", async () => {
    const tab = { type: TabType.TEXT, value: "With Bob Othername", documentId: "1", page: 1, x: 10, y: 10 };
    const recipients = [
      { ...ann, tabs: [tab] },
      { ...bob, name: "Bob" },
      { ...embeddedSigner("3", "Cat"), name: bob.name },
    ];
    await organization.createAgreement({ definition: { ...parties, emailSubject: bob.name, recipients } });
    const record = (await exported(ann.email)).find(({ path }) => path.startsWith("data/agreements/"));
    expect(record?.text).toContain("With (someone else)");
    expect(record?.text).not.toMatch(/Bob|Othername/);
  });
});

describe("a trail of format 1", () => {
  /** Makes the trail one that a release before wrote, everything in clear. */
  async function inFormat1(agreement: Agreement): Promise<void> {
    const events = await eventsOf(agreement.id);
    let previous = Buffer.alloc(32);
    for (const event of events) {
      const { sequence, action, source, actorId: id, actorName: name, actorEmail: email, ip, userAgent } = event;
      const details = event.detailsJson === "" ? null : JSON.parse(event.detailsJson);
      const all = {
        ...{ agreementId: agreement.id, sequence, action, source, actor: { id, name, email, ip, userAgent } },
        ...{ details: details ?? {}, previousHash: previous.toString("hex") },
        occurredAt: event.occurredAt && timestampDate(event.occurredAt).toISOString(),
        agreementStatus: nameOf(AgreementStatus, event.agreementStatus).toLowerCase(),
      };
      const hash = createHash("sha256").update(canonicalJson(all)).digest();
      await sign.superuser.query(
        `update sign.audit_event set sd = null, sealed = null, actor_id = $3, actor_name = $4, actor_email = $5, ip = $6,
           user_agent = $7, details = $8, previous_hash = $9, hash = $10 where agreement_id = $1 and sequence = $2`,
        [agreement.id, sequence, id, name, email, ip, userAgent, details, previous, hash],
      );
      previous = hash;
    }
    await sign.superuser.query("delete from sign.subject_key where agreement_id = $1", [agreement.id]);
    await sign.superuser.query("update sign.agreement set audit_hash = $2 where id = $1", [agreement.id, previous]);
  }

  test("loses the events about a person, and a later one states what is left of them", async () => {
    const agreement = await signed();
    await untilQuiet();
    await inFormat1(agreement);
    expect(await isIntact(agreement)).toBe(true);
    const before = await eventsOf(agreement.id);
    const items = await erase();
    expect(told(items, agreement.id)).toEqual(
      expect.arrayContaining(["agreement.trail-format-1", "agreement.recipient"]),
    );
    expect(findIn(await rowsOf(agreement.id), annsValues)).toEqual([]);
    expect(await isIntact(agreement)).toBe(true);
    const after = await eventsOf(agreement.id);
    expect(after.slice(0, before.length).map(({ hash, action }) => [hash, action])).toEqual(
      before.map(({ hash, action }) => [hash, action]),
    );
    expect(after.filter(({ actorName }) => actorName === bob.name)).toEqual(
      before.filter(({ actorName }) => actorName === bob.name),
    );
    const left = after.filter(({ format, publicJson }) => format === 1 && publicJson !== "");
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThan(before.length);
    expect(trailProblems(agreement.id, after)).toEqual([]);
    // What is left is stated, to the last bit, and nothing goes that is not.
    const [moment, at] = ["occurred_at = occurred_at", "where agreement_id = $1 and sequence = $2"];
    for (const [by, isStill] of [
      ["+", false],
      ["-", true],
    ] as const) {
      const sql = `update sign.audit_event set ${moment} ${by} interval '1 ms' ${at}`;
      await sign.superuser.query(sql, [agreement.id, left[0]?.sequence]);
      expect(await isIntact(agreement)).toBe(isStill);
    }
    const clear = after.find(({ format, publicJson }) => format === 1 && publicJson === "");
    await sign.superuser.query(
      "update sign.audit_event set is_erased = true, actor_name = '' where agreement_id = $1 and sequence = $2",
      [agreement.id, clear?.sequence],
    );
    expect(await isIntact(agreement)).toBe(false);
  });
});
