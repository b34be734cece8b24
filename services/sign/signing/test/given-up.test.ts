import type { CallOptions } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { RecipientRole } from "#gen/assent/sign/v1/agreement_pb.ts";
import { until } from "#platform/testing/until.ts";
import { type Organization, startEditing } from "../../edit/test/edit-setup.ts";
import { smallestPdf } from "../../intake/merge-pdfs.ts";

let setup: Awaited<ReturnType<typeof startEditing>>;
let organization: Organization;

beforeAll(async () => {
  setup = await startEditing();
  organization = setup.organization();
});
afterAll(() => setup.stop());

const file = (documentId: string) => ({
  ...{ documentId, name: "NDA.pdf", fileExtension: "pdf" },
  source: { case: "content" as const, value: smallestPdf },
});
const ann = { recipientId: "1", role: RecipientRole.SIGNER, name: "Ann", email: "ann@example.com" };

async function draft(): Promise<string> {
  const definition = { emailSubject: "NDA", documents: [file("1")], recipients: [ann] };
  return (await organization.createAgreement({ definition })).agreement?.id ?? "";
}

type Write = (id: string, options: CallOptions) => Promise<unknown>;
const targetOf = (id: string) => ({ id: { case: "agreementId" as const, value: id } });

const writes: readonly (readonly [string, Write])[] = [
  ["a sending", (agreementId, options) => organization.sendAgreement({ agreementId }, options)],
  ["documents", (id, options) => organization.putDocuments({ target: targetOf(id), documents: [file("2")] }, options)],
  [
    "a change",
    (id, options) => organization.updateAgreement({ target: targetOf(id), changes: { emailSubject: "New" } }, options),
  ],
  [
    "recipients",
    (id, options) =>
      organization.putRecipients(
        { target: targetOf(id), recipients: [{ ...ann, recipientId: "2", email: "" }] },
        options,
      ),
  ],
  ["a deletion", (id, options) => organization.deleteAgreement({ target: targetOf(id) }, options)],
];

const waiting =
  "select count(*)::integer as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";

test("what nobody waits for any more is not carried out later", async () => {
  const ids = await Promise.all(writes.map(() => draft()));
  const other = await setup.superuser.connect();
  const givenUp = new AbortController();
  await other.query("begin");
  await other.query("select from sign.agreement where id = any($1::uuid[]) for update", [ids]);
  const answers = writes.map(([, write], index) => write(ids[index] ?? "", { signal: givenUp.signal }));
  const ends = Promise.allSettled(answers);
  await until(async () => {
    const { rows } = await setup.superuser.query<{ count: number }>(waiting);
    return (rows[0]?.count ?? 0) >= writes.length;
  });
  givenUp.abort();
  for (const { status } of await ends) expect(status).toBe("rejected");
  await other.query("rollback");
  other.release();

  for (const [index, [name, write]] of writes.entries()) {
    const id = ids[index] ?? "";
    // It waits for the same lock, behind the one that was given up.
    await organization.changeCustomFields({ target: targetOf(id), set: [{ name: "seen", value: "1" }] });
    const { agreement } = await organization.getAgreement({ target: targetOf(id) });
    expect([name, agreement?.status, agreement?.emailSubject]).toEqual([name, 1, "NDA"]);
    expect([agreement?.documents.length, agreement?.recipients.length]).toEqual([1, 1]);
    // Asked again it is done, and once.
    await write(id, {});
  }
});
