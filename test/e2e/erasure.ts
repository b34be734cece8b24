import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import type { Environment } from "#platform/config.ts";
import { copyTestDatabase } from "#platform/testing/database.ts";
import { dumpBackup, dumpTables, findIn } from "#platform/testing/database-dump.ts";
import { until } from "#platform/testing/until.ts";
import { runAdmin } from "../../dev/admin/run.ts";
import { smallestPdf } from "../../services/sign/intake/merge-pdfs.ts";
import { Api } from "../support/api.ts";
import {
  bodyOf,
  consentTemplate,
  consentText,
  generatedTemplate,
  generatedText,
  publishText,
} from "../support/journeys.ts";
import { type System, scenario } from "../support/system.ts";

const person = {
  userRef: "zoe.customer@people.example",
  email: "zoe.private@mail.example",
  key: "signup of zoe 1042",
  ip: "198.51.100.77",
  userAgent: "BrowserOfZoe/133.0",
  pageUrl: "https://shop.example/account/zoe-secret-page",
  typedName: "Zoe Quentin Sigismund",
  buyer: "Zoe of 7 Long Lane, Smallville",
  reason: "because zoe has moved away",
};

const { userRef, ip, userAgent, pageUrl, email, typedName } = person;
const told = { userRef, typedName, context: { ip, userAgent, pageUrl }, metadata: { email } };
const userPath = `/v1/click/users/${encodeURIComponent(userRef)}`;
const consentPath = `/v1/click/consent/${encodeURIComponent(userRef)}`;

const agreementsPath = "/v1/sign/agreements";

interface Aged {
  readonly mine: Api;
  /** Its time is over. */
  readonly old: string;
  /** It would be. */
  readonly held: string;
  readonly young: string;
}

const aged = new WeakMap<System, Promise<Aged>>();

const agedAgreements = (system: System): Promise<Aged> => {
  const known = aged.get(system) ?? ageAgreements(system);
  aged.set(system, known);
  return known;
};

async function ageAgreements(system: System): Promise<Aged> {
  const mine = await system.newOrganization();
  const documents = [{ documentId: "1", name: "NDA.pdf", documentBase64: Buffer.from(smallestPdf).toString("base64") }];
  const signers = [{ name: "Bob Other", email: "bob@people.example" }];
  const voided = async (): Promise<string> => {
    const body = { emailSubject: "NDA", recipients: { signers }, documents };
    const { id } = bodyOf(201, await mine.post(agreementsPath, body));
    bodyOf(200, await mine.call("POST", `${agreementsPath}/${id}/send`));
    bodyOf(200, await mine.post(`${agreementsPath}/${id}/void`, { voidedReason: "too late" }));
    return id;
  };
  const [old, held, young] = [await voided(), await voided(), await voided()];
  bodyOf(201, await mine.post("/v1/privacy/holds", { agreementId: held, reason: "Lawsuit 4" }));
  const periods = [{ status: "voided", days: 30 }];
  bodyOf(200, await mine.call("PUT", "/v1/privacy/retention", { periods }));
  const inspect = new pg.Client({ connectionString: system.inspectUrl });
  await inspect.connect();
  try {
    // As if all of that had been a month ago.
    await inspect.query(
      "update sign.agreement set status_changed_at = status_changed_at - interval '31 days' where id = any($1)",
      [[old, held]],
    );
    await inspect.query(
      "update sign.retention_period set days = 30, next_days = null, next_at = null where organization_id = $1",
      [mine.organizationId],
    );
  } finally {
    await inspect.end();
  }
  return { mine, old, held, young };
}

/** Long before it is looked whether they are gone: what is due is deleted once a minute. */
export const agreementsOfOld = scenario("agreements whose time is over", (_mode, running) => {
  test("are made; those that are held or young stay", async () => {
    const { mine, held, young } = await agedAgreements(running());
    for (const id of [held, young]) expect((await mine.get(`${agreementsPath}/${id}`)).status).toBe(200);
  });
});

export const erasureOfUser = scenario("erasure of a user", (mode, running) => {
  let system: System;
  let api: Api;
  let inspect: pg.Pool;
  beforeAll(async () => {
    system = running();
    api = await system.newOrganization();
    inspect = new pg.Pool({ connectionString: system.inspectUrl, max: 1 });
    inspect.on("error", () => {});
  });
  afterAll(async () => {
    await inspect?.end();
  });

  test("leaves nothing of what was sent about the user in any table of any service", async () => {
    const { templateId } = await publishText(api, { ...generatedTemplate, slug: "order" }, generatedText);
    await publishText(api, { ...consentTemplate, slug: "privacy" }, consentText);
    const data = { buyer: person.buyer };
    const session = bodyOf(201, await api.post("/v1/click/sessions", { templateId, ...told, data }));
    const first = bodyOf(201, await api.accept(person.key, { sessionId: session.id, ...told }));
    const second = bodyOf(201, await api.accept(`${person.key} b`, { templateId, ...told, data }));
    const decisions = [{ purpose: "marketing", decision: "GRANT" }];
    const change = { purposes: decisions, reason: person.reason, context: told.context, metadata: { email } };
    const changed = bodyOf(200, await api.post(consentPath, change));
    const { receipts, sessions, consentChanges } = bodyOf(200, await api.call("DELETE", userPath)).erased;
    expect(receipts).toEqual([first.receiptId, second.receiptId].sort());
    expect([sessions, consentChanges]).toEqual([[session.id], [changed.receipts[0].receiptId]]);
    const dump = await dumpTables(inspect);
    expect(findIn(dump, Object.values(person))).toEqual([]);
    for (const table of ["click.acceptance", "auth.", "gateway.", "templates."]) expect(dump).toContain(`\n${table}`);
    const again = await api.accept(person.key, { sessionId: session.id, ...told });
    expect([again.status, again.body.receiptId, again.body.erased]).toEqual([200, first.receiptId, true]);
    expect(bodyOf(200, await api.get(`/v1/click/receipts/${second.receiptId}`))).toMatchObject({
      userRef: null,
      idempotencyKey: null,
      renderHash: null,
      erased: true,
    });
    expect(bodyOf(200, await api.get(consentPath))).toMatchObject({ revision: 0, consents: [], agreements: [] });
    expect((await api.call("DELETE", userPath)).body).toMatchObject({ erasureId: null, log: null });
  });

  test("and one of a person goes over all services at once, whoever asks how often", async () => {
    const zoe = {
      email: "Zoe.Whole@people.example",
      name: "Zoe Wholename of Longville",
      note: "Zoe likes her tea hot",
    };
    const voidedReason = `${zoe.email.toLowerCase()} has moved away`;
    const values = [zoe.email, zoe.email.toLowerCase(), zoe.name, zoe.note];
    // They are looked for in all logs when the copy has ended.
    for (const value of values) system.secrets.add("something of an erased person", value);
    const recipients = { signers: [zoe, { name: "Bob Other", email: "bob@people.example" }] };
    const agreement = { emailSubject: `For ${zoe.email}`, recipients };
    const draft = bodyOf(201, await api.post("/v1/sign/agreements", agreement));
    const documents = [
      { documentId: "1", name: "NDA.pdf", documentBase64: Buffer.from(smallestPdf).toString("base64") },
    ];
    const path = "/v1/sign/agreements";
    const { id: voided } = bodyOf(201, await api.post(path, { ...agreement, documents }));
    bodyOf(200, await api.call("POST", `${path}/${voided}/send`));
    bodyOf(200, await api.post(`${path}/${voided}/void`, { voidedReason }));
    const others = await system.newOrganization();
    const theirs = bodyOf(
      201,
      await others.post("/v1/sign/agreements", { emailSubject: "For zoe.whole@people.example" }),
    );
    const { templateId } = await publishText(api, { name: "All", type: "STATIC", slug: "all" }, "<p>Be kind.</p>");
    const receipt = bodyOf(
      201,
      await api.accept("key of zoe", { templateId, userRef: zoe.email, typedName: zoe.name }),
    );
    const key = { "x-idempotency-key": "erase zoe" };
    const erase = (body: object, by = api) => by.call("POST", "/v1/privacy/erasures", body, by === api ? key : {});
    const done = (id: string, by = api) =>
      until(async () => {
        const { body } = await by.get(`/v1/privacy/erasures/${id}`);
        return body.status === "completed" && body;
      }, 20_000);
    const dry = await done(bodyOf(201, await api.post("/v1/privacy/erasures", { email: zoe.email, dryRun: true })).id);
    expect(findIn(await dumpTables(inspect), [zoe.name])).toEqual([zoe.name]);
    const found = await searched(api, zoe.email);
    const [first, second] = await Promise.all([erase({ email: zoe.email }), erase({ email: zoe.email })]);
    expect(bodyOf(201, first).id).toBe(bodyOf(201, second).id);
    const again = bodyOf(201, await api.post("/v1/privacy/erasures", { email: zoe.email }));
    const [report] = [await done(bodyOf(201, first).id), await done(again.id)];
    const kinds = (items: { kind: string; targetId: string }[]) => items.map((one) => `${one.kind} ${one.targetId}`);
    expect(kinds(dry.items)).toEqual(
      expect.arrayContaining([`agreement.recipient ${draft.id}`, `click.receipt ${receipt.receiptId}`]),
    );
    expect(kinds(found).sort()).toEqual(kinds(dry.items).sort());
    expect(report).toMatchObject({ dryRun: false, ground: "GDPR_17", restricted: 0 });
    // Whose agreement is not erased.
    const dump = (await dumpTables(inspect)).split("\n").filter((row) => !row.includes(theirs.id));
    expect(findIn(dump.join("\n"), values)).toEqual([]);
    expect(findIn(await dumpTables(inspect), ["zoe.whole@people.example"])).toHaveLength(1);
    expect((await others.get(`/v1/privacy/erasures/${again.id}`)).status).toBe(404);
    // Its events are there, and say nothing of anybody.
    if (mode === "distributed") await until(() => messagesOn(system).includes(voided));
    expect(findIn(messagesOn(system), values)).toEqual([]);
  });

  test("agreements whose time is over go by themselves, but those that are held, and the log and the list of acts say so", async () => {
    const { mine, old, held, young } = await agedAgreements(system);
    const minutes = 5 * 60_000;
    await until(async () => (await mine.get(`${agreementsPath}/${old}`)).status === 404, minutes);
    const leaf = await until(async () => {
      const [deletion] = bodyOf(200, await mine.get(`/v1/privacy/deletions?agreementId=${old}`));
      return deletion?.deletionLeafIndex != null && deletion;
    }, minutes);
    expect(leaf).toMatchObject({ agreementId: old, status: "voided" });
    const acts: { action: string; subjectId: string }[] = bodyOf(200, await mine.get("/v1/privacy/audit-events"));
    expect(acts.flatMap(({ action, subjectId }) => (action === "agreement.deleted" ? subjectId : []))).toEqual([old]);
    for (const id of [held, young]) expect((await mine.get(`${agreementsPath}/${id}`)).status).toBe(200);
    const { rows } = await inspect.query("select from sign.file_key where agreement_id = $1", [old]);
    expect(rows).toEqual([]);
  }, 600_000);

  test("stands in a list apart from the database, sealed, which says that nothing is missing", async () => {
    const { id } = bodyOf(201, await api.post("/v1/privacy/erasures", { email: "listed@people.example" }));
    const file = await until(() => readdirSync(system.erasureList).find((name) => name.endsWith(`${id}.sealed`)));
    const content = readFileSync(join(system.erasureList, file), "latin1");
    expect(findIn(content, ["listed@people.example"])).toEqual([]);
    expect(await applied(system.adminEnv)).toMatchObject({ missing: 0, unreadable: 0 });
  });

  const onlyOnce = mode === "single process" ? test : undefined;
  // Separate processes run the same code on the same database.
  onlyOnce?.("and is done again from it after a backup from before it is restored", async () => {
    const { startOn } = system;
    if (startOn === undefined) throw new Error("it cannot be started again");
    const ada = { email: "ada.restored@people.example", name: "Ada Restoredname", userRef: "ada-ref-4711" };
    const values = Object.values(ada);
    const signers = [
      { ...ada, clientUserId: ada.userRef },
      { name: "Bob Other", email: "bob@people.example" },
    ];
    await api.post("/v1/sign/agreements", { emailSubject: `For ${ada.email}`, recipients: { signers } });
    const { templateId } = await publishText(api, { name: "Some", type: "STATIC", slug: "some" }, "<p>Be kind.</p>");
    bodyOf(201, await api.accept("key of ada", { templateId, userRef: ada.userRef, typedName: ada.name }));
    const backup = await copyTestDatabase(system.inspectUrl);
    const restored = new pg.Pool({ connectionString: backup.superuserUrl, max: 1 });
    try {
      const asked = { email: ada.email, userRef: ada.userRef };
      const { id } = bodyOf(201, await api.post("/v1/privacy/erasures", asked));
      const ended = (by: Api) =>
        until(async () => (await by.get(`/v1/privacy/erasures/${id}`)).body.status === "completed", 20_000);
      await ended(api);
      expect(findIn(await dumpTables(inspect), values)).toEqual([]);
      expect(findIn(await dumpTables(restored), values)).toEqual(values);
      const again = await startOn(backup.url);
      try {
        const env = { ...system.adminEnv, ASSENT_ADMIN_URL: again.adminUrl };
        expect(await applied(env)).toMatchObject({ missing: 1, unreadable: 0 });
        await ended(new Api(`http://127.0.0.1:${again.port}`, api.token, api.organizationId));
        expect(await applied(env)).toMatchObject({ missing: 0, running: 0 });
        expect(findIn(await dumpTables(restored), values)).toEqual([]);
        expect(findIn(dumpBackup(backup.superuserUrl) ?? "", values)).toEqual([]);
      } finally {
        await again.stop();
      }
    } finally {
      await restored.end();
      await backup.drop();
    }
  });

  test("is proven by the log, as are the receipts that it left", async () => {
    const { templateId } = await publishText(api, { name: "Terms", type: "STATIC", slug: "terms" }, "<p>Be kind.</p>");
    const receipt = bodyOf(201, await api.accept("key of ann", { templateId, userRef: "ann" }));
    const { log, erasureId } = bodyOf(200, await api.call("DELETE", "/v1/click/users/ann?reason=WITHDRAWAL"));
    for (const [id, { leafIndex, leafHash }] of [
      [receipt.receiptId, receipt.log],
      [erasureId, log],
    ]) {
      const path = `/v1/click/log/proofs/inclusion?receiptId=${id}`;
      await until(async () => (await api.get(path)).status === 200, 20_000);
      const proof = bodyOf(200, await api.get(path));
      const hash = Buffer.from(proof.leafHash, "base64").toString("hex");
      expect([proof.leafIndex, `sha256:${hash}`]).toEqual([leafIndex, leafHash]);
    }
    const { body } = await api.post("/v1/click/receipts/verify", { jws: receipt.signature.jws });
    expect(body).toMatchObject({ valid: true });
  });

  test("spares whoever a legal hold keeps by their address, also when it names them by a reference", async () => {
    const carl = "carl.held@people.example";
    const { templateId } = await publishText(api, { name: "Held", type: "STATIC", slug: "held" }, "<p>Be kind.</p>");
    const receipt = bodyOf(201, await api.accept("key of carl", { templateId, userRef: carl }));
    const hold = bodyOf(201, await api.post("/v1/privacy/holds", { email: carl, reason: "lawsuit 4 C 18/26" }));
    const { id } = bodyOf(201, await api.post("/v1/privacy/erasures", { userRef: carl }));
    const { items } = await until(async () => {
      const { body } = await api.get(`/v1/privacy/erasures/${id}`);
      return body.status === "completed" && body;
    }, 20_000);
    expect(items).toMatchObject([{ targetId: receipt.receiptId, keptBecause: "LEGAL_HOLD" }]);
    expect(bodyOf(200, await api.get(`/v1/click/receipts/${receipt.receiptId}`))).toEqual(receipt);
    bodyOf(200, await api.call("DELETE", `/v1/privacy/holds/${hold.id}`));
  });

  test("waits for the end of a legal hold, and of the time for which things must be kept", async () => {
    const { templateId } = await publishText(api, { name: "Kept", type: "STATIC", slug: "kept" }, "<p>Be kind.</p>");
    const flags = (policyFlags: object) => api.post(`/v1/click/templates/${templateId}/policy-flags`, { policyFlags });
    expect((await flags({ retentionDays: 30 })).status).toBe(200);
    const receipt = bodyOf(201, await api.accept("key of bob", { templateId, userRef: "bob", typedName: "Bob Hill" }));
    expect((await flags({ legalHold: true })).status).toBe(200);
    const held = await api.call("DELETE", "/v1/click/users/bob");
    expect([held.status, held.body.errorCode, held.body.details[0].field]).toEqual([
      409,
      "CLICK_LEGAL_HOLD",
      templateId,
    ]);
    expect(bodyOf(200, await api.get(`/v1/click/receipts/${receipt.receiptId}`))).toEqual(receipt);
    expect((await flags({ legalHold: false })).status).toBe(200);
    const { restricted } = bodyOf(200, await api.call("DELETE", "/v1/click/users/bob"));
    expect(restricted).toMatchObject([{ receiptId: receipt.receiptId }]);
    const evidence = `/v1/click/evidence/${receipt.receiptId}`;
    expect(bodyOf(200, await api.get(evidence)).subject).toMatchObject({ typedName: null, restricted: true });
    const opened = bodyOf(200, await api.post(`${evidence}/restricted`, { reason: "lawsuit 4 C 17/26" }));
    expect(opened.subject).toMatchObject({ userRef: "bob", typedName: "Bob Hill" });
    const { rows } = await inspect.query("select reason from click.restricted_access where session_id = $1", [
      receipt.receiptId,
    ]);
    expect(rows).toEqual([{ reason: "lawsuit 4 C 17/26" }]);
  });

  test("is not all that takes records away: periods do, and every service says of how many", async () => {
    const kinds = ["acceptances", "documents", "webhooks", "audit"];
    const periods = kinds.map((status) => ({ status, days: 10 }));
    bodyOf(200, await api.call("PUT", "/v1/privacy/retention", { periods }));
    const day = new Date(Date.now() + 20 * 86_400_000).toISOString();
    const preview = bodyOf(200, await api.get(`/v1/privacy/retention/preview?until=${day}`));
    expect(preview.records).toEqual(expect.arrayContaining([{ kind: "audit", records: expect.any(Number) }]));
    expect(preview.purges).toEqual([]);
  });
});

/** What NATS has on its disk; nothing where there is none. */
const messagesOn = ({ natsFolder }: System): string =>
  natsFolder === undefined
    ? ""
    : readdirSync(natsFolder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1"))
        .join("\n");

async function applied(env: Environment): Promise<object> {
  let text = "";
  const err = (said: string): void => expect(said).toBe("");
  expect(await runAdmin(["erasures", "apply", "--json"], { env, out: (said) => (text += said), err })).toBe(0);
  return JSON.parse(text);
}

/** What all services know of the address, page by page. */
async function searched(api: Api, email: string): Promise<{ kind: string; targetId: string }[]> {
  const found = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const query: string = cursor === "" ? "" : `?cursor=${encodeURIComponent(cursor)}`;
    const answer = await api.post(`/v1/privacy/persons/search${query}`, { email });
    found.push(...bodyOf(200, answer));
    cursor = answer.headers.get("x-next-cursor");
  }
  return found;
}
