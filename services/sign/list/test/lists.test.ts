import { randomUUID } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Agreement, AgreementStatus, RecipientRole } from "#gen/assent/sign/v1/agreement_pb.ts";
import { DateField, type ListAgreementsRequestSchema, Order } from "#gen/assent/sign/v1/sign_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { smallestPdf } from "../../intake/merge-pdfs.ts";
import { type Organization, type SignHarness, startSign } from "../../test/harness.ts";

type Query = MessageInitShape<typeof ListAgreementsRequestSchema>;

let sign: SignHarness;
let organization: Organization;
let other: Organization;
/** Their ids by their subjects; their creation is a minute apart. */
const made = new Map<string, Agreement>();

const subjects = ["Ärzte one", "two", "three", "four", "five", "six", "seven"];

beforeAll(async () => {
  sign = await startSign();
  [organization, other] = [sign.organization(), sign.organization()];
  for (const [n, subject] of subjects.entries()) made.set(subject, await create(organization, subject, n));
  await create(other, "theirs", 0);
  await create(organization, "template", 0, true);
  const { id } = agreementOf("two");
  await organization.sendAgreement({ agreementId: id });
  await organization.deleteAgreement({ target: { id: { case: "agreementId", value: agreementOf("seven").id } } });
});

afterAll(() => sign.stop());

async function create(whose: Organization, subject: string, n: number, isTemplate = false): Promise<Agreement> {
  const { agreement } = await whose.createAgreement({
    isTemplate,
    definition: {
      emailSubject: subject,
      ...(isTemplate ? { name: "template" } : {}),
      transactionId: `t-${n}`,
      documents: [{ documentId: "1", name: "a.pdf", source: { case: "content", value: smallestPdf } }],
      recipients: [
        { role: RecipientRole.SIGNER, name: `Jörg ${n}`, email: `Joerg${n % 2}@Example.com`, recipientId: "1" },
      ],
      customFields: [{ name: "po", value: String(n % 3), show: true }],
    },
  });
  if (agreement === undefined) throw new Error("nothing was made");
  const sql = `update sign.agreement set created_at = $2::timestamptz + $3 * interval '1 minute' where id = $1`;
  // Two of them at the same time.
  await sign.superuser.query(sql, [agreement.id, "2026-01-01T00:00:00Z", n === 3 ? 2 : n]);
  return agreement;
}

function agreementOf(subject: string): Agreement {
  const agreement = made.get(subject);
  if (agreement === undefined) throw new Error(`there is no ${subject}`);
  return agreement;
}

const list = async (query: Query, whose = organization): Promise<string[]> =>
  (await whose.listAgreements(query)).agreements.map(({ emailSubject }) => emailSubject);

const minute = (n: number) => timestampFromDate(new Date(Date.UTC(2026, 0, 1, 0, n)));

const cases: readonly [name: string, query: Query, expected: readonly string[]][] = [
  ["templates only", { templates: true }, ["template"]],
  ["a status", { statuses: [AgreementStatus.SENT] }, ["two"]],
  ["several statuses", { statuses: [AgreementStatus.SENT, AgreementStatus.VOIDED] }, ["two"]],
  ["transactions", { transactionIds: ["t-0", "t-2", "t-9"] }, ["Ärzte one", "three"]],
  ["an e-mail address without case", { email: "JOERG1@example.com" }, ["two", "four", "six"]],
  ["a name without case", { recipientName: "JÖRG 4" }, ["five"]],
  ["a text of the subject without case", { text: "äRZTE" }, ["Ärzte one"]],
  ["a text of the name", { text: "JÖRG 1" }, ["two"]],
  ["a text of the address", { text: "rg1@EX" }, ["two", "four", "six"]],
  ["a text with signs of patterns", { text: "%" }, []],
  ["a custom field", { customField: { name: "po", value: "1" } }, ["two", "five"]],
  ["a custom field that nobody has", { customField: { name: "PO", value: "1" } }, []],
  ["a time of creation", { dateField: DateField.CREATED, from: minute(1), to: minute(4) }, ["two", "three", "four"]],
  ["a time that others do not have", { dateField: DateField.SENT }, ["two"]],
  ["several things at once", { email: "joerg1@example.com", customField: { name: "po", value: "1" } }, ["two"]],
];

test.each(cases)("finds %s", async (_name, query, expected) => {
  const total = { withTotal: true, order: Order.CREATED, ascending: true };
  const answer = await organization.listAgreements({ ...query, ...total });
  expect(answer.agreements.map(({ emailSubject }) => emailSubject).sort()).toEqual([...expected].sort());
  expect(answer).toMatchObject({ total: BigInt(expected.length), nextCursor: "" });
});

test("finds ids, but neither those of others nor what is none", async () => {
  const ids = [agreementOf("six").id.toUpperCase(), randomUUID(), "x", agreementOf("seven").id];
  expect(await list({ ids })).toEqual(["six"]);
  expect(await list({ ids: ["x"] })).toEqual([]);
  expect(await list({ ids: [agreementOf("six").id] }, other)).toEqual([]);
  expect(await list({}, other)).toEqual(["theirs"]);
});

const orders: readonly [name: string, order: Order, ascending: boolean][] = [
  ["creation", Order.CREATED, false],
  ["creation, oldest first", Order.CREATED, true],
  ["the change of the status", Order.STATUS_CHANGED, false],
  ["the subject", Order.SUBJECT, true],
  ["sending, which most have not", Order.SENT, true],
];

test.each(orders)("pages by %s give each once, in the order of the whole list", async (_name, order, ascending) => {
  const whole = await list({ order, ascending });
  expect(new Set(whole).size).toBe(6);
  const paged: string[] = [];
  let cursor = "";
  do {
    const page = await organization.listAgreements({ order, ascending, cursor, limit: 2, withParts: true });
    expect(page.agreements.every(({ documents, recipients }) => documents.length + recipients.length === 2)).toBe(true);
    paged.push(...page.agreements.map(({ emailSubject }) => emailSubject));
    cursor = page.nextCursor;
  } while (cursor !== "");
  expect(paged).toEqual(whole);
  expect(await list({ order, ascending, offset: 4 })).toEqual(whole.slice(4));
});

test("the newest come first, without parts unless asked for", async () => {
  const { agreements } = await organization.listAgreements({ limit: 1 });
  expect(agreements).toMatchObject([{ emailSubject: "six", recipients: [], documents: [], customFields: [] }]);
});

test("refuses a cursor of another order, one that was made up, and one with an offset", async () => {
  const { nextCursor: cursor } = await organization.listAgreements({ limit: 2 });
  const wrong = [{ cursor, ascending: true }, { cursor: "x" }, { cursor: "Y3JlYXRlZC0gMSB4" }, { cursor, offset: 1 }];
  for (const query of wrong) await expectDomainError(organization.listAgreements(query), "VALIDATION_FAILED");
});

test("a list of many agreements is read from its index, without sorting", async () => {
  const client = await sign.superuser.connect();
  try {
    await client.query("begin");
    await client.query(
      `insert into sign.agreement (organization_id, id, status, email_subject, email_blurb, name, description, shared,
         notification, transaction_id, sender, created_at, modified_at, status_changed_at)
       select $1, gen_random_uuid(), 'created', '', '', '', '', false, '{}', '', '{}', now() - n * interval '1 second',
         now(), now() from generate_series(1, 5000) n`,
      [organization.orgId],
    );
    await client.query("analyze sign.agreement");
    await client.query(`set local role assent_sign`);
    await client.query(`select set_config('app.org_id', $1, true)`, [organization.orgId]);
    const explained = await client.query<{ "QUERY PLAN": string }>(
      `explain select id from sign.agreement a where a.organization_id = '${organization.orgId}'
         and a.deleted_at is null and a.status <> 'template' and (a.created_at, a.id) < (now(), '${randomUUID()}'::uuid)
       order by a.created_at desc, a.id desc limit 50`,
    );
    const plan = explained.rows.map((row) => row["QUERY PLAN"]).join("\n");
    expect(plan).toContain("agreement_created");
    expect(plan).not.toContain("Sort");
  } finally {
    await client.query("rollback");
    client.release();
  }
});

test("the activity counts agreements by status, without templates and deleted drafts, and what was sent since", async () => {
  const activity = await organization.getActivity({ since: minute(0) });
  const counts = activity.statuses.map(({ status, agreements }) => [status, agreements]);
  expect(counts.sort()).toEqual([
    [AgreementStatus.CREATED, 5n],
    [AgreementStatus.SENT, 1n],
  ]);
  expect(activity).toMatchObject({ sent: 1n, completed: 0n, declined: 0n });
  const later = await organization.getActivity({ since: timestampFromDate(new Date("9000-01-01T00:00:00Z")) });
  expect([later.sent, later.statuses.length]).toEqual([0n, 2]);
  await expectDomainError(organization.getActivity({}), "VALIDATION_FAILED");
});

test("counting by status and listing one status need no look at what is of another", async () => {
  const plan = async (query: string): Promise<string> => {
    const connection = await sign.superuser.connect();
    try {
      await connection.query("begin; set local enable_seqscan = off; set local enable_bitmapscan = off");
      await connection.query(`set local enable_sort = off; set local enable_hashagg = off`);
      // Of a few rows it is as cheap to look at all statuses.
      await connection.query("drop index sign.agreement_created");
      const { rows } = await connection.query(`explain ${query}`);
      return rows.map((row) => row["QUERY PLAN"]).join("\n");
    } finally {
      await connection.query("rollback");
      connection.release();
    }
  };
  const own = `from sign.agreement where organization_id = '${organization.orgId}' and deleted_at is null
    and status <> 'template'`;
  expect(await plan(`select status, count(*) ${own} group by status`)).toContain("using agreement_by_status");
  expect(await plan(`select id ${own} and status = 'sent' order by created_at desc, id desc limit 9`)).toContain(
    "using agreement_by_status",
  );
});
