import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { makeBundle } from "./support/bundle.ts";
import { keyFile, makeInstallation } from "./support/installation.ts";
import { scenario } from "./support/scenario.ts";
import { changed } from "./support/tamper.ts";
import { verifierFile } from "./support/verifier.ts";

const root = resolve(import.meta.dirname, "../..");
const sources = join(root, "web/verify/src");
const installation = makeInstallation();
const bundle = makeBundle(installation, scenario());
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "assent-verify-"));
  write("bundle.json", bundle);
  write("keys.json", keyFile(installation));
  write(
    "changed.json",
    changed(bundle, "agreement.content", (content: string) => `${content}!`),
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, value: unknown): string {
  const file = join(folder, name);
  writeFileSync(file, typeof value === "string" || Buffer.isBuffer(value) ? value : JSON.stringify(value));
  return file;
}

/** The Node of the machine, which is not the one that came with our dependencies; that one when there is no other. */
const machineNode =
  (process.env.PATH ?? "")
    .split(delimiter)
    .filter((path) => !path.includes("node_modules"))
    .map((path) => join(path, "node"))
    .find((file) => existsSync(file)) ?? process.execPath;

function run(args: readonly string[], options: { node?: string; input?: string | Buffer } = {}) {
  const { node = process.execPath, input = "" } = options;
  const env = { ...process.env, NODE_OPTIONS: "" };
  return spawnSync(node, [verifierFile, ...args], { cwd: folder, encoding: "utf8", input, env });
}

const versionOf = (node: string): string => spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();

describe.each([
  ["Node of the machine", machineNode],
  ["Node of the product", process.execPath],
])("the verifier on the %s", (_name, node) => {
  test(`(${versionOf(node)}) prints a table and ends with 0 when nothing fails`, () => {
    const { status, stdout, stderr } = run(["bundle.json", "--keys", "keys.json"], { node });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^STATUS +CHECK +RECORD +MESSAGE\n/);
    expect(stdout).toMatch(/^PASS +BUNDLE_SIGNATURE +- +The file is exactly as /m);
    expect(stdout).toMatch(/\nResult: nothing failed \(\d+ PASS, \d NOT PRESENT\)\n$/);
  });

  test("ends with 1 when something fails, and tells what", () => {
    const { status, stdout } = run(["changed.json", "--keys", "keys.json"], { node });
    expect(status).toBe(1);
    expect(stdout).toMatch(/^FAIL +BUNDLE_SIGNATURE +- +The bundle was changed after it was signed\.$/m);
    expect(stdout).toMatch(/^FAIL +CONTENT_HASH /m);
    expect(stdout).toContain("Result: FAILED");
  });
});

describe("the command line", () => {
  test("takes the bundle from the standard input, and prints JSON", () => {
    const { status, stdout } = run(["-", "--keys", "keys.json", "--json"], { input: JSON.stringify(bundle) });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, checks: expect.any(Array) });
  });

  test("warns when the keys come from the bundle", () => {
    const { status, stdout } = run(["bundle.json"]);
    expect(status).toBe(0);
    expect(stdout).toContain("nothing proves who made it");
  });

  test.each([
    ["no bundle", []],
    ["two bundles", ["bundle.json", "bundle.json"]],
    ["an unknown option", ["bundle.json", "--key", "keys.json"]],
    ["--keys without a file", ["bundle.json", "--keys"]],
    ["a file that is not there", ["none.json"]],
    ["a key file that is not there", ["bundle.json", "--keys", "none.json"]],
    ["a key file that is no JSON", ["bundle.json", "--keys", verifierFile]],
  ])("ends with 2 and says how it is used: %s", (_name, args) => {
    const { status, stdout, stderr } = run(args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^verify-bundle: .+\n\nChecks an evidence bundle/);
  });

  test("a bundle that is no text, or no JSON, is a failure and no crash", () => {
    for (const bytes of [Buffer.from([0xff, 0xfe, 0x00]), "", "{", "[]"]) {
      const { status, stdout, stderr } = run(["-"], { input: bytes });
      expect([status, stderr]).toEqual([1, ""]);
      expect(stdout).toMatch(/^FAIL +BUNDLE_SIGNATURE +- +Not a bundle: /m);
    }
  });

  test("helps whoever asks", () => {
    const { status, stdout } = run(["--help"]);
    expect([status, stdout.slice(0, 26)]).toEqual([0, "Checks an evidence bundle "]);
  });

  test("works through a symbolic link, and stays silent when the file is imported", () => {
    const link = join(folder, "link.mjs");
    symlinkSync(verifierFile, link);
    const options = { cwd: folder, encoding: "utf8", env: { ...process.env, NODE_OPTIONS: "" } } as const;
    expect(spawnSync(process.execPath, [link, "bundle.json"], options).status).toBe(0);
    const importing = write("import.mjs", `import { verifyBundle } from ${JSON.stringify(verifierFile)}; await 0;`);
    const { status, stdout, stderr } = spawnSync(process.execPath, [importing, "none.json"], options);
    expect([status, stdout, stderr]).toEqual([0, "", ""]);
  });

  test("npm run verify takes the same arguments, from the folder it was called in", () => {
    const env = { ...process.env, NODE_OPTIONS: "", INIT_CWD: folder };
    const program = [join(root, "dev/bootstrap.mjs"), "dev/verify.ts"];
    const verify = (...args: string[]) =>
      spawnSync(process.execPath, [...program, ...args], { cwd: root, encoding: "utf8", env });
    expect(verify("bundle.json", "--keys", "keys.json")).toMatchObject({ status: 0, stderr: "" });
    expect(verify("changed.json", "--keys", "keys.json")).toMatchObject({ status: 1, stderr: "" });
    expect(verify("none.json")).toMatchObject({ status: 2, stdout: "" });
  });
});

describe("verify-bundle.mjs", () => {
  const built = readFileSync(verifierFile, "utf8");

  test("is one readable file without dependencies", () => {
    const imports = [...built.matchAll(/(?:^import\b[^"]*|\bimport\()"([^"]+)"/gm)].map((match) => match[1] ?? "");
    expect([...new Set(imports)].filter((name) => !name.startsWith("node:"))).toEqual([]);
    expect(built).not.toMatch(/^import /m);
    expect(Math.max(...built.split("\n").map((line) => line.length))).toBeLessThan(400);
    expect(built).toContain("async function verifyBundle(");
    expect(built).toContain("RFC 9162 §2.1.3.2");
  });

  test("is made of our sources alone, which share nothing with the service", () => {
    const specifiers = readdirSync(sources)
      .flatMap((name) => [...readFileSync(join(sources, name), "utf8").matchAll(/\b(?:from |import\()\s*"([^"]+)"/g)])
      .map((match) => match[1] ?? "");
    expect(specifiers.filter((one) => !/^(\.\/[\w-]+\.ts|node:fs\/promises|node:url)$/.test(one))).toEqual([]);
  });
});
