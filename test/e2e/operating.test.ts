import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Code, createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { Health } from "#gen/grpc/health/v1/health_pb.ts";
import { createGrpcTransport } from "#platform/rpc/client.ts";
import { createAuthority } from "#platform/rpc/test/certificates.ts";
import type { TlsFiles } from "#platform/rpc/tls.ts";
import { until } from "#platform/testing/until.ts";
import type { ManagedProcess } from "../../dev/distributed.ts";
import type { Finding } from "../../dev/doctor/finding.ts";
import { examine } from "../../dev/doctor/run.ts";
import type { Api } from "../support/api.ts";
import { registerEndpoint } from "../support/hooks.ts";
import { bodyOf } from "../support/journeys.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { describeDistributed, type System, startSystem } from "../support/system.ts";

const host = "127.0.0.1";
const [first, second] = [createAuthority("First authority"), createAuthority("Second authority")];
const services = ["auth", "templates", "docgen", "click", "sign", "webhooks"];
const yearMs = 365 * 86_400_000;

/** All processes share one; by the name in it they know each other. */
const certificateOf = (authority: typeof first, until?: number, name = "gateway"): TlsFiles => ({
  ...authority.issue([host, name], until),
  ca: authority.cert,
});

describeDistributed("an installation whose processes have certificates", () => {
  const folder = mkdtempSync(join(tmpdir(), "assent-wire-"));
  const paths = { cert: join(folder, "tls.crt"), key: join(folder, "tls.key"), ca: join(folder, "ca.crt") };
  let system: System;
  let customer: Receiver;
  let api: Api;

  beforeAll(async () => {
    replace(paths, certificateOf(first));
    customer = await startReceiver();
    system = await startSystem("distributed", {
      anchorIntervalSeconds: 2,
      environment: {
        ...{ RPC_TLS_CERT_FILE: paths.cert, RPC_TLS_KEY_FILE: paths.key, RPC_TLS_CA_FILE: paths.ca },
        INTERNAL_TOKEN_KEYS: "",
      },
    });
    api = await system.newOrganization();
  });
  afterAll(async () => {
    await system?.stop();
    await customer?.close();
    rmSync(folder, { recursive: true });
  });

  const processOf = (name: string): ManagedProcess => {
    const [found] = system.distributed?.of(name) ?? [];
    if (found === undefined) throw new Error(`there is no process ${name}`);
    return found;
  };
  const diagnose = (name: string, changed: Record<string, string> = {}, now?: Date): Promise<Finding[]> =>
    examine([name], { ...processOf(name).env, ...changed }, now);

  test("measures what has happened, by names and labels that stay few", async () => {
    const { slug } = await api.publishTemplate();
    await registerEndpoint(api, customer, "all");
    expect((await api.accept(randomUUID(), { templateSlug: slug, userRef: "user-1" })).status).toBe(201);
    const wish = { content: "<p>Hello</p>", format: "html", name: "Hello" };
    const { id: templateId } = bodyOf(201, await api.post("/v1/gen/templates", wish));
    bodyOf(200, await api.post(`/v1/gen/templates/${templateId}/publish`, undefined));
    bodyOf(201, await api.post("/v1/gen/documents", { templateId, data: {} }));
    const limited = await system.newOrganization();
    await system.admin.setOrganizationLimits({ organizationId: limited.organizationId, limits: { other: 1 } });
    await until(async () => (await limited.get("/v1/click/templates")).status === 429);

    const moved: Readonly<Record<string, readonly string[]>> = {
      gateway: [
        'assent_http_duration_seconds_count{route="/v1/click/accept",method="POST",status="201"}',
        'assent_limiter_refusals_total{group="other"}',
      ],
      auth: ['assent_rpc_duration_seconds_count{service="auth",method="CreateOrganization",code="ok"}'],
      templates: ['assent_outbox_published_total{service="templates"}'],
      docgen: ['assent_render_duration_seconds_count{outcome="completed"}'],
      click: [
        'assent_rpc_duration_seconds_count{service="click",method="AcceptBatch",code="ok"}',
        'assent_outbox_published_total{service="click"}',
        'assent_events_consumed_total{consumer="click-statistics"}',
        'assent_event_lag_seconds_count{consumer="click-statistics"}',
        'assent_log_checkpoints_total{log="organization"}',
        "assent_log_integration_seconds_count",
      ],
      webhooks: [
        'assent_events_consumed_total{consumer="webhooks"}',
        'assent_webhook_attempts_total{outcome="delivered"}',
        "assent_webhook_first_attempt_seconds_count",
      ],
    };
    for (const [name, wanted] of Object.entries(moved)) {
      const everywhere = ["nodejs_eventloop_lag_p99_seconds", "process_cpu_seconds_total"];
      await until(async () => {
        const samples = await samplesOf(processOf(name));
        return [...wanted, ...everywhere].every((one) => (samples.get(one) ?? 0) > 0);
      }).catch((error: unknown) => {
        throw new Error(`${name} has not measured all of ${wanted.join(", ")}`, { cause: error });
      });
    }
    const shown: Readonly<Record<string, readonly string[]>> = {
      click: ["assent_outbox_lag_seconds", "assent_consumer_pending", "assent_pool_in_use", "assent_pool_waiting"],
      webhooks: ["assent_webhook_waiting", "assent_webhook_oldest_due_seconds", "assent_dead_events"],
      sign: ["assent_sign_completing_oldest_seconds", "assent_outbox_lag_seconds", "assent_pool_in_use"],
    };
    for (const [name, wanted] of Object.entries(shown)) {
      await until(async () => {
        const names = [...(await samplesOf(processOf(name))).keys()].map((sample) => sample.replace(/\{.*/, ""));
        expect([name, wanted.filter((one) => !names.includes(one))]).toEqual([name, []]);
        return true;
      });
    }
    for (const name of [...services, "gateway"]) {
      const labels = [...(await samplesOf(processOf(name))).keys()].join("\n");
      // Ids would make as many series as there are organizations, documents and requests.
      expect(labels).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
      expect(labels).not.toMatch(/user-1|@/);
    }
  });

  test("is well for the doctor, who names each thing that is broken, and nothing else", async () => {
    // The database of the tests does not flush, and their receivers are on this machine: both are for tests alone.
    const inTests = ["durability", "webhooks"];
    const wrongOnes = (findings: readonly Finding[]): string[] =>
      findings
        .filter(({ verdict, check }) => verdict === "wrong" && !inTests.includes(check))
        .map(({ check }) => check);
    for (const name of [...services, "gateway"]) {
      const findings = await diagnose(name);
      expect([name, wrongOnes(findings)]).toEqual([name, []]);
      expect([name, findings.find(({ check }) => check === "wire")?.verdict]).toEqual([name, "notice"]);
    }
    const otherKey = randomBytes(32).toString("base64");
    const broken: readonly (readonly [string, Record<string, string>, readonly string[]])[] = [
      ["auth", { AUTH_MASTER_KEY: otherKey }, ["AUTH_MASTER_KEY"]],
      ["click", { CLICK_MASTER_KEY: otherKey }, ["CLICK_MASTER_KEY"]],
      ["sign", { SIGN_MASTER_KEY: otherKey }, ["SIGN_MASTER_KEY"]],
      ["webhooks", { WEBHOOKS_MASTER_KEY: otherKey }, ["WEBHOOKS_MASTER_KEY"]],
      ["templates", { NATS_URL: "nats://127.0.0.1:1" }, ["nats"]],
      ["gateway", { CLICK_TARGET: "127.0.0.1:1" }, ["CLICK_TARGET"]],
      ["sign", { TSA_URL: "http://127.0.0.1:1/" }, ["time stamps"]],
      ["gateway", { CLICK_TARGET: processOf("gateway").env.SIGN_TARGET ?? "" }, ["CLICK_TARGET"]],
      ["gateway", { TOKEN_ISSUER: "elsewhere" }, ["TOKEN_ISSUER"]],
      ["auth", { ADMIN_TOKEN: randomBytes(32).toString("hex") }, ["ADMIN_TOKEN"]],
    ];
    for (const [name, changed, wanted] of broken) {
      expect([changed, wrongOnes(await diagnose(name, changed))]).toEqual([changed, wanted]);
    }
    const late = await diagnose("sign", {}, new Date(Date.now() + 11 * yearMs));
    expect(wrongOnes(late)).toEqual(["seal", "wire"]);
  });

  test("refuses whoever has no certificate, one of another authority or one that has expired", async () => {
    const strangers = [
      undefined,
      { ...certificateOf(second), ca: first.cert },
      certificateOf(first, Date.now() - 1_000),
    ];
    for (const name of services) {
      expect([name, await asks(processOf(name), certificateOf(first))]).toEqual([name, true]);
    }
    for (const tls of strangers) expect(await asks(processOf("click"), tls, refusedMs)).toBe(false);
  });

  test("lets nobody act for an organization who has a certificate under another name", async () => {
    const named = { "x-org-id": api.organizationId, "x-client-id": "somebody" };
    const list = async (name: string) => {
      const target = `ipv4:${host}:${processOf("templates").env.RPC_PORT}`;
      const tls = certificateOf(first, undefined, name);
      const transport = createGrpcTransport({
        target,
        services: [TemplatesService],
        tls,
        defaultTimeoutMs: patienceMs,
      });
      const listed = createClient(TemplatesService, transport).listTemplates({}, { headers: named });
      return await listed
        .then(
          () => "ok",
          ({ code }) => Code[code],
        )
        .finally(() => transport.close());
    };
    expect([await list("gateway"), await list("shop"), await list("gateway.example.com")]).toEqual([
      "ok",
      "PermissionDenied",
      "PermissionDenied",
    ]);
  });

  test("goes over to other certificates while it runs, when the files are replaced", async () => {
    replace(paths, certificateOf(second));
    for (const name of services) {
      await until(() => asks(processOf(name), certificateOf(second), refusedMs), 60_000);
      expect([name, await asks(processOf(name), certificateOf(first), refusedMs)]).toEqual([name, false]);
    }
    // Whoever calls it has to connect anew.
    await processOf("templates").stop();
    await processOf("templates").start();
    await until(async () => (await api.get("/v1/click/templates")).status === 200, 60_000);
    const { slug } = await api.publishTemplate();
    expect((await api.accept(randomUUID(), { templateSlug: slug, userRef: "user-2" })).status).toBe(201);
  });
});

/** Nobody waits so long who is answered; those who never are wait no longer than they have to. */
const [patienceMs, refusedMs] = [20_000, 1_000];

async function asks({ env }: ManagedProcess, tls: TlsFiles | undefined, timeoutMs = patienceMs): Promise<boolean> {
  const transport = createGrpcTransport({ target: `ipv4:${host}:${env.RPC_PORT}`, services: [Health], tls });
  try {
    await createClient(Health, transport).check({}, { timeoutMs });
    return true;
  } catch (error) {
    if ((error as { code?: Code }).code !== Code.Unavailable) throw error;
    return false;
  } finally {
    transport.close();
  }
}

/** As a mounted Secret is replaced: each file at once. */
function replace(paths: TlsFiles, { cert, key, ca }: TlsFiles): void {
  for (const [path, text] of [
    [paths.cert, cert],
    [paths.key, key],
    [paths.ca, ca],
  ] as const) {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  }
}

/** Values by name and labels, as they stand in the text that Prometheus reads. */
async function samplesOf({ env }: ManagedProcess): Promise<Map<string, number>> {
  const text = await (await fetch(`http://${host}:${env.ADMIN_PORT}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  );
}
