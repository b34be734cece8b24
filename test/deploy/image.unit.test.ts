import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { readDeployed } from "../drills/deployed.ts";
import { reachedFrom } from "./support/imports.ts";
import { deployFolder } from "./support/manifests.ts";

const root = join(deployFolder, "..");
const dockerfile = readFileSync(join(deployFolder, "Dockerfile"), "utf8");
const compose = parse(readFileSync(join(deployFolder, "compose.yaml"), "utf8"), { merge: true });

/** What the last stage of the image has of the repository. */
const copied = [...dockerfile.matchAll(/^COPY --from=build \/app\/(\S+) (\S+)$/gm)].map(([, from, to]) => [from, to]);
const services = readdirSync(join(root, "services"));
const entries = [
  ...services.map((name) => `services/${name}/main.ts`),
  "gateway/main.ts",
  "dev/migrate.ts",
  "dev/admin.ts",
  "dev/doctor.ts",
];

describe("the image", () => {
  const { files, packages } = reachedFrom(root, entries);
  const ignored = readFileSync(join(deployFolder, "Dockerfile.dockerignore"), "utf8").split("\n");

  test("has every file that a process loads, at its place", () => {
    expect(copied.every(([from, to]) => from === to)).toBe(true);
    const folders = copied.map(([from = ""]) => from);
    const missing = [...files].filter(
      (file) => !folders.some((folder) => file === folder || file.startsWith(`${folder}/`)),
    );
    expect(missing).toEqual([]);
    expect(files.size).toBeGreaterThan(500);
  });

  test("is not built without any of them", () => {
    expect(ignored).toEqual(expect.arrayContaining(["**/test", "**/*.test.ts", "node_modules", ".git", ".assent"]));
    const folders = ignored.filter((line) => /^[a-z]/.test(line) && !["gen", "web/dist"].includes(line));
    const lost = [...files].filter(
      (file) => folders.some((folder) => file.startsWith(`${folder}/`)) || /(^|\/)test\/|\.test\.ts$/.test(file),
    );
    expect(lost).toEqual([]);
  });

  test("has every package that a process loads: none of them is for development alone", () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect([...packages].filter((name) => !(name in dependencies)).sort()).toEqual([]);
    expect(packages.size).toBeGreaterThan(15);
  });

  test("runs as nobody in particular, with production dependencies and a pinned Node", () => {
    expect(dockerfile).toMatch(/^USER 1000:1000$/m);
    expect(dockerfile).toMatch(/^ARG BASE=node:\d+\.\d+\.\d+-/m);
    expect(dockerfile).toContain("npm ci --omit=dev --ignore-scripts");
  });
});

describe("compose", () => {
  test("has a process of each service, whose command the image has", () => {
    for (const name of [...services, "gateway"]) {
      const script = `gen/processes/${name}.mjs`;
      expect([name, compose.services[name]?.command]).toEqual([name, ["node", script]]);
      expect([name, existsSync(join(root, script))]).toEqual([name, true]);
      expect(compose.services[name].read_only).toBe(true);
    }
  });
});

describe("the units of systemd", () => {
  const folder = join(deployFolder, "systemd");
  const unit = (file: string): string => readFileSync(join(folder, file), "utf8");
  const valuesOf = (text: string, key: string): string[] =>
    [...text.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].flatMap(([, value = ""]) => value.split(" "));
  const { processes } = readDeployed(join(deployFolder, "k8s/base"));
  const settings = unit("assent.env").match(/^\w+(?==)/gm) ?? [];

  test.each(processes)("give $name what its manifest gives it", ({ name, command, settings: wanted }) => {
    const text = unit("assent@.service") + unit(`assent@${name}.service.d/process.conf`);
    expect(valuesOf(text, "ExecStart").slice(1)).toEqual(command.slice(1).map((part) => part.replace(name, "%i")));
    const given = valuesOf(text, "Environment").map((value) => value.replace(/(_FILE)?=.*/, ""));
    const missing = wanted.filter(
      ({ setting, isOptional }) => !isOptional && ![...given, ...settings].includes(setting),
    );
    expect(missing).toEqual([]);
    // Every key that it is given is one of its own.
    const keys = valuesOf(text, "LoadCredential").map((value) => value.replace(/:.*/, ""));
    expect(keys.filter((key) => !wanted.some(({ setting }) => setting === key))).toEqual([]);
    expect(given).toEqual(expect.arrayContaining(keys));
    expect(valuesOf(unit("assent.target"), "Wants")).toContain(`assent@${name}.service`);
  });

  test("have a port for each process, and lead to it", () => {
    const ports = processes.map(({ name }) => {
      const values = valuesOf(unit(`assent@${name}.service.d/process.conf`), "Environment");
      const port = (setting: string) => values.find((value) => value.startsWith(`${setting}=`))?.split("=")[1];
      const target = new RegExp(`^${name.toUpperCase()}_TARGET=127.0.0.1:(\\d+)$`, "m").exec(unit("assent.env"))?.[1];
      expect([name, port("RPC_PORT")]).toEqual([name, target]);
      return [port("RPC_PORT"), port("ADMIN_PORT")];
    });
    const all = ports.flat().filter((port) => port !== undefined);
    expect(new Set(all).size).toBe(processes.length * 2 - 1);
  });
});
