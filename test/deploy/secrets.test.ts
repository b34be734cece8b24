import { spawn, spawnSync } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createSecureContext, TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { parse, parseAllDocuments } from "yaml";
import { until } from "#platform/testing/until.ts";
import { findNatsServer } from "../../dev/nats.ts";
import { findFreePort } from "../../dev/ports.ts";
import { inspectNats } from "../../platform/events/nats-stream.ts";
import { createAuthority } from "../../platform/rpc/test/certificates.ts";
import { readDeployed } from "../drills/deployed.ts";
import { deployFolder } from "./support/manifests.ts";

/** Answers as kubectl does, without a cluster: what it would send away stands in `applied`. */
const fakeKubectl = `#!${process.execPath}
const { appendFileSync, readFileSync } = require("node:fs");
const { basename } = require("node:path");
const [verb, what, ...rest] = process.argv.slice(2);
const flag = (name) => rest.flatMap((one, n) => (one === name ? [rest[n + 1]] : one.startsWith(name + "=") ? [one.slice(name.length + 1)] : []));
const print = (object) => process.stdout.write(JSON.stringify(object) + "\\n");
const input = () => readFileSync(0, "utf8");
if (verb === "create" && what === "namespace") print({ kind: "Namespace", metadata: { name: rest[0] } });
else if (verb === "create" && what === "secret") {
  const files = flag("--from-file").map((file) => [basename(file), readFileSync(file, "utf8")]);
  const literals = flag("--from-literal").map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]);
  const [namespace] = flag("--namespace");
  print({ kind: "Secret", metadata: { name: rest[1], namespace }, type: flag("--type")[0], stringData: Object.fromEntries([...files, ...literals]) });
} else if (verb === "label") {
  const object = JSON.parse(input());
  const [key, value] = process.argv.at(-1).split("=");
  print({ ...object, metadata: { ...object.metadata, labels: { [key]: value } } });
} else if (verb === "apply") appendFileSync(process.env.APPLIED, input() + "---\\n");
else process.exit(1);
`;

/** Writes down what it is told to put where. */
const fakeVault = `#!${process.execPath}
const { readFileSync, writeFileSync } = require("node:fs");
const [, , kv, put, path, ...pairs] = process.argv;
const read = (text) => (text.startsWith("@") ? readFileSync(text.slice(1), "utf8") : text);
const all = pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), read(pair.slice(pair.indexOf("=") + 1))]);
writeFileSync(process.env.APPLIED + "." + path.replaceAll("/", "."), JSON.stringify({ verb: [kv, put], all: Object.fromEntries(all) }));
`;

interface Secret {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels?: Record<string, string> };
  readonly stringData: Readonly<Record<string, string>>;
}

describe("the secrets of an installation", () => {
  const folder = mkdtempSync(join(tmpdir(), "assent-secrets-"));
  const secrets = join(folder, "secrets");
  const read = (name: string): string => readFileSync(join(secrets, name), "utf8");

  beforeAll(() => {
    expect(run("make-secrets.sh", {}, secrets).status).toBe(0);
    writeFileSync(join(folder, "kubectl"), fakeKubectl);
    chmodSync(join(folder, "kubectl"), 0o755);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("stay as they were changed when another release is installed on a machine with systemd", () => {
    const release = join(folder, "release");
    cpSync(join(deployFolder, "systemd"), join(release, "deploy/systemd"), { recursive: true });
    const place = join(folder, "root");
    const install = (): void => {
      const script = join(release, "deploy/systemd/install.sh");
      const ran = spawnSync(script, ["10.0.0.1:5432", "127.0.0.1:4222"], { env: { ...process.env, ROOT: place } });
      expect([ran.status, ran.stderr.toString()]).toEqual([0, ""]);
    };
    cpSync(secrets, join(release, "deploy/secrets"), { recursive: true });
    install();
    const etc = (name: string): string => join(place, "etc/assent", name);
    const url = readFileSync(etc("shared/DATABASE_URL"), "utf8");
    expect(url).toBe(`postgres://assent_login:${read("login-password")}@10.0.0.1:5432/assent?sslmode=verify-full`);
    expect(readFileSync(etc("secrets/ADMIN_TOKEN"), "utf8")).toBe(read("ADMIN_TOKEN"));
    expect(statSync(etc("secrets/ADMIN_TOKEN")).mode & 0o777).toBe(0o600);
    const changed = ["secrets/ADMIN_TOKEN", "secrets/CLICK_MASTER_KEY", "shared/DATABASE_URL", "shared/NATS_URL"];
    for (const name of changed) writeFileSync(etc(name), "another");
    // Nor does the next release need those of the first.
    rmSync(join(release, "deploy/secrets"), { recursive: true });
    install();
    expect(changed.map((name) => readFileSync(etc(name), "utf8"))).toEqual(changed.map(() => "another"));
  });

  test("are made once, for whoever made them alone, and what is there is kept", () => {
    chmodSync(secrets, 0o755);
    expect(run("make-secrets.sh", {}, secrets).status).toBe(0);
    expect(statSync(secrets).mode & 0o077).toBe(0);
    const before = read("AUTH_MASTER_KEY");
    expect(Buffer.from(before, "base64")).toHaveLength(32);
    rmSync(join(secrets, "ADMIN_TOKEN"));
    expect(run("make-secrets.sh", {}, secrets).status).toBe(0);
    expect([read("AUTH_MASTER_KEY"), read("ADMIN_TOKEN").length]).toEqual([before, 64]);
  });

  test("have everything that the manifests refer to and that is not optional", () => {
    const { objects } = apply("postgres-rw", "elsewhere");
    const made = new Map(objects.map(({ metadata, stringData }) => [metadata.name, Object.keys(stringData ?? {})]));
    for (const { secret, key } of required()) expect(made.get(secret)).toContain(key);
    for (const { kind, metadata } of objects) {
      expect(kind === "Namespace" ? metadata.name : metadata.namespace).toBe("elsewhere");
    }
  });

  test("may come from Vault, where the script puts the same under the names that the manifests fetch", () => {
    const fetched = parseAllDocuments(
      readFileSync(join(deployFolder, "k8s/components/external-secrets/secrets.yaml"), "utf8"),
    );
    const specs = fetched.map((document) => document.toJS().spec);
    const { provider } = parseAllDocuments(
      readFileSync(join(deployFolder, "k8s/components/external-secrets/store.yaml"), "utf8"),
    )
      .map((document) => document.toJS())
      .find(({ kind }) => kind === "SecretStore").spec;
    writeFileSync(join(folder, "vault"), fakeVault, { mode: 0o755 });
    expect(run("k8s/apply-secrets.sh", { VAULT: "secret/assent" }, "postgres-rw", "assent", secrets).status).toBe(0);
    const { objects } = apply("postgres-rw", "assent");
    for (const { metadata, stringData } of objects.filter(({ kind }) => kind === "Secret")) {
      const { target, dataFrom } = specs.find((spec) => spec.target.name === metadata.name);
      const path = `${provider.vault.path}.${dataFrom[0].extract.key.replaceAll("/", ".")}`;
      const put = JSON.parse(readFileSync(join(folder, `applied.${path}`), "utf8"));
      expect([metadata.name, put]).toEqual([metadata.name, { verb: ["kv", "put"], all: stringData }]);
      expect(target.template?.metadata.labels).toEqual(metadata.labels);
    }
    // What is nobody's but the operators'.
    const ours = objects.map(({ metadata }) => metadata.name);
    expect(specs.map(({ target }) => target.name).filter((name) => !ours.includes(name))).toEqual(["assent-backups"]);
  });

  test("let the database's operator and the services know the same passwords", () => {
    for (const [name, login, file] of [
      ["assent-database-owner", "assent_owner", "database-password"],
      ["assent-database-login", "assent_login", "login-password"],
    ] as const) {
      const { stringData, metadata } = secretIn(apply("postgres-rw", "assent").objects, name);
      const password = read(file);
      expect(stringData).toMatchObject({ username: login, password });
      const { username, password: inUri, host, pathname, search } = new URL(stringData.uri ?? "");
      expect(search).toBe("?sslmode=verify-full&sslrootcert=/run/postgres-ca/ca.crt");
      expect([username, inUri, host, pathname]).toEqual([login, password, "postgres-rw:5432", "/assent"]);
      expect(metadata.labels).toEqual({ "cnpg.io/reload": "true" });
    }
  });

  test("let nobody take the place of the database: its certificate must be of its authority, and for its name", async () => {
    const [authority, other] = [createAuthority("postgres"), createAuthority("postgres")];
    let shown = authority.issue("localhost");
    let passwords = 0;
    // Of the protocol only what comes before the password: the request for TLS, and who wants to log in.
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => {
        socket.write("S");
        const secure = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(shown) });
        secure.on("error", () => {});
        secure.once("data", () => {
          passwords += 1;
          secure.destroy();
        });
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
    try {
      const { uri = "" } = secretIn(apply("postgres-rw", "assent").objects, "assent-database-login").stringData;
      writeFileSync(join(folder, "postgres-ca.crt"), authority.cert);
      const there = `localhost:${(server.address() as AddressInfo).port}`;
      const url = uri
        .replace("postgres-rw:5432", there)
        .replace("/run/postgres-ca/ca.crt", join(folder, "postgres-ca.crt"));
      const connect = () => new pg.Client({ connectionString: url }).connect();
      await expect(connect()).rejects.toThrow("terminated");
      expect(passwords).toBe(1);
      shown = authority.issue("postgres-rw");
      await expect(connect()).rejects.toThrow("does not match certificate's altnames");
      shown = other.issue("localhost");
      await expect(connect()).rejects.toThrow("certificate");
      expect(passwords).toBe(1);
    } finally {
      server.close();
    }
  });

  test("give the database of Compose a certificate for its name, which its address asks for", () => {
    const certificate = new X509Certificate(read("database-certificate"));
    expect([certificate.checkHost("postgres"), certificate.checkHost("nats")]).toEqual(["postgres", undefined]);
    expect(certificate.checkPrivateKey(createPrivateKey(read("database-key")))).toBe(true);
    const { hostname, searchParams } = new URL(read("database-url"));
    expect([hostname, searchParams.get("sslmode"), searchParams.get("sslrootcert")]).toEqual([
      "postgres",
      "verify-full",
      "/run/secrets/database-certificate",
    ]);
  });

  test("let the services into NATS, and nobody without them", async () => {
    const { stringData } = secretIn(apply("postgres-rw", "assent").objects, "assent-nats");
    const { username, password, host, protocol, searchParams } = new URL(stringData["nats-url"] ?? "");
    expect([username, password, host]).toEqual(["assent", read("nats-password"), "nats:4222"]);
    // As components/mtls has it; the overlay without certificates has neither.
    expect([protocol, searchParams.get("ca")]).toEqual(["tls:", "/run/nats-ca/ca.crt"]);
    expect(secretIn(apply("postgres", "assent").objects, "assent-nats").stringData["nats-url"]).toBe(read("nats-url"));
    expect(stringData["nats-authorization"]).toContain(`user: assent, password: "${password}"`);
    const program = findNatsServer();
    if (program === undefined) return;
    const port = await findFreePort();
    const options = ["--jetstream", "--store_dir", join(folder, "nats"), "--addr", "127.0.0.1", "--port", String(port)];
    const server = spawn(program, [...options, "--config", join(secrets, "nats-authorization")], { stdio: "ignore" });
    try {
      const address = `127.0.0.1:${port}`;
      await until(() => inspectNats(`nats://${username}:${password}@${address}`));
      await expect(inspectNats(`nats://${address}`)).rejects.toThrow(/Authorization/i);
      await expect(inspectNats(`nats://${username}:wrong@${address}`)).rejects.toThrow(/Authorization/i);
    } finally {
      server.kill("SIGKILL");
    }
  });

  test("let the servers of NATS join each other as the manifests have it, and no server without them", async () => {
    const { stringData } = secretIn(apply("postgres-rw", "assent").objects, "assent-nats");
    const manifest = parse(readFileSync(join(deployFolder, "k8s/components/nats/settings.yaml"), "utf8"));
    const [cluster = ""] = /^cluster \{[\s\S]*?^\}/m.exec(manifest.data["nats.conf"]) ?? [];
    expect(cluster).toContain("include ../nats-secret/nats-routes");
    const program = findNatsServer();
    if (program === undefined) return;
    // The third of the cluster is away, and two strangers listen at places of their own: one without the password, one
    // without a certificate.
    const ports = await Promise.all([0, 1, 2, 3, 4].map(findFreePort));
    const [stranger, bare, running] = [2, 3, [ports[0], ports[1], ports[3], ports[4]]];
    const here = (text = ""): string =>
      ports.reduce((all, port, n) => all.replace(`nats-${n}.nats:6222`, `127.0.0.1:${port}`), text);
    mkdirSync(join(folder, "nats-secret"));
    mkdirSync(join(folder, "etc"));
    writeFileSync(join(folder, "etc/route-tls.conf"), tlsOfNats("route-tls.conf", createAuthority("nats")));
    writeFileSync(join(folder, "etc/no-tls.conf"), "");
    writeFileSync(join(folder, "nats-secret/nats-routes"), here(stringData["nats-routes"]));
    const strange = here("routes: [nats://nats-0.nats:6222, nats://routes:wrong@nats-1.nats:6222]");
    writeFileSync(join(folder, "nats-secret/strange"), strange);
    const monitors = await Promise.all(running.map(findFreePort));
    const servers = running.map((port, n) => {
      const named = n === stranger ? cluster.replace("nats-routes", "strange") : cluster;
      const part = n === bare ? named.replace("route-tls.conf", "no-tls.conf") : named;
      const file = join(folder, `etc/nats-${n}.conf`);
      const own = part.replace("0.0.0.0:6222", `127.0.0.1:${port}`);
      writeFileSync(file, `listen: "127.0.0.1:-1"\nhttp: "127.0.0.1:${monitors[n]}"\n${own}\n`);
      return spawn(program, ["--config", file, "--log", join(folder, `nats-${n}.log`)], { stdio: "ignore" });
    });
    const routesOf = async (n: number): Promise<number> =>
      ((await (await fetch(`http://127.0.0.1:${monitors[n]}/varz`)).json()) as { routes: number }).routes;
    try {
      await until(async () => (await routesOf(0)) > 0 && (await routesOf(1)) > 0);
      const refused = (n: number) =>
        ["authentication error", "TLS route handshake error"].every((what) => logOf(n).includes(what));
      const logOf = (n: number) => readFileSync(join(folder, `nats-${n}.log`), "utf8");
      await until(() => refused(0) && refused(1));
      expect([await routesOf(stranger), await routesOf(bare)]).toEqual([0, 0]);
    } finally {
      for (const server of servers) server.kill("SIGKILL");
    }
  });

  test("NATS shows its certificate to the services alone, and takes up the next one while they are connected", async () => {
    const program = findNatsServer();
    if (program === undefined) return;
    const [former, next] = [createAuthority("nats"), createAuthority("nats")];
    const config = join(folder, "client.conf");
    const port = await findFreePort();
    const jetstream = `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${join(folder, "stored")}" }\n`;
    writeFileSync(config, `${jetstream}${tlsOfNats("client-tls.conf", former)}`);
    const patches: { path: string; value: string[] }[] = parse(componentFile("nats-servers.yaml"));
    const [shell = "", ...rest] = patches.find(({ path }) => path.endsWith("/command"))?.value ?? [];
    const pid = join(folder, "nats.pid");
    const command = rest.map((part) =>
      part.replaceAll("/etc/nats-tls", folder).replaceAll("/tmp/nats.pid", pid).replace("sleep 10", "sleep 0.2"),
    );
    const env = { PATH: `${dirname(program)}${delimiter}${process.env.PATH}` };
    const server = spawn(shell, [...command, "--config", config, "--pid", pid], {
      env,
      stdio: "ignore",
      detached: true,
    });
    const inspect = (authority: string, scheme = "tls") =>
      inspectNats(`${scheme}://localhost:${port}${authority === "" ? "" : `?ca=${join(folder, authority)}`}`);
    try {
      writeFileSync(join(folder, "former.crt"), former.cert);
      writeFileSync(join(folder, "next.crt"), next.cert);
      await until(() => inspect("former.crt"));
      await expect(inspect("next.crt")).rejects.toThrow();
      await expect(inspect("", "nats")).rejects.toThrow();
      tlsOfNats("client-tls.conf", next);
      await until(() => inspect("next.crt"));
    } finally {
      process.kill(-(server.pid ?? 0), "SIGKILL");
    }
  });

  const componentFile = (file: string): string => readFileSync(join(deployFolder, "k8s/components/mtls", file), "utf8");

  /** A part of the servers' configuration as components/mtls has it, with its files in the folder. */
  function tlsOfNats(name: string, authority: ReturnType<typeof createAuthority>): string {
    const { cert, key } = authority.issue(["localhost", "127.0.0.1"]);
    // The certificate last: it is what is looked at.
    for (const [file, text] of [
      ["ca.crt", authority.cert],
      ["tls.key", key],
      ["tls.crt", cert],
    ] as const) {
      writeFileSync(join(folder, file), text);
    }
    const patches: { path: string; value: string }[] = parse(componentFile("nats-settings.yaml"));
    const { value = "" } = patches.find(({ path }) => path === `/data/${name}`) ?? {};
    expect(value).toContain("/etc/nats-tls/tls.crt");
    return value.replaceAll("/etc/nats-tls", folder);
  }

  test("name the owner for all in the overlay that has no other login", () => {
    const { stringData } = secretIn(apply("postgres", "assent").objects, "assent-database-login");
    expect(stringData).toMatchObject({ username: "assent_owner", password: read("database-password") });
  });

  test("are put into a cluster all together or not at all", () => {
    const incomplete = join(folder, "incomplete");
    cpSync(secrets, incomplete, { recursive: true });
    rmSync(join(incomplete, "SEAL_KEY"));
    const { status, objects } = apply("postgres-rw", "assent", incomplete);
    expect(status).not.toBe(0);
    expect(objects.filter(({ kind }) => kind === "Secret")).toEqual([]);
  });

  function apply(host: string, namespace: string, from = secrets): { status: number | null; objects: Secret[] } {
    const applied = join(folder, "applied");
    writeFileSync(applied, "");
    const { status } = run("k8s/apply-secrets.sh", {}, host, namespace, from);
    const texts = readFileSync(applied, "utf8").split("---\n");
    return { status, objects: texts.flatMap((text) => (text.trim() === "" ? [] : [JSON.parse(text) as Secret])) };
  }

  function run(script: string, more: Record<string, string>, ...args: string[]): { status: number | null } {
    const env = {
      ...more,
      PATH: `${folder}${delimiter}${process.env.PATH}`,
      APPLIED: join(folder, "applied"),
    };
    return spawnSync(join(deployFolder, script), args, { env, stdio: "ignore" });
  }
});

const secretIn = (objects: readonly Secret[], name: string): Secret => {
  const found = objects.find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`there is no Secret ${name}`);
  return found;
};

/** Of every pod: a Secret and a key in it. */
function required(): { secret: string; key: string }[] {
  const base = join(deployFolder, "k8s/base");
  const folders = readDeployed(base).processes.map(({ name }) => join(name, "deployment.yaml"));
  const direct = [...folders, "migrate/job.yaml"].flatMap((file) => {
    const [container] = parse(readFileSync(join(base, file), "utf8")).spec.template.spec.containers;
    return container.env.flatMap(({ value = "", valueFrom }: Variable) => {
      const { name, key, optional = false } = valueFrom?.secretKeyRef ?? {};
      const [, inFile] = /^\/run\/seal\/(?!SEAL_FORMER)(.+)$/.exec(value) ?? [];
      if (inFile !== undefined) return [{ secret: "assent-seal", key: inFile }];
      return name === undefined || key === undefined || optional ? [] : [{ secret: name, key }];
    });
  });
  const mounted = ["every-deployment.yaml", "every-service.yaml"].flatMap((file) =>
    parse(readFileSync(join(base, file), "utf8")).flatMap(({ value }: { value: Mounted }) => [
      ...(value.projected?.sources ?? []),
      value,
    ]),
  );
  return [
    ...direct,
    ...mounted.flatMap(({ secret }: Mounted) =>
      (secret?.items ?? []).map(({ key }) => ({ secret: secret?.name ?? "", key })),
    ),
  ];
}

interface Mounted {
  readonly projected?: { readonly sources: readonly Mounted[] };
  readonly secret?: { readonly name: string; readonly items?: readonly { readonly key: string }[] };
}

interface Variable {
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef?: { readonly name: string; readonly key: string; readonly optional?: boolean };
  };
}
