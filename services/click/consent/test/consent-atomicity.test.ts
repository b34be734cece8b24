import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { clientActions, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { acceptOne, type ClickHarness, codeOf, rows, startClick } from "../../test/harness.ts";
import { consentActions, decide } from "./consent-actions.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { create } = clientActions(() => click);
const { addConsent, read, update, acceptConsent } = consentActions(() => click);

/** Everything that there is of an organization's consent, and what comes with it. */
const recorded = async (template: FakeTemplate) => {
  const count = (table: string) => `(select count(*)::int from click.${table} where organization_id = $1) as ${table}`;
  const tables = [
    "acceptance",
    "consent_event",
    "consent_head",
    "consent_deadline",
    "subject_key",
    "log_head",
    "log_leaf",
    "outbox",
  ];
  return (await rows(click, `select ${tables.map(count).join(", ")}`, [template.organizationId]))[0];
};

const nothing = {
  acceptance: 0,
  consent_event: 0,
  consent_head: 0,
  consent_deadline: 0,
  subject_key: 0,
  log_head: 0,
  log_leaf: 0,
  outbox: 0,
};

/** As if the process had died right before this table was written to. */
async function withoutWriting(table: string, role: string, work: () => Promise<unknown>): Promise<void> {
  await click.superuser.query(`revoke insert on click.${table} from ${role}`);
  try {
    await work();
  } finally {
    await click.superuser.query(`grant insert on click.${table} to ${role}`);
  }
}

const addShort = () => addConsent([{ key: "news", expiresAfterDays: 1 }]);

describe("whatever fails", () => {
  test.each(["consent_event", "consent_head", "consent_deadline", "subject_key", "log_head", "log_leaf", "outbox"])(
    "an acceptance leaves nothing behind when %s cannot be written, and can be sent again",
    async (table) => {
      const template = addShort();
      const { id } = await create(template, {});
      const before = await recorded(template);
      const accept = (key: string, subject: object) =>
        codeOf(
          acceptOne(click.client, {
            orgId: orgOf(template),
            key,
            body: { ...subject, userRef: "user-1", ...decide({ news: true }) },
          }),
        );
      const { templateId } = template;
      await withoutWriting(table, "assent_click_recorder", async () => {
        expect(await accept("direct", { templateId })).toBe("INTERNAL_ERROR");
        expect(await accept("session", { sessionId: id })).toBe("INTERNAL_ERROR");
      });
      expect(await recorded(template)).toEqual(before);
      expect([await accept("direct", { templateId }), await accept("session", { sessionId: id })]).toEqual([
        "ok",
        "ok",
      ]);
      expect((await read(orgOf(template))).revision).toBe(2n);
    },
  );

  test.each([
    "acceptance",
    "consent_event",
    "consent_head",
    "consent_deadline",
    "subject_key",
    "log_head",
    "log_leaf",
    "outbox",
  ])("a change leaves nothing behind when %s cannot be written, and can be sent again", async (table) => {
    const template = addShort();
    const send = () => update(orgOf(template), { news: "GRANT" }, { idempotencyKey: "k" });
    await withoutWriting(table, "assent_click", () => expect(send()).rejects.toThrow());
    expect(await recorded(template)).toEqual(nothing);
    expect(await send()).toMatchObject({ replayed: false, state: { revision: 1n } });
  });

  test("one acceptance of a batch that cannot be recorded takes no other with it", async () => {
    const template = addShort();
    const plain = click.templates.add(orgOf(template));
    await withoutWriting("consent_event", "assent_click_recorder", async () => {
      const body = { templateId: plain.templateId, userRef: "user-1" };
      const outcomes = await Promise.all([
        codeOf(acceptConsent(template, { news: true })),
        ...["a", "b", "c"].map((key) => codeOf(acceptOne(click.client, { orgId: orgOf(template), key, body }))),
      ]);
      expect(outcomes).toEqual(["INTERNAL_ERROR", "ok", "ok", "ok"]);
    });
  });
});
