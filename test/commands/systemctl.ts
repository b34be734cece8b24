// In place of systemctl: starts and stops what the units below $ROOT say, with the environment that they give, on ports
// that are free. It reads what our units use of the format, and isolates nothing.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "#platform/testing/until.ts";
import { findFreePort } from "../../dev/ports.ts";
import { waitUntilGone } from "../../dev/processes.ts";

const root = process.env.ROOT ?? "";
const unitFolder = join(root, "etc/systemd/system");
const stateFolder = join(root, "run");
mkdirSync(stateFolder, { recursive: true });

type Unit = ReadonlyMap<string, readonly string[]>;

/** A unit with its drop-ins: all values of each key. */
function readUnit(name: string): Unit {
  const [base = "", instance] = name.replace(/\.\w+$/, "").split("@");
  const kind = name.slice(name.lastIndexOf("."));
  const file = `${base}${instance === undefined ? "" : "@"}${kind}`;
  const dropIns = `${name}.d`;
  const files = existsSync(join(unitFolder, dropIns)) ? readdirSync(join(unitFolder, dropIns)) : [];
  const unit = new Map<string, string[]>();
  for (const one of [file, ...files.map((dropIn) => join(dropIns, dropIn))]) {
    for (const [, key = "", value = ""] of readFileSync(join(unitFolder, one), "utf8").matchAll(/^(\w+)=(.*)$/gm)) {
      unit.set(key, [...(unit.get(key) ?? []), filled(value, name, instance ?? "")]);
    }
  }
  return unit;
}

const filled = (value: string, unit: string, instance: string): string =>
  value
    .replaceAll("%i", instance)
    .replaceAll("%d", join(stateFolder, "credentials", unit))
    .replaceAll("%S", join(root, "var/lib"))
    .replaceAll(/(?<![\w.])\/(?=(?:opt|etc)\/assent\b)/g, `${root}/`);

const all = (unit: Unit, key: string): string[] => unit.get(key)?.flatMap((line) => line.split(" ")) ?? [];

const portsFile = join(stateFolder, "ports.json");
const ports: Record<string, number> = existsSync(portsFile) ? JSON.parse(readFileSync(portsFile, "utf8")) : {};

async function freePort(port: string): Promise<number> {
  const free = ports[port] ?? (await findFreePort());
  ports[port] = free;
  writeFileSync(portsFile, JSON.stringify(ports));
  return free;
}

async function environmentOf(name: string, unit: Unit): Promise<Record<string, string>> {
  const env: Record<string, string> = { PATH: process.env.PATH ?? "" };
  const files = all(unit, "EnvironmentFile").flatMap((file) => readFileSync(file, "utf8").match(/^\w+=.*$/gm) ?? []);
  for (const line of [...all(unit, "Environment"), ...files]) {
    const [, key = "", value = ""] = /^(\w+)=(.*)$/.exec(line) ?? [];
    const [, before = "", port] = /^(127\.0\.0\.1:|)(\d+)$/.exec(value) ?? [];
    env[key] = port !== undefined && /_TARGET$|PORT$/.test(key) ? before + (await freePort(port)) : value;
  }
  for (const credential of all(unit, "LoadCredential")) {
    const [id = "", from = ""] = credential.split(/:(.*)/);
    cpSync(from, join(stateFolder, "credentials", name, id));
  }
  for (const folder of all(unit, "StateDirectory")) mkdirSync(join(root, "var/lib", folder), { recursive: true });
  return env;
}

const pidFile = (name: string): string => join(stateFolder, `${name}.pid`);

async function start(name: string): Promise<void> {
  const unit = readUnit(name);
  await Promise.all(
    all(unit, "Wants")
      .filter((one) => one.startsWith("assent@"))
      .map(start),
  );
  const [[command = "", ...args], cwd] = [all(unit, "ExecStart"), unit.get("WorkingDirectory")?.[0]];
  if (command === "") return;
  const program = command === "/usr/bin/node" ? process.execPath : command;
  const env = await environmentOf(name, unit);
  if (unit.get("Type")?.[0] === "oneshot") {
    process.exitCode = spawnSync(program, args, { cwd, env, stdio: "inherit" }).status ?? 1;
    return;
  }
  const log = openSync(join(stateFolder, `${name}.log`), "a");
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ["ignore", log, log] });
  child.unref();
  writeFileSync(pidFile(name), String(child.pid));
  await until(async () => {
    if (child.exitCode !== null) throw new Error(readFileSync(join(stateFolder, `${name}.log`), "utf8").slice(-2_000));
    return (await fetch(`http://127.0.0.1:${env.ADMIN_PORT}/readyz`)).ok;
  }, 120_000);
}

async function stop(name: string): Promise<void> {
  await Promise.all(
    all(readUnit(name), "Wants")
      .filter((one) => one.startsWith("assent@"))
      .map(stop),
  );
  if (!existsSync(pidFile(name))) return;
  const pid = Number(readFileSync(pidFile(name), "utf8"));
  process.kill(pid, "SIGTERM");
  if (!(await waitUntilGone(pid, 40_000))) throw new Error(`${name} does not stop`);
  process.stdout.write(`${name} has ended\n`);
}

const [command, ...args] = process.argv.slice(2);
const named = args
  .filter((arg) => !arg.startsWith("--"))
  .map((name) => (name.includes(".") ? name : `${name}.service`));
if (command === "show") process.stdout.write(`${readFileSync(pidFile(named.at(-1) ?? ""), "utf8")}\n`);
else if (command === "stop") await Promise.all(named.map(stop));
else if (command !== "daemon-reload") await Promise.all(named.map(start));
