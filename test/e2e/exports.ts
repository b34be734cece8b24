import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import pg from "pg";
import { findIn } from "#platform/testing/database-dump.ts";
import { until } from "#platform/testing/until.ts";
import { smallestPdf } from "../../services/sign/intake/merge-pdfs.ts";
import type { Api } from "../support/api.ts";
import { checkTrail } from "../support/check-trail.ts";
import {
  bodyOf,
  consentTemplate,
  consentText,
  generatedTemplate,
  generatedText,
  publishText,
} from "../support/journeys.ts";
import { readPageAndConsent } from "../support/read-and-consent.ts";
import { type System, scenario } from "../support/system.ts";
import { verifierFile } from "../verify/support/verifier.ts";
import { deleteOrganization } from "./organization-deletion.ts";

const zoe = { name: "Zoe Wanted", email: "zoe.wanted@people.example", clientUserId: "zoe-77" };
const bob = { name: "Bob Unasked", email: "bob.unasked@people.example", clientUserId: "bob-78" };
const document = { documentId: "1", name: "NDA.pdf", documentBase64: Buffer.from(smallestPdf).toString("base64") };
const field = { type: "text", label: "town", required: true, documentId: "1", page: 1, x: 10, y: 10 };
const path = "/v1/privacy/exports";

export const exportOfPerson = scenario("export of a person", (_mode, running) => {
  let system: System;
  let api: Api;
  let folder: string;
  let inspector: pg.Pool;
  beforeAll(async () => {
    system = running();
    inspector = new pg.Pool({ connectionString: system.inspectUrl, max: 1 });
    inspector.on("error", () => {});
    api = await system.newOrganization();
    folder = mkdtempSync(join(tmpdir(), "assent-export-"));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await inspector?.end();
  });

  test("has all that is known of the person and nothing of others, and its proofs hold without us", async () => {
    const agreementId = await signedByBoth();
    const sessionId = await acceptedByZoe();
    const made = bodyOf(202, await api.call("POST", path, { email: zoe.email, userRef: zoe.clientUserId }));
    expect(JSON.stringify(made)).not.toMatch(/zoe/i);
    const { contentUrl } = await until(async () => {
      const found = bodyOf(200, await api.get(`${path}/${made.id}`));
      return found.status === "completed" && found;
    }, 60_000);
    expect((await (await system.newOrganization()).get(contentUrl)).status).toBe(404);
    const names = unpack(await download(contentUrl));
    const at = (name: string): string => join(folder, name);
    const text = (name: string): string => readFileSync(at(name), "utf8");

    const record = JSON.parse(text(`data/agreements/${agreementId}.json`));
    expect(record.recipients).toMatchObject([{ name: zoe.name, email: zoe.email, fields: [{ value: "Berlin" }] }]);
    expect(names).toEqual(expect.arrayContaining(record.files.map((one: { path: string }) => one.path)));
    expect(record.files.map(({ what }: { what: string }) => what)).toEqual(["sealed document", "certificate"]);
    expect(record.events.map(({ action }: { action: string }) => action)).toContain("recipient.signed");
    expect(JSON.parse(text(`data/acceptances/${sessionId}.json`))).toMatchObject({
      userRef: zoe.clientUserId,
      receipts: [{ decision: "ACCEPT" }],
    });
    expect(JSON.parse(text("data/consent/1.json"))).toMatchObject({ consents: [{ purpose: "marketing" }] });
    for (const name of names.filter((one) => /^(data|index)/.test(one))) {
      expect([name, text(name).match(ofBob)]).toEqual([name, null]);
    }
    expect(text("index.html")).toContain(zoe.email);

    for (const [folderOf, schema] of Object.entries(schemas)) {
      const validate = new Ajv2020({ strict: false, formats }).compile(
        JSON.parse(text(`schema/${schema}.schema.json`)),
      );
      const described = names.filter((name) => name.startsWith(folderOf));
      expect([folderOf, described.length > 0]).toEqual([folderOf, true]);
      for (const name of described) {
        validate(JSON.parse(text(name)));
        expect([name, validate.errors]).toEqual([name, null]);
      }
    }

    const keys = await fetch(`${api.baseUrl}/.well-known/click-keys.json?log=${api.organizationId}`);
    writeFileSync(at("keys.json"), await keys.text());
    const args = [verifierFile, at(`proofs/acceptances/${sessionId}/bundle.json`), "--keys", at("keys.json")];
    const verified = spawnSync(process.execPath, args, { encoding: "utf8", env: { ...process.env, NODE_OPTIONS: "" } });
    expect([verified.status, verified.stdout]).toEqual([0, expect.stringContaining("nothing failed")]);
    // biome-ignore lint/suspicious/noExplicitAny: read as whoever gets the archive reads it
    const { events }: { events: any[] } = JSON.parse(text(`proofs/agreements/${agreementId}/trail.json`));
    const { problems, head } = checkTrail(agreementId, events);
    expect(problems.filter((one) => !one.endsWith("something was taken away"))).toEqual([]);
    expect(head).toBe(
      checkTrail(agreementId, bodyOf(200, await api.get(`/v1/sign/agreements/${agreementId}/audit-events`))).head,
    );
    const disclosed = events.flatMap(({ disclosures }) => disclosures as string[]);
    const values = disclosed.map((one) => Buffer.from(one, "base64url").toString());
    expect(values.join()).toContain(zoe.email);
    // Digests may contain any three letters.
    const shown = events.map(({ disclosures: _, publicPart, ...one }) => ({ ...one, ...publicPart, _sd: [] }));
    expect([...values, JSON.stringify(shown)].join().match(ofBob)).toBeNull();
  });

  test("of all of the organization has every record of every table, and what was sealed opened", async () => {
    const secrets = await hideSecrets();
    const rows = async (table: string) => {
      const sql = `select count(*)::int as n from ${table} where organization_id = $1`;
      return (await inspector.query<{ n: number }>(sql, [api.organizationId])).rows[0]?.n ?? 0;
    };
    const { rows: tables } = await inspector.query<{ name: string; key: boolean }>(tablesSql);
    const before = new Map<string, number>();
    for (const { name } of tables) before.set(name, await rows(name));
    const made = bodyOf(202, await api.post(path, { organization: true }));
    await until(async () => bodyOf(200, await api.get(`${path}/${made.id}`)).status === "completed", 60_000);
    const names = unpack(await download(`${path}/${made.id}/content`));
    const missing: string[] = [];
    for (const { name } of tables.filter(({ name: one }) => !leftOut.test(one))) {
      const files = names.filter((one) => one.startsWith(`data/${name}/`));
      const found = files.flatMap((one) => JSON.parse(readFileSync(join(folder, one), "utf8")) as unknown[]);
      // The log may grow meanwhile.
      const least = name.startsWith("click.log_") ? (before.get(name) ?? 0) : await rows(name);
      if (found.length < least || found.length > (await rows(name))) missing.push(name);
    }
    expect(missing).toEqual([]);
    const { rows: agreements } = await inspector.query(
      "select id from sign.agreement where organization_id = $1 and status = 'completed'",
      [api.organizationId],
    );
    expect(agreements).toHaveLength(1);
    const file = (name: string): string => join(folder, name);
    for (const { id } of agreements) {
      expect(names).toContain(`documents/${id}/1-sealed.pdf`);
      const { events } = JSON.parse(readFileSync(file(`proofs/agreements/${id}/trail.json`), "utf8"));
      expect(checkTrail(id, events).problems).toEqual([]);
    }
    const bundles = names.filter((name) => name.endsWith("/bundle.json"));
    expect(bundles.length).toBe(2);
    expect(bundles.map((name) => readFileSync(file(name), "utf8")).join()).toMatch(/bob-78/);
    const told = names.map((name) => readFileSync(file(name)).toString("latin1")).join("\n");
    expect(told).toContain("https://hooks.example.com/hook?key=***");
    expect(findIn(told, secrets)).toEqual([]);
  });

  test("of acceptances is one file, as a table or as lines of JSON", async () => {
    const own = await system.newOrganization();
    const url = "https://sheet.example.com";
    const userRef = `=HYPERLINK("${url}")`;
    const listed = { name: "Listed", type: "STATIC", slug: "listed" };
    const { templateId } = await publishText(own, listed, "<p>Be kind.</p>");
    bodyOf(201, await own.accept("key of a formula", { templateId, userRef }));
    const receipts = bodyOf(200, await own.get(`/v1/click/acceptances?templateId=${templateId}`));
    const madeOf = async (acceptances: object) => {
      const { id } = bodyOf(202, await own.post(path, { acceptances: { templateId, ...acceptances } }));
      const { contentUrl } = await until(async () => {
        const found = bodyOf(200, await own.get(`${path}/${id}`));
        return found.status === "completed" && found;
      }, 60_000);
      const answer = await fetch(own.baseUrl + contentUrl, { headers: { authorization: `Bearer ${own.token}` } });
      expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="acceptances-[0-9a-f-]{36}\./);
      return { type: answer.headers.get("content-type"), text: await answer.text() };
    };
    const lines = await madeOf({ format: "jsonl", userRef });
    expect([lines.type, JSON.parse(lines.text)]).toEqual(["application/jsonl", receipts[0]]);
    expect(await madeOf({ format: "jsonl", userRef: "nobody" })).toMatchObject({ text: "" });
    const table = await madeOf({ format: "csv", versionId: receipts[0].versionId, revision: receipts[0].revision });
    expect(table.type).toBe("text/csv; charset=utf-8");
    expect(table.text).toContain(`"${receipts[0].receiptId}",`);
    expect(table.text).toContain(`,"'=HYPERLINK(""${url}"")",`);
    for (const wrong of [{}, { format: "xlsx" }, { format: "csv", revision: 0 }, { format: "csv", prefix: "a" }]) {
      const answer = await own.post(path, { acceptances: wrong });
      expect([answer.status, answer.body.errorCode]).toEqual([400, "VALIDATION_FAILED"]);
    }
    const { versionId } = receipts[0];
    const unknown = randomUUID();
    for (const [field, wrong] of [
      ["templateId", { templateId: unknown }],
      ["versionId", { versionId: unknown }],
      ["revision", { versionId, revision: 7 }],
      ["campaignId", { campaignId: unknown }],
    ] as const) {
      const answer = await own.post(path, { acceptances: { format: "csv", ...wrong } });
      const told = [answer.body.errorCode, answer.body.details?.[0]?.field, answer.body.details?.[0]?.code];
      expect(told).toEqual(["VALIDATION_FAILED", `acceptances.${field}`, "NOT_FOUND"]);
    }
    const both = await own.post(path, { acceptances: { format: "csv" }, email: zoe.email });
    expect(both.status).toBe(400);
  });

  test("and the organization can be deleted then, so that nothing of it is left but a certificate", () =>
    deleteOrganization(system, api, inspector, [zoe.email, zoe.name, bob.email, "key of zoe", "Munich"]));

  /** Wherever the product takes one that does not belong into an export. */
  async function hideSecrets(): Promise<string[]> {
    const token = "token-of-the-receiver-1042";
    const url = `https://hooks.example.com/hook?key=${token}`;
    const { secret } = bodyOf(201, await api.post("/v1/webhooks/endpoints", { url, events: ["acceptance.recorded"] }));
    const { organizationId } = api;
    const eventNotification = { url, envelopeEvents: [{ envelopeEventStatusCode: "completed" }] };
    const envelope = { emailSubject: "Told", status: "created", eventNotification };
    bodyOf(201, await api.post(`/restapi/v2.1/accounts/${organizationId}/envelopes`, envelope));
    const client = await system.admin.createOAuthClient({ organizationId, name: "Shop", scopes: ["click:read"] });
    const owner = { organizationId, email: "olga@people.example", name: "Olga", password: "correct horse battery 9" };
    await system.admin.createOwner(owner);
    return [token, secret, client.clientSecret, owner.password, api.token];
  }

  async function download(url: string): Promise<Buffer> {
    const answer = await fetch(api.baseUrl + url, { headers: { authorization: `Bearer ${api.token}` } });
    expect([answer.status, answer.headers.get("content-disposition")]).toEqual([
      200,
      expect.stringMatching(/^attachment; filename="export-[0-9a-f-]{36}\.zip"$/),
    ]);
    return Buffer.from(await answer.arrayBuffer());
  }

  /** With a tool that we have not written; the names of what was in it. */
  function unpack(archive: Buffer): string[] {
    const file = join(folder, "export.zip");
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    writeFileSync(file, archive);
    const script =
      "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall(sys.argv[2])";
    const { status, stderr } = spawnSync("python3", ["-c", script, file, folder], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    rmSync(file);
    const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    return found.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).sort();
  }

  async function signedByBoth(): Promise<string> {
    const signers = [zoe, bob].map((one, index) => ({ ...one, recipientId: String(index + 1), tabs: [field] }));
    const definition = {
      ...{ emailSubject: `For ${bob.email}`, status: "sent" },
      documents: [document],
      recipients: { signers },
    };
    const agreement = await until(async () => {
      const created = await api.post("/v1/sign/agreements", definition);
      // The first document waits for the processes that look into it.
      return created.status === 201 && created.body;
    });
    const root = `/v1/sign/agreements/${agreement.id}`;
    for (const [recipientId, town] of [
      ["1", "Berlin"],
      ["2", "Munich"],
    ]) {
      const wish = { recipientId, returnUrl: "https://www.example.com/" };
      const { url } = bodyOf(201, await api.post(`${root}/views/recipient`, wish));
      const { headers } = await fetch(api.baseUrl + new URL(url).pathname, { redirect: "manual" });
      const session = /\/signing\/s\/[^/]+/.exec(headers.get("location") ?? "")?.[0] ?? "";
      const cookie = headers.getSetCookie()[0]?.split(";")[0] ?? "";
      const say = (method: string, what: string, body?: object) =>
        api.call(method, `${session}/${what}`, body, { cookie });
      await readPageAndConsent(say);
      const tabs = bodyOf(200, await api.get(root)).recipients.signers.find(
        (one: { recipientId: string }) => one.recipientId === recipientId,
      ).tabs;
      const adopted = { typed: "Somebody", font: "caveat", drawnPng: "" };
      const values = [{ tabId: tabs[0].tabId, value: town }];
      bodyOf(200, await say("POST", "finish", { values, signature: adopted, initials: adopted }));
    }
    await until(async () => bodyOf(200, await api.get(root)).status === "completed", 60_000);
    return agreement.id;
  }

  async function acceptedByZoe(): Promise<string> {
    const { templateId } = await publishText(api, { ...generatedTemplate, slug: "order" }, generatedText);
    await publishText(api, { ...consentTemplate, slug: "privacy" }, consentText);
    const userRef = zoe.clientUserId;
    const session = bodyOf(
      201,
      await api.post("/v1/click/sessions", { templateId, userRef, data: { buyer: zoe.name } }),
    );
    bodyOf(201, await api.accept("key of zoe", { sessionId: session.id, userRef }));
    bodyOf(201, await api.accept("key of bob", { templateId, userRef: bob.clientUserId, data: { buyer: bob.name } }));
    const decisions = [{ purpose: "marketing", decision: "GRANT" }];
    bodyOf(200, await api.post(`/v1/click/consent/${userRef}`, { purposes: decisions }));
    return session.id;
  }
});

const ofBob = /bob unasked|bob\.unasked|bob-78|Munich/i;
const schemas = { "data/agreements/": "agreement", "data/acceptances/": "acceptance", "data/consent/": "consent" };
const formats = Object.fromEntries(["uuid", "date-time", "language-tag"].map((name): [string, true] => [name, true]));

const tablesSql = `select c.oid::regclass::text as name from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
  where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace <> 'gateway'::regnamespace order by 1`;
/** How services work, and what changes while it is counted; files are told of by others. */
const leftOut =
  /\.(outbox|inbox|blob|blob_reference|job|mail_job|queue|turn|idempotency_key|export|export_file|export_piece|change|audit_event|delivery|attempt|event|anchor|[a-z]+_(deadline|day))$/;
