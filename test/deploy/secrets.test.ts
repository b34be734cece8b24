import { spawn, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { until } from "#platform/testing/until.ts";
import { findNatsServer } from "../../dev/nats.ts";
import { findFreePort } from "../../dev/ports.ts";
import { inspectNats } from "../../platform/events/nats.ts";
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
    expect(run("make-secrets.sh", secrets).status).toBe(0);
    writeFileSync(join(folder, "kubectl"), fakeKubectl);
    chmodSync(join(folder, "kubectl"), 0o755);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("are made once, for whoever made them alone, and what is there is kept", () => {
    expect(statSync(secrets).mode & 0o077).toBe(0);
    const before = read("AUTH_MASTER_KEY");
    expect(Buffer.from(before, "base64")).toHaveLength(32);
    rmSync(join(secrets, "ADMIN_TOKEN"));
    expect(run("make-secrets.sh", secrets).status).toBe(0);
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

  test("let the database's operator and the services know the same passwords", () => {
    for (const [name, login, file] of [
      ["assent-database-owner", "assent_owner", "database-password"],
      ["assent-database-login", "assent_login", "login-password"],
    ] as const) {
      const { stringData, metadata } = secretIn(apply("postgres-rw", "assent").objects, name);
      const password = read(file);
      expect(stringData).toMatchObject({ username: login, password });
      const { username, password: inUri, host, pathname } = new URL(stringData.uri ?? "");
      expect([username, inUri, host, pathname]).toEqual([login, password, "postgres-rw:5432", "/assent"]);
      expect(metadata.labels).toEqual({ "cnpg.io/reload": "true" });
    }
  });

  test("let the services into NATS, and nobody without them", async () => {
    const { stringData } = secretIn(apply("postgres-rw", "assent").objects, "assent-nats");
    const { username, password, host } = new URL(stringData["nats-url"] ?? "");
    expect([username, password, host]).toEqual(["assent", read("nats-password"), "nats:4222"]);
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
    // The third of the cluster is away, and a stranger listens at a place of its own.
    const ports = await Promise.all([0, 1, 2, 3].map(findFreePort));
    const [stranger, running] = [2, [ports[0], ports[1], ports[3]]];
    const here = (text = ""): string =>
      ports.reduce((all, port, n) => all.replace(`nats-${n}.nats:6222`, `127.0.0.1:${port}`), text);
    mkdirSync(join(folder, "nats-secret"));
    mkdirSync(join(folder, "etc"));
    writeFileSync(join(folder, "nats-secret/nats-routes"), here(stringData["nats-routes"]));
    const strange = here("routes: [nats://nats-0.nats:6222, nats://routes:wrong@nats-1.nats:6222]");
    writeFileSync(join(folder, "nats-secret/strange"), strange);
    const monitors = await Promise.all(running.map(findFreePort));
    const servers = running.map((port, n) => {
      const part = n === stranger ? cluster.replace("nats-routes", "strange") : cluster;
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
        readFileSync(join(folder, `nats-${n}.log`), "utf8").includes("authentication error");
      await until(() => refused(0) && refused(1));
      expect(await routesOf(stranger)).toBe(0);
    } finally {
      for (const server of servers) server.kill("SIGKILL");
    }
  });

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
    const { status } = run("k8s/apply-secrets.sh", host, namespace, from);
    const texts = readFileSync(applied, "utf8").split("---\n");
    return { status, objects: texts.flatMap((text) => (text.trim() === "" ? [] : [JSON.parse(text) as Secret])) };
  }

  function run(script: string, ...args: string[]): { status: number | null } {
    const env = { PATH: `${folder}${delimiter}${process.env.PATH}`, APPLIED: join(folder, "applied") };
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
  return [...folders, "migrate/job.yaml"].flatMap((file) => {
    const [container] = parse(readFileSync(join(base, file), "utf8")).spec.template.spec.containers;
    return container.env.flatMap(({ valueFrom }: Variable) => {
      const { name, key, optional = false } = valueFrom?.secretKeyRef ?? {};
      return name === undefined || key === undefined || optional ? [] : [{ secret: name, key }];
    });
  });
}

interface Variable {
  readonly valueFrom?: {
    readonly secretKeyRef?: { readonly name: string; readonly key: string; readonly optional?: boolean };
  };
}
