import { randomBytes } from "node:crypto";
import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SessionOutcome } from "#gen/assent/click/v1/click_pb.ts";
import { TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { renderActions } from "../../render/test/render-actions.ts";
import { clientActions, type NewSession, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { accepted, as, batchItem, type ClickHarness, rows, startClick } from "../../test/harness.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, create, get, complete, accept } = clientActions(() => click);
const { renderSession } = renderActions(() => click);

const person: NewSession = {
  userRef: "ada.lovelace@example.org",
  metadata: { order: "order-1815", crm: "crm-1852" },
  returnUrl: "https://shop.example/back-to-ada",
  context: {
    ip: "203.0.113.91",
    userAgent: "AdaBrowser/5.1",
    pageUrl: "https://shop.example/for-ada",
    pageTitle: "Hello Ada",
    referrer: "https://mail.example/ada",
    timezone: "Europe/London",
    gpc: false,
  },
};
const data = { fullName: "Augusta Ada King", city: "Ockham" };
const personal = [
  "ada.lovelace",
  "order-1815",
  "crm-1852",
  "back-to-ada",
  "203.0.113.91",
  "AdaBrowser",
  "for-ada",
  "Hello Ada",
  "mail.example",
  "Europe/London",
  "Augusta",
  "Ockham",
  "#ada-paragraph",
  "because Ada said so",
];

const tables = ["session", "session_event", "sealed_rendering", "shown", "outbox", "subject_key", "log_leaf"];

/** The contents of all tables; bytea is also decoded as the text that it may contain. */
async function dump(table: string): Promise<string> {
  const stored = await rows(click, `select * from click.${table}`);
  return JSON.stringify(stored, (_key, value: unknown) => {
    const bytes = value as { readonly type?: unknown; readonly data?: readonly number[] } | null;
    return bytes?.type === "Buffer" ? Buffer.from(bytes.data ?? []).toString("utf8") : value;
  });
}

const generated = () => {
  const template = addTemplate({
    type: TemplateType.GENERATED,
    versions: [],
    typeConfig: { variables: [{ key: "city" }] },
    policyFlags: { allowDecline: true },
  });
  click.templates.addVersion(template, { content: "<p>{{fullName}} of {{city}}</p>" });
  return template;
};
const consent = () =>
  addTemplate({ type: TemplateType.CONSENT, typeConfig: { purposes: [{ key: "news", name: "News" }] } });

/** Shows a session to its user, whose page reports events. */
async function show(template: FakeTemplate, changes: NewSession) {
  const session = await create(template, changes);
  const { html } = await renderSession(template, session.id, { token: session.renderToken });
  const events = [{ type: "LINK_OPENED", target: "#ada-paragraph" }];
  await click.client.appendSessionEvents({ sessionId: session.id, events }, as(orgOf(template)));
  return { session, html };
}

describe("what is stored of sessions", () => {
  test("tells nothing about their users, whatever the type of their template and however they end", async () => {
    const all: { template: FakeTemplate; id: string; body: object }[] = [];
    for (const [template, changes, body] of [
      [addTemplate({ policyFlags: { allowDecline: true } }), person, {}],
      [generated(), { ...person, data }, {}],
      [consent(), person, { purposes: [{ purpose: "news", granted: true }] }],
    ] as const) {
      for (let n = 0; n < 3; n += 1) {
        const { session, html } = await show(template, changes);
        expect(session).toMatchObject({ userRef: person.userRef, metadata: person.metadata, erased: false });
        expect(session.returnUrl).toBe(person.returnUrl);
        if (changes.data !== undefined) expect(html).toBe("<p>Augusta Ada King of Ockham</p>");
        all.push({ template, id: session.id, body });
      }
    }
    const reason = "because Ada said so";
    for (const [index, { template, id, body }] of all.entries()) {
      if (index % 3 === 0) await accept(template, { sessionId: id, ...body });
      const outcome = index % 3 === 2 ? SessionOutcome.DECLINED : undefined;
      await complete(template, id, { reason, ...(outcome === undefined ? {} : { outcome }) });
      expect(await get(template, id)).toMatchObject({ userRef: person.userRef, metadata: person.metadata });
    }
    for (const table of tables) {
      const text = await dump(table);
      expect([table, text.length > 100]).toEqual([table, true]);
      for (const value of personal) expect([table, value, text.includes(value)]).toEqual([table, value, false]);
    }
  });

  test("each session has a seed of its own, and its rendering is as personal as it is", async () => {
    const template = generated();
    const ids = await Promise.all([1, 2, 3].map(async () => (await create(template, { ...person, data })).id));
    const sealed = await rows<{ seed: Buffer; sealed: Buffer }>(
      click,
      `select k.seed, r.sealed from click.sealed_rendering r
       join click.subject_key k using (organization_id, record_id) where record_id = any($1)`,
      [ids],
    );
    expect(new Set(sealed.map(({ seed }) => seed.toString("hex"))).size).toBe(3);
    expect(new Set(sealed.map((one) => one.sealed.toString("hex"))).size).toBe(3);
  });

  test("the text of a template without merge values is stored once for everybody", async () => {
    const template = addTemplate();
    const [{ id }] = [await create(template), await create(template)];
    const shown = await rows(click, "select from click.shown where organization_id = $1", [orgOf(template)]);
    expect(shown).toHaveLength(2);
    expect(await rows(click, "select from click.sealed_rendering where record_id = $1", [id])).toHaveLength(0);
  });

  test("a session that was tampered with fails alone, not the acceptances that came with its own", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    const [broken, whole] = [await create(template, person), await create(template, person)];
    await click.superuser.query(
      "update click.session set sealed = set_byte(sealed, 40, 255 - get_byte(sealed, 40)) where id = $1",
      [broken.id],
    );
    const items = [broken, whole].map(({ id }) => batchItem({ orgId, key: id, body: { sessionId: id } }));
    const { results } = await click.client.acceptBatch({ items });
    expect(results.map(({ outcome }) => outcome.case)).toEqual(["error", "receipt"]);
    expect(() => accepted(results[0])).toThrow(expect.objectContaining({ code: "INTERNAL_ERROR" }));
    expect(accepted(results[1]).receipt.userRef).toBe(person.userRef);
  });

  test("a service with another master key fails instead of showing nobody", async () => {
    const template = addTemplate();
    const { id } = await create(template, person);
    const stranger = await click.startAnother(undefined, randomBytes(32).toString("base64"));
    const { getSession, completeSession, getEvidenceBundle } = stranger.client;
    for (const call of [getSession, completeSession, getEvidenceBundle]) {
      await expect(call({ sessionId: id }, as(orgOf(template)))).rejects.toMatchObject({ code: Code.Internal });
    }
    expect((await get(template, id)).userRef).toBe(person.userRef);
  });
});
