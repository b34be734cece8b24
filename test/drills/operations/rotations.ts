import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "node:tls";
import { until } from "#platform/testing/until.ts";
import { onePage } from "../../../services/sign/intake/test/pdfs.ts";
import { makeTestCertificate } from "../../../services/sign/seal/test-certificate.ts";
import { prepareAgreement } from "../../chaos/completion/people.ts";
import { rollingRestart } from "../../chaos/lifecycle/steps.ts";
import { query } from "../../chaos/restore/servers.ts";
import { bodyOf } from "../../support/journeys.ts";
import { scrape } from "./alerts.ts";
import { type Installation, newAuthority, services, withLogin } from "./installation.ts";

/** A row of the table of secrets in docs/operations.md, done as it says; resolves with what was done. */
export interface Rotation {
  readonly step: string;
  readonly seconds: number;
  rotate(installation: Installation): Promise<string>;
}

export const rotations: readonly Rotation[] = [
  { step: "another database password", seconds: 90, rotate: databasePassword },
  { step: "another ADMIN_TOKEN", seconds: 60, rotate: adminToken },
  { step: "another NATS login", seconds: 120, rotate: natsLogin },
  { step: "another mail login", seconds: 90, rotate: mailLogin },
  { step: "another authority and certificates between processes", seconds: 150, rotate: tls },
  { step: "another sealing key", seconds: 120, rotate: seal },
  { step: "another master key of all four services", seconds: 900, rotate: masterKeys },
];

/** What a secret's file needs to be seen by everybody, and more. */
const noticedMs = 2_000;

async function databasePassword({ cluster, secret, replaceSecret }: Installation): Promise<string> {
  const password = randomBytes(24).toString("hex");
  const [{ now: changedAt }] = await query(cluster.inspectUrl, "select now()::text as now");
  await query(cluster.inspectUrl, `alter role assent_login password '${password}'`);
  // The file follows a little later.
  await delay(noticedMs);
  for (const name of ["login-url", "login-url-click", "login-url-click-2"]) {
    replaceSecret(name, withLogin(secret(name), "assent_login", password));
  }
  const ended = await query(
    cluster.inspectUrl,
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'assent_login' and state = 'idle'",
  );
  const fresh = await until(async () => {
    const sql =
      "select count(*)::int as logins from pg_stat_activity where usename = 'assent_login' and backend_start > $1";
    const [{ logins }] = await query(cluster.inspectUrl, sql, [changedAt]);
    return logins >= services.length && (logins as number);
  }, 30_000);
  return `first in the database, then in the file; ${ended.length} idle connections ended, ${fresh} logins with the new one`;
}

async function adminToken({ cluster, secret, replaceSecret, shell, adminEnv }: Installation): Promise<string> {
  const [former, token] = [secret("ADMIN_TOKEN"), randomBytes(32).toString("hex")];
  const list = (ASSENT_ADMIN_TOKEN: string) =>
    shell("npm run -s admin -- organizations list", { ...adminEnv(), ASSENT_ADMIN_TOKEN });
  replaceSecret("ADMIN_TOKEN", `${former},olga:${token}`);
  await Promise.all([list(former), list(token)]);
  replaceSecret("ADMIN_TOKEN", `olga:${token}`);
  await list(token);
  const statuses = await Promise.all(
    cluster.running.of("auth").map(async ({ env }) => {
      const url = `http://127.0.0.1:${env.ADMIN_PORT}/assent.auth.v1.TokenService/GetJwks`;
      const headers = { "content-type": "application/json", authorization: `Bearer ${former}` };
      return (await fetch(url, { method: "POST", headers, body: "{}" })).status;
    }),
  );
  if (statuses.some((status) => status !== 401)) throw new Error(`the former token is answered ${statuses}`);
  return "a token with a name beside the old one, then alone: the old one is refused";
}

async function natsLogin({ cluster, secret, replaceSecret, setNatsUsers }: Installation): Promise<string> {
  const [former, password] = [secret("nats-password"), randomBytes(32).toString("hex")];
  setNatsUsers({ assent: former, assent_2: password });
  replaceSecret("nats-url", withLogin(secret("nats-url"), "assent_2", password));
  await delay(noticedMs);
  setNatsUsers({ assent_2: password });
  // Connections of the old one break; all of them are back with the new one.
  await delay(noticedMs);
  const { processes } = cluster.running;
  await until(async () => {
    const { values } = await scrape(processes);
    const connected = [...values].filter(([name]) => name.startsWith("assent_nats_connected{"));
    return connected.length > 0 && connected.every(([, value]) => value === 1);
  }, 60_000);
  return "a second user beside the first, then alone; all processes are connected again";
}

async function mailLogin({ cluster, mail, mailLogins, replaceSecret }: Installation): Promise<string> {
  const { api } = cluster.visitor;
  const invite = async (email: string): Promise<void> => {
    const tabs = [{ type: "signature", documentId: "1", page: 1, x: 60, y: 100, width: 110, height: 35 }];
    const wanted = {
      ...{ emailSubject: "Please sign", status: "sent" },
      documents: [{ documentId: "1", name: "1.pdf", documentBase64: onePage({}).toString("base64") }],
      recipients: { signers: [{ recipientId: "1", name: "Ann Example", email, tabs }] },
    };
    bodyOf(201, await until(async () => unlessAway(await api.post("/v1/sign/agreements", wanted))));
    await until(() => mail.mails.some(({ to }) => to === email), 60_000);
  };
  await invite("before@example.com");
  mailLogins.add("assent_2:second");
  replaceSecret("smtp-url", withLogin(mail.url, "assent_2", "second"));
  mailLogins.delete("assent:first");
  await invite("after@example.com");
  return `a second login, then the first is gone; ${mail.mails.length} mails arrived`;
}

const unlessAway = <T extends { readonly status: number }>(answer: T): T | undefined =>
  answer.status === 503 ? undefined : answer;

async function tls({ cluster, secret, issue }: Installation): Promise<string> {
  const second = newAuthority("Second");
  const first = { cert: `${secret("ca.crt")}\n` };
  const ports = cluster.running.processes.flatMap(({ env }) => env.RPC_PORT ?? []);
  const shown = async (): Promise<Set<string>> => new Set(await Promise.all(ports.map((port) => peerOf(port, secret))));
  const [before] = await shown();
  issue({ by: second, believed: [first] });
  const [after] = await until(async () => {
    const now = await shown();
    return now.size === 1 && !now.has(before ?? "") && now;
  }, 90_000);
  if (after === undefined) throw new Error("nobody shows a certificate");
  issue({ by: second });
  await until(async () => !(await shown()).has(after), 60_000);
  return `the new authority beside the old one, then alone; ${ports.length} processes show new certificates`;
}

/** The fingerprint of the certificate that a process shows to new connections. */
function peerOf(port: string, secret: Installation["secret"]): Promise<string> {
  const own = { cert: secret("tls.crt"), key: secret("tls.key"), ca: secret("ca.crt") };
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...{ host: "127.0.0.1", port: Number(port), ...own, ALPNProtocols: ["h2"], rejectUnauthorized: false },
    });
    socket.once("secureConnect", () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

async function seal(installation: Installation): Promise<string> {
  const { secret, replaceSecret } = installation;
  const one = await completed(installation);
  const made = await makeTestCertificate({ name: "Second seal", now: new Date(Date.now() - 60_000), years: 2 });
  replaceSecret("SEAL_FORMER_CERTIFICATES", secret("SEAL_CERTIFICATES"));
  replaceSecret("SEAL_KEY", made.key);
  replaceSecret("SEAL_CERTIFICATES", made.certificates);
  const other = await completed(installation);
  const seals = [await sealOf(installation, one), await sealOf(installation, other)];
  if (seals.some(({ intact, ours }) => !intact || !ours)) throw new Error(`not our seals: ${JSON.stringify(seals)}`);
  if (seals[0]?.certificateSha256 === seals[1]?.certificateSha256) throw new Error("the former key has sealed");
  return "the former certificate kept, a new pair; an agreement before and one after it are sealed, both seals are ours";
}

async function completed({ cluster }: Installation): Promise<string> {
  const { api } = cluster.visitor;
  const { id, signers } = await prepareAgreement(api, onePage({}));
  for (const { finish } of signers) await finish();
  await until(async () => (await api.get(`/v1/sign/agreements/${id}`)).body.status === "completed", 60_000);
  return id;
}

async function sealOf({ cluster }: Installation, id: string) {
  const { api } = cluster.visitor;
  const url = `${api.baseUrl}/v1/sign/agreements/${id}/documents/1/content`;
  const file = await fetch(url, { headers: { authorization: `Bearer ${api.token}` } });
  const documentBase64 = Buffer.from(await file.arrayBuffer()).toString("base64");
  const { seals } = bodyOf(200, await api.post("/v1/sign/verify", { documentBase64 }));
  return seals.at(-1) as { intact: boolean; ours: boolean; certificateSha256: string };
}

/** Everything is sealed anew while four services are replaced three times. */
async function masterKeys(installation: Installation): Promise<string> {
  const { cluster, secret, replaceSecret, shell, adminEnv } = installation;
  const sealing = ["auth", "click", "sign", "webhooks"];
  const fileOf = (service: string): string => `${service.toUpperCase()}_MASTER_KEY`;
  const keys = new Map(
    sealing.map((service) => [service, [secret(fileOf(service)), randomBytes(32).toString("base64")]]),
  );
  const set = async (pick: (former: string, next: string) => string): Promise<void> => {
    for (const [service, [former = "", next = ""]] of keys) replaceSecret(fileOf(service), pick(former, next));
    const endings = await rollingRestart(cluster, sealing.length, undefined, sealing);
    const unclean = endings.filter(({ code }) => code !== 0);
    if (unclean.length > 0) throw new Error(`${unclean.map(({ process }) => process)} did not end well`);
  };
  await set((former, next) => `${former},${next}`);
  await set((former, next) => `${next},${former}`);
  const run = async (service: string): Promise<number> => {
    const command = (verb: string) => `npm run -s admin -- master-keys ${verb} --service ${service} --json`;
    await shell(command("reseal"), adminEnv());
    const status = await until(async () => {
      const now = JSON.parse(await shell(command("status"), adminEnv()));
      return now.state === "finished" && now;
    }, 600_000);
    if (status.unreadable > 0) throw new Error(`${status.unreadable} values of ${service} cannot be read`);
    return status.resealed;
  };
  const counts = await Promise.all(sealing.map(run));
  const resealed = counts.reduce((sum, count) => sum + count, 0);
  await set((_former, next) => next);
  return `both keys, the new one first, ${resealed} values sealed again, then the new one alone`;
}
