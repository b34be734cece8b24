import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type pg from "pg";
import { createPool } from "#platform/db/pool.ts";
import { createFaultProxy, type FaultProxy } from "#platform/net/fault-proxy.ts";
import { until } from "#platform/testing/until.ts";
import type { ManagedProcess } from "../../dev/distributed.ts";
import { allScopes } from "../../gateway/auth/principal.ts";
import { type MailServer, startMailServer } from "../../services/sign/test/mail-server.ts";
import { type Answer, Api } from "../support/api.ts";
import { collectEvents, type EventLog } from "../support/events.ts";
import { registerEndpoint } from "../support/hooks.ts";
import { bodyOf } from "../support/journeys.ts";
import { startReceiver } from "../support/receiver.ts";
import { describeDistributed, type System, startSystem } from "../support/system.ts";

describeDistributed("faults", () => {
  let system: System;
  let events: EventLog;
  let api: Api;
  let slug: string;
  let templateId: string;
  /** What stands before each service, and before the database. */
  const proxies = new Map<string, FaultProxy>();
  let toClick: FaultProxy | undefined;
  let mail: MailServer;

  beforeAll(async () => {
    mail = await startMailServer();
    system = await startSystem("distributed", {
      environmentOf: (process): Record<string, string> =>
        process === "click" ? { SMTP_URL: mail.url, MAIL_FROM: "Assent <no-reply@assent.example>" } : {},
      interpose: async (service, port) => {
        const proxy = await createFaultProxy({ host: "127.0.0.1", port });
        proxies.set(service, proxy);
        return proxy.port;
      },
    });
    toClick = proxies.get("click");
    events = await collectEvents(system.bus, "faults");
    api = await system.newOrganization();
    ({ slug, templateId } = await api.publishTemplate());
  });
  afterAll(async () => {
    await events?.stop();
    await system?.stop();
    for (const proxy of proxies.values()) await proxy.close();
    await mail?.down();
  });

  test("a click process killed between commit and answer has recorded once, and the retry gets that receipt", async () => {
    const [click] = system.distributed?.of("click") ?? [];
    if (click === undefined || toClick === undefined) throw new Error("no click process");
    const body = { templateSlug: slug, userRef: "survivor" };
    // The connection must stand before its answers are held: gRPC begins with an exchange of settings.
    expect((await api.accept("connects", { templateSlug: slug, userRef: "first" })).status).toBe(201);

    const before = await receiptIds(system, api);
    const recordedSince = async () => (await receiptIds(system, api)).filter((id) => !before.includes(id));
    toClick.setMode("hold-answers");
    const unanswered = api.accept("killed", body);
    await until(async () => (await recordedSince()).length === 1);
    const [recorded] = await recordedSince();
    click.kill("SIGKILL");
    await click.exited();
    toClick.cut();
    toClick.setMode("pass");
    await click.start();

    const first = await unanswered;
    expect([200, 503]).toContain(first.status);
    // The gateway finds the process again in its own time; clients try again as long as it answers 503.
    const retry = await until(async () => {
      const answer = await api.accept("killed", body);
      return answer.status === 503 ? undefined : answer;
    }, 15_000);
    expect(retry.status).toBe(200);
    expect(retry.body.receiptId).toBe(recorded);
    if (first.status === 200) expect(first.body.receiptId).toBe(recorded);
    expect(await recordedSince()).toEqual([recorded]);
    // The relay of the killed process has a lease of 15 s, which nobody takes before it has run out.
    await until(() => eventsOf(events, [recorded ?? ""]).length > 0, 30_000);
    expect(eventsOf(events, [recorded ?? ""])).toHaveLength(1);
  });

  test("a click process killed between sending a copy and noting it sends the same mail again, and the evidence tells of one", async () => {
    const [click] = system.distributed?.of("click") ?? [];
    const { slug: templateSlug } = await api.publishTemplate({ name: "Copied", policyFlags: { sendCopyToUser: true } });
    mail.tells = false;
    const wish = { templateSlug, userRef: "ann", copyTo: "ann@mail.example" };
    const { receiptId, evidenceUrl } = bodyOf(201, await api.accept("copied", wish));
    await until(() => mail.mails.length === 1, 60_000);
    click?.kill("SIGKILL");
    await click?.exited();
    mail.tells = true;
    // Nobody else sends it before the lease of the killed process is over: three minutes.
    const state = "select status, attempts from click.copy where receipt_id = $1 and claimed_until > now()";
    expect(await inspect(system, state, [receiptId])).toEqual([{ status: "WAITING", attempts: 1 }]);
    await inspect(system, "update click.copy set claimed_until = now() where receipt_id = $1", [receiptId]);
    await click?.start();
    const delivery = await until(async () => {
      const { status, body } = await api.get(evidenceUrl);
      return status === 200 && body.delivery[0].status === "SENT" ? body.delivery : undefined;
    }, 60_000);
    const [messageId] = mail.mails.map((sent) => sent.messageId);
    expect(mail.mails.map((sent) => [sent.to, sent.messageId])).toEqual(
      [1, 2].map(() => ["ann@mail.example", messageId]),
    );
    expect(delivery).toMatchObject([{ receiptId, attempts: 2, messageId }]);
  }, 240_000);

  test("a click process killed while it reminds, before its commit or after, has a campaign reminded once each time", async () => {
    const [click] = system.distributed?.of("click") ?? [];
    const day = 86_400_000;
    const wish = { name: "Killed", templateId, dueAt: new Date(Date.now() + 40 * day).toISOString() };
    const reminders = { daysBefore: [30, 20, 10], at: "09:00" };
    const { id } = bodyOf(201, await api.post("/v1/click/campaigns", { ...wish, reminders }));
    const url = `/v1/click/campaigns/${id}`;
    bodyOf(200, await api.post(`${url}/people`, { userRefs: ["ann", "ben"] }));
    bodyOf(200, await api.post(`${url}/start`, undefined));
    const told = (what: string) =>
      events.of(`assent.click.campaign.${what}`).filter((event) => event.aggregateId === id);
    await until(() => told("started").length === 1, 30_000);
    const makeDue = () => inspect(system, "update click.campaign set next_at = now() where id = $1", [id]);
    const sent = async () => bodyOf(200, await api.get(url)).remindersSent;
    const kill = async () => {
      click?.kill("SIGKILL");
      await click?.exited();
    };

    // It has the campaign changed, and cannot say so yet.
    const pool = createPool({ url: system.inspectUrl, name: "test", max: 2 });
    const holder = await pool.connect();
    try {
      await holder.query("begin; lock table click.outbox in share mode");
      await makeDue();
      const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'insert into "?click"?.outbox'`;
      const free = "select from click.campaign where id = $1 for update skip locked";
      await until(
        async () => (await pool.query(waiting)).rowCount !== 0 && (await pool.query(free, [id])).rowCount === 0,
        30_000,
      );
      await kill();
    } finally {
      await holder.query("rollback");
      holder.release();
      await pool.end();
    }
    await click?.start();
    await until(() => told("reminder").length === 1, 60_000);
    await until(async () => (await sent()) === 1, 30_000);

    // It has done everything, and nobody has been told of it.
    await system.nats?.kill();
    await makeDue();
    const written = "select from click.outbox where subject = 'assent.click.campaign.reminder' and data like $1";
    const findWritten = async () => (await inspect(system, written, [`%${id}%`])).length;
    await until(async () => (await findWritten()) === 2, 30_000);
    await kill();
    await system.nats?.restart();
    await click?.start();
    await until(() => told("reminder").length === 2, 60_000);
    // The next one comes as if nothing had happened, and none is left over.
    await makeDue();
    await until(() => told("reminder").length === 3, 60_000);
    await until(async () => (await sent()) === 3, 30_000);
    expect(await findWritten()).toBe(3);
  }, 240_000);

  test("accepts go on while NATS is stopped, and every event arrives once when it is back", async () => {
    await system.nats?.kill();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => api.accept(`dark-${n}`, { templateSlug: slug, userRef: "in-the-dark" })),
    );
    expect(answers.map((a) => a.status)).toEqual(answers.map(() => 201));
    const receipts: string[] = answers.map((a) => a.body.receiptId);
    expect(eventsOf(events, receipts)).toHaveLength(0);
    await system.nats?.restart();
    await until(() => eventsOf(events, receipts).length === 40, 30_000);
    expect(new Set(eventsOf(events, receipts).map((e) => e.acceptanceRecorded?.receiptId))).toEqual(new Set(receipts));
  });

  test("what goes on while one of its parts is away is what the table for operators says, and all of it is back afterwards", async () => {
    const table = readTable("What goes on without what");
    const asked = await requestsOf(system, api, slug);
    expect(table.map(({ request }) => request)).toEqual(Object.keys(asked));
    const ask = async (names = Object.keys(asked)): Promise<Record<string, string>> =>
      Object.fromEntries(
        await Promise.all(names.map(async (name) => [name, told((await asked[name]?.()) as Answer)] as const)),
      );
    const everything = Object.fromEntries(Object.keys(asked).map((name) => [name, "yes"]));
    expect(await ask()).toEqual(everything);
    const processes = system.distributed?.processes ?? [];
    for (const part of Object.keys(table[0]?.without ?? {})) {
      const proxy = proxies.get(part === "database" ? "postgres" : part);
      if (part === "nats") await system.nats?.kill();
      proxy?.setMode("refuse");
      proxy?.cut();
      const expected = processes.map((process) => [process.name, readinessWithout(part, process)]);
      // Each sees it in its own time.
      await until(async () => JSON.stringify(await readinessOf(processes)) === JSON.stringify(expected), 20_000).catch(
        async () => expect([part, await readinessOf(processes)]).toEqual([part, expected]),
      );
      expect([part, (await fetch(`${api.baseUrl}/healthz`)).status]).toEqual([part, 200]);
      expect([part, await ask()]).toEqual([
        part,
        Object.fromEntries(table.map(({ request, without }) => [request, without[part]])),
      ]);
      proxy?.setMode("pass");
      if (part === "nats") await system.nats?.restart();
      await until(async () => (await readinessOf(processes)).every(([, state]) => state === "ready"), 60_000);
      let refused = table.filter(({ without }) => without[part] !== "yes").map(({ request }) => request);
      await until(async () => {
        const answers = await ask(refused);
        refused = refused.filter((name) => answers[name] !== "yes");
        // Whoever asks without end is refused for that.
        return refused.length === 0 || (await delay(250, false));
      }, 30_000);
    }
  });

  test("a stopped click process answers 503 with Retry-After, and the gateway recovers by itself", async () => {
    const [click] = system.distributed?.of("click") ?? [];
    const before = await receiptIds(system, api);
    await click?.stop();
    const refused = await api.accept("while-down", { templateSlug: slug, userRef: "patient" });
    expect(refused.status).toBe(503);
    expect(refused.body.errorCode).toBe("SERVICE_UNAVAILABLE");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    await click?.start();
    await until(async () => (await api.accept("while-down", { templateSlug: slug, userRef: "patient" })).status < 300);
    expect(await receiptIds(system, api)).toHaveLength(before.length + 1);
  });

  test("what a killed webhooks process was sending does not hold up its endpoint", async () => {
    const [webhooks] = system.distributed?.of("webhooks") ?? [];
    const customer = await startReceiver();
    try {
      const owner = await system.newOrganization();
      const { slug: terms } = await owner.publishTemplate();
      const accept = (n: number) => owner.accept(`hook-${n}`, { templateSlug: terms, userRef: "u" });
      // What else becomes of the organization may be told late.
      await registerEndpoint(owner, customer, "mute", { eventTypes: ["click.acceptance.recorded"] });
      customer.answerWith("mute", "nothing");
      for (let n = 0; n < 8; n += 1) expect((await accept(n)).status).toBe(201);
      // As many as it may have at once.
      await until(() => customer.at("mute").length === 4, 30_000);
      webhooks?.kill("SIGKILL");
      await webhooks?.exited();
      customer.answerWith("mute", 204);
      await webhooks?.start();
      const backAt = performance.now();
      const timesHeard = () => [...Map.groupBy(customer.at("mute"), ({ headers }) => headers["webhook-id"]).values()];
      await until(() => timesHeard().length === 8, 60_000);
      // Less than the bus gives a subscriber to work on an event, as what was taken from it by the dead must not wait for that.
      expect(performance.now() - backAt).toBeLessThan(20_000);
      // What was under way is sent once more.
      await until(() => timesHeard().filter((requests) => requests.length > 1).length >= 4, 30_000);
    } finally {
      await customer.close();
    }
  });

  test("every process ends with exit code 0 on SIGTERM under load", async () => {
    let stopped = false;
    const load = Array.from({ length: 8 }, async (_, n) => {
      for (let i = 0; !stopped; i++) {
        await api.accept(`drain-${n}-${i}`, { templateSlug: slug, userRef: "u" }).catch(() => undefined);
        // Whoever is refused at once would take the machine from those who are to end.
        await delay(10);
      }
    });
    const codes: Array<number | null> = [];
    for (const process of [...(system.distributed?.processes ?? [])].reverse()) codes.push(await process.stop());
    stopped = true;
    await Promise.all(load);
    expect(codes).toEqual(codes.map(() => 0));
  });
});

const eventsOf = (events: EventLog, receiptIds: readonly string[]) =>
  events
    .of("assent.click.acceptance.recorded")
    .filter((event) => receiptIds.includes(event.acceptanceRecorded?.receiptId ?? ""));

/** Of everything that the organization has recorded, whether or not the service can be reached. */
async function receiptIds(system: System, api: Api): Promise<string[]> {
  const sql = "select receipt_id as id from click.acceptance where organization_id = $1";
  return (await inspect<{ id: string }>(system, sql, [api.organizationId])).map(({ id }) => id);
}

async function inspect<Row extends pg.QueryResultRow>(
  { inspectUrl }: System,
  sql: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const pool = createPool({ url: inspectUrl, name: "test", max: 1 });
  try {
    return (await pool.query<Row>(sql, [...values])).rows;
  } finally {
    await pool.end();
  }
}

interface TableRow {
  readonly request: string;
  /** "yes" or "503", by what is away. */
  readonly without: Readonly<Record<string, string>>;
}

/** The table under this heading of the page for operators, in which every row begins with a request. */
function readTable(heading: string): TableRow[] {
  const page = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8");
  const section = page.split(`# ${heading}\n`)[1]?.split("\n#")[0] ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("|"));
  const [head = [], , ...rows] = lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return rows.map(([request = "", ...cells]) => ({
    request: request.replaceAll("`", ""),
    without: Object.fromEntries(head.slice(1).map((part, index) => [part, cells[index] ?? ""])),
  }));
}

/** One of each kind, by an access token: keys are known for half a minute, and this machine may be slow. */
async function requestsOf({ admin }: System, api: Api, slug: string): Promise<Record<string, () => Promise<Answer>>> {
  const scopes = [...allScopes];
  const { organizationId, baseUrl } = api;
  const { client, clientSecret } = await admin.createOAuthClient({ organizationId, name: "backend", scopes });
  const fetchToken = () => Api.fetchToken(baseUrl, client?.id ?? "", clientSecret, scopes.join(" "));
  const by = api.with({ token: bodyOf(200, await fetchToken()).access_token });
  const templateId = bodyOf(
    201,
    await by.post("/v1/gen/templates", { content: "<p>Hi</p>", format: "html", name: "Hi" }),
  ).id;
  bodyOf(200, await by.post(`/v1/gen/templates/${templateId}/publish`, undefined));
  const accept = () => by.accept(randomUUID(), { templateSlug: slug, userRef: "steady" });
  const { receiptId } = bodyOf(201, await accept());
  const document = () => by.call("POST", "/v1/gen/documents", { templateId, data: {} }, { prefer: "respond-async" });
  const { id: documentId } = bodyOf(202, await document());
  const draft = () => by.post("/v1/sign/agreements", { emailSubject: "Please sign" });
  const { id: agreementId } = bodyOf(201, await draft());
  return {
    "GET /openapi.json": () => by.get("/openapi.json"),
    "GET /.well-known/jwks.json": () => by.get("/.well-known/jwks.json"),
    "GET /.well-known/click-keys.json": () => by.get("/.well-known/click-keys.json"),
    "POST /oauth2/token": fetchToken,
    "GET /v1/click/templates": () => by.get("/v1/click/templates"),
    "POST /v1/click/accept": accept,
    "GET /v1/click/receipts/{receiptId}": () => by.get(`/v1/click/receipts/${receiptId}`),
    "POST /v1/gen/documents": document,
    "GET /v1/gen/documents/{id}": () => by.get(`/v1/gen/documents/${documentId}`),
    "POST /v1/sign/agreements": draft,
    "GET /v1/sign/agreements/{id}": () => by.get(`/v1/sign/agreements/${agreementId}`),
    "GET /v1/webhooks/endpoints": () => by.get("/v1/webhooks/endpoints"),
  };
}

function told({ status, headers }: Answer): string {
  if (status === 503) return Number(headers.get("retry-after")) >= 1 ? "503" : "503 without Retry-After";
  return status < 300 ? "yes" : String(status);
}

async function readinessOf(processes: readonly ManagedProcess[]): Promise<(readonly [string, string])[]> {
  const states = processes.map(async ({ name, env }) => {
    const answer = await fetch(`http://127.0.0.1:${env.ADMIN_PORT}/readyz`).catch(() => undefined);
    const { status, missing } = ((await answer?.json()) ?? {}) as { status?: string; missing?: string[] };
    return [name, missing === undefined ? String(status) : `without ${missing.join(", ")}`] as const;
  });
  return Promise.all(states);
}

/** A service is nothing without its database. Whatever else is away, who needs it says so, and stays. */
function readinessWithout(part: string, { name, env }: ManagedProcess): string {
  if (part === "database") return name === "gateway" ? "without database" : "not_ready";
  const needs = part === "nats" ? name !== "gateway" : env[`${part.toUpperCase()}_TARGET`] !== undefined;
  return needs ? `without ${part}` : "ready";
}
