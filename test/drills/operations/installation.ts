import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { createAuthority } from "#platform/rpc/test/certificates.ts";
import { createAdminTransport } from "../../../dev/admin-transport.ts";
import type { ManagedProcess } from "../../../dev/distributed.ts";
import { adminClient } from "../../../dev/single-process.ts";
import { type MailServer, startMailServer } from "../../../services/sign/test/mail-server.ts";
import { type ClusterParts, startCluster } from "../../chaos/accept-history/cluster.ts";
import { type LifecycleCluster, twoOfEach, visit } from "../../chaos/lifecycle/cluster.ts";
import { someAtATime } from "../../chaos/lifecycle/steps.ts";
import { query } from "../../chaos/restore/servers.ts";
import { blocksOf, root } from "../../commands/printed.ts";
import { bodyOf } from "../../support/journeys.ts";
import { type Receiver, startReceiver } from "../../support/receiver.ts";

/** The product as an operator without containers has it: a release, its secrets in files, servers, two of every process. */
export interface Installation {
  readonly cluster: LifecycleCluster;
  readonly mail: MailServer;
  /** Logins of the mail server: `user:password`. */
  readonly mailLogins: Set<string>;
  /** Hears of every acceptance. */
  readonly receiver: Receiver;
  /** Keeps the newest checkpoints of the logs. */
  readonly witness: string;
  secret(name: string): string;
  /** Writes into the file, as an operator does; who reads it again takes it up. */
  replaceSecret(name: string, text: string): void;
  /** Who may log in to NATS, by password. */
  setNatsUsers(users: Readonly<Record<string, string>>): void;
  issue(certificates: Certificates): void;
  /** The operator's commands, in the folder of the release. */
  shell(lines: string, env?: Readonly<Record<string, string>>): Promise<string>;
  /** The addresses and the token that the operator's commands ask for. */
  adminEnv(): Record<string, string>;
  stop(): Promise<void>;
}

export interface Certificates {
  readonly by: ReturnType<typeof createAuthority>;
  /** Authorities that are believed besides. */
  readonly believed?: readonly { readonly cert: string }[];
  /** When they end, in milliseconds. */
  readonly until?: number;
}

const day = 86_400_000;
export const newAuthority = (name: string) => createAuthority(name, Date.now() + 1_000 * day);

const listener = { user: "listener", password: "listens" };

async function runShell(cwd: string, lines: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const options = { cwd, env: { ...process.env, npm_config_prefer_offline: "true", ...env }, maxBuffer: 64 * 2 ** 20 };
  const { stdout } = await promisify(execFile)("bash", ["-e", "-c", lines], options).catch(
    (error: { stdout: string; stderr: string }) => {
      throw new Error(`${lines.trim().split("\n")[0]} …: ${(error.stdout + error.stderr).slice(-1_000)}`);
    },
  );
  return stdout;
}

/** A block of docs/operations.md as it is printed there. */
function printed(begins: string, says: string): string {
  const found = blocksOf("docs/operations.md").find(({ text }) => text.startsWith(begins) && text.includes(says));
  if (found === undefined) throw new Error(`docs/operations.md has no block ${begins}`);
  return found.text;
}

/** Packs this commit, and does what the page says with the archive until its packages and secrets are there. */
export async function installRelease(folder: string): Promise<{ readonly app: string; readonly packages: string }> {
  await runShell(root, `${process.execPath} dev/pack.ts ${folder}`);
  mkdirSync(join(folder, "opt"));
  const block = printed("sha256sum", "npm ci --omit=dev");
  const lines = block.slice(0, block.indexOf("deploy/systemd/install.sh")).replaceAll("/opt", `${folder}/opt`);
  const said = await runShell(folder, `${lines}\npwd | sed 's/^/installed in /'`);
  const [, packages = ""] = /added (\d+) packages/.exec(said) ?? [];
  const [, app = ""] = /^installed in (.*)$/m.exec(said) ?? [];
  return { app, packages };
}

/** Servers, roles as the page has them, the migration, and every process from the folder of the release. */
export async function startInstallation(app: string, folder: string): Promise<Installation> {
  const at = (name: string): string => join(app, "deploy/secrets", name);
  const secret = (name: string): string => readFileSync(at(name), "utf8").trim();
  const replaceSecret = (name: string, text: string): void => writeFileSync(at(name), text, { mode: 0o600 });
  const shell = (lines: string, env?: Readonly<Record<string, string>>) => runShell(app, lines, env);
  const mailLogins = new Set(["assent:first"]);
  const mail = await startMailServer(mailLogins);
  const receiver = await startReceiver();
  const witness = join(folder, "log-witness");
  let setNatsUsers: Installation["setNatsUsers"] = () => undefined;
  const issue = ({ by, believed = [], until = Date.now() + 90 * day }: Certificates): void => {
    const { cert, key } = by.issue(["127.0.0.1", "gateway"], until);
    replaceSecret("tls.key", key);
    replaceSecret("tls.crt", cert);
    replaceSecret("ca.crt", [...believed, by].map((authority) => authority.cert).join(""));
  };
  const environments = async ({ databaseUrl, natsUrl, natsFolder, link }: ClusterParts) => {
    const conf = join(natsFolder, "nats.conf");
    const plain = readFileSync(conf, "utf8");
    setNatsUsers = (users) => {
      const list = Object.entries({ [listener.user]: listener.password, ...users }).map(
        ([user, password]) => `{user: ${user}, password: "${password}"}`,
      );
      writeFileSync(conf, `${plain}authorization { users: [${list.join(", ")}] }\n`);
      process.kill(Number(readFileSync(join(natsFolder, "nats.pid"), "utf8")), "SIGHUP");
    };
    setNatsUsers({ assent: secret("nats-password") });
    replaceSecret("nats-url", withLogin(natsUrl, "assent", secret("nats-password")));
    replaceSecret("smtp-url", withLogin(mail.url, "assent", "first"));
    issue({ by: newAuthority("First") });
    const login = withLogin(databaseUrl, "assent_login", secret("login-password"));
    replaceSecret("login-url", login);
    const names = [...services, ...services.map((name) => `${name}-2`)];
    const all = new Map<string, Readonly<Record<string, string>>>();
    for (const name of names) all.set(name, { ...settingsOf(at, name), ...keptApart(folder, witness) });
    for (const name of ["click", "click-2"]) {
      replaceSecret(`login-url-${name}`, await link(`${name} and postgres`, login));
      all.set(name, { ...all.get(name), DATABASE_URL_FILE: at(`login-url-${name}`) });
    }
    return all;
  };
  const cluster = await startCluster({
    ...{ gateways: 2, clicks: 2, others: twoOfEach, environments, folderOf: () => app },
    natsUrlOf: (url) => withLogin(url, listener.user, listener.password),
    migrate: async (databaseUrl) => {
      await query(databaseUrl, "create role assent_services nologin");
      const password = secret("login-password");
      await query(
        databaseUrl,
        `create role assent_login login noinherit password '${password}' in role assent_services`,
      );
      await shell("npm run -s migrate", { DATABASE_URL: databaseUrl, SERVICE_LOGIN: "assent_services" });
    },
  });
  const { running } = cluster;
  const admin = adminClient(createAdminTransport(running.adminUrl, secret("ADMIN_TOKEN")));
  const visited = await visit({ ...cluster, admin });
  const wish = { url: receiver.urlOf("hooks"), eventTypes: ["click.acceptance.recorded"] };
  bodyOf(201, await visited.visitor.api.post("/v1/webhooks/endpoints", wish));
  return {
    ...{ cluster: visited, mail, mailLogins, receiver, witness, secret, replaceSecret, setNatsUsers, issue, shell },
    adminEnv: () => ({
      ...{ ASSENT_ADMIN_URL: running.adminUrl, ASSENT_CLICK_ADMIN_URL: running.clickAdminUrl },
      ...{ ASSENT_SIGN_ADMIN_URL: running.signAdminUrl, ASSENT_WEBHOOKS_ADMIN_URL: running.webhooksAdminUrl },
      ASSENT_ADMIN_TOKEN: secret("ADMIN_TOKEN").split(",").at(-1)?.split(":").at(-1) ?? "",
    }),
    stop: async () => {
      await visited.stop();
      await mail.down();
      await receiver.close();
    },
  };
}

export const services = ["auth", "templates", "docgen", "click", "sign", "webhooks", "gateway"];

/** Secrets are files, and a variable that is empty counts as not set. */
function settingsOf(at: (name: string) => string, process: string): Record<string, string> {
  const files: Record<string, string> = {
    ...{ ADMIN_TOKEN: "ADMIN_TOKEN", DATABASE_URL: "login-url", NATS_URL: "nats-url" },
    ...{ INTERNAL_TOKEN_KEYS: "INTERNAL_TOKEN_KEYS", AUTH_MASTER_KEY: "AUTH_MASTER_KEY" },
    ...{ CLICK_MASTER_KEY: "CLICK_MASTER_KEY", SIGN_MASTER_KEY: "SIGN_MASTER_KEY" },
    ...{ WEBHOOKS_MASTER_KEY: "WEBHOOKS_MASTER_KEY", SEAL_KEY: "SEAL_KEY", SEAL_CERTIFICATES: "SEAL_CERTIFICATES" },
    SEAL_FORMER_CERTIFICATES: "SEAL_FORMER_CERTIFICATES",
    ...(/^(auth|sign|click)/.test(process) ? { SMTP_URL: "smtp-url" } : {}),
  };
  const pairs = Object.entries(files).flatMap(([name, file]) => [
    [name, ""],
    [`${name}_FILE`, at(file)],
  ]);
  const mail = { MAIL_FROM: "Assent <sign@example.com>", PUBLIC_URL: "https://agreements.example.com" };
  return {
    ...Object.fromEntries(pairs),
    ...(/^(auth|sign|click)/.test(process) ? mail : {}),
    ...{ RPC_TLS_CERT_FILE: at("tls.crt"), RPC_TLS_KEY_FILE: at("tls.key"), RPC_TLS_CA_FILE: at("ca.crt") },
  };
}

const keptApart = (folder: string, witness: string): Record<string, string> => ({
  ...{ ERASURE_LIST: join(folder, "erasures"), LOG_WITNESS: witness },
});

export function withLogin(url: string, user: string, password: string): string {
  const changed = new URL(url);
  Object.assign(changed, { username: user, password });
  return changed.href;
}

/** What the page says about the first organization, word for word but for the port of auth here. */
export async function firstOrganization({ shell, cluster }: Installation): Promise<string> {
  const block = printed("export ASSENT_ADMIN_URL", "http://127.0.0.1:9091");
  const said = await shell(block.replace("http://127.0.0.1:9091", cluster.running.adminUrl));
  const [invitation] = /http\S*invitation#/.exec(said) ?? [];
  if (invitation === undefined) throw new Error(`nobody was invited: ${said.slice(-500)}`);
  return "its owner is invited";
}

/** What the doctor finds wrong with the first copy of every process, also when it is asked again: it has little patience. */
export async function askDoctor({ shell, cluster }: Installation): Promise<string[]> {
  const { baseUrls, processes } = cluster.running;
  const ask = async ({ name, env }: ManagedProcess): Promise<string[]> => {
    // Webhooks reach this machine, and the public address is this one, for the drill alone.
    const own = { ...env, WEBHOOKS_ALLOW_PRIVATE: "false", ...(env.PUBLIC_URL && { PUBLIC_URL: baseUrls[0] ?? "" }) };
    const command = `node --disable-warning=ExperimentalWarning dev/doctor.ts ${name} || true`;
    let said = "";
    for (let time = 0; time < 10; time += 1) {
      said = await shell(command, own);
      if (/Result: 0 wrong/.test(said)) return [];
    }
    return [`the doctor of ${name}: ${said.match(/^WRONG.*$/gm)?.join("; ") ?? said.slice(-300)}`];
  };
  const found: string[] = [];
  const first = processes.filter(({ name }) => services.includes(name));
  await someAtATime(2, first, async (process) => void found.push(...(await ask(process))));
  return found;
}
