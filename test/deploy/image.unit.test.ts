import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
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
      const entry = name === "gateway" ? "gateway/main.ts" : `services/${name}/main.ts`;
      expect([name, compose.services[name]?.command]).toEqual([name, ["node", entry]]);
      expect(compose.services[name].read_only).toBe(true);
    }
  });
});
