import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { waitUntilGone } from "../../processes.ts";
import { samples } from "./samples.ts";

interface FileResult {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly {
    readonly fullName: string;
    readonly status: string;
    readonly failureMessages: readonly string[];
  }[];
}

function runJest(folder: string, more: object, args: readonly string[] = [], environment: NodeJS.ProcessEnv = {}) {
  const config = {
    testMatch: ["**/*.test.ts"],
    transform: {},
    injectGlobals: false,
    runner: new URL("../runner.mjs", import.meta.url).pathname,
    ...more,
  };
  const jest = join(createRequire(import.meta.url).resolve("jest/package.json"), "..", "bin", "jest.js");
  return spawnSync(process.execPath, [jest, "--rootDir", folder, "--config", JSON.stringify(config), ...args], {
    cwd: folder,
    env: { ...process.env, ...environment, CI: "true", FORCE_COLOR: "0" },
    encoding: "utf8",
  });
}

describe("the runner of test files", () => {
  let folder: string;
  let output: string;
  let exitCode: number | null;
  let results: ReadonlyMap<string, FileResult>;
  let order: readonly { readonly file: string; readonly pid: number; readonly value: string }[];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "assent-runner-"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    for (const [name, text] of Object.entries(samples)) writeFileSync(join(folder, name), text);
    const resultFile = join(folder, "result.json");
    const journal = join(folder, "journal.txt");
    writeFileSync(journal, "");
    const config = {
      testEnvironmentOptions: { fileLimitSeconds: 6 },
      testTimeout: 400,
      maxWorkers: 1,
      workerIdleMemoryLimit: "300MB",
    };
    const run = runJest(folder, config, ["--json", "--outputFile", resultFile], { JOURNAL: journal });
    output = run.stderr;
    exitCode = run.status;
    const { testResults } = JSON.parse(readFileSync(resultFile, "utf8")) as { testResults: FileResult[] };
    results = new Map(testResults.map((result) => [result.name.slice(folder.length + 1), result]));
    order = readFileSync(journal, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const result = (name: string): FileResult => {
    const found = results.get(`${name}.test.ts`);
    if (found === undefined) throw new Error(`no result of ${name}:\n${output}`);
    return found;
  };
  const statuses = (name: string): object =>
    Object.fromEntries(result(name).assertionResults.map(({ fullName, status }) => [fullName, status]));

  test("reports every file, and fails as a whole", () => {
    expect([...results.keys()].sort()).toEqual(
      Object.keys(samples)
        .filter((name) => name.endsWith(".test.ts"))
        .sort(),
    );
    expect(exitCode).toBe(1);
  });

  test("runs hooks, tables, spies, fake timers and counted assertions as Jest does", () => {
    expect(result("passing")).toMatchObject({ status: "focused", message: "" });
    expect(statuses("passing")).toEqual({
      "a group runs its hooks in order": "passed",
      "a group is a table: 1": "passed",
      "a group is a table: 2": "passed",
      "a group is left out": "pending",
      "spies and fake timers end with their test": "passed",
    });
  });

  test("reports a failing test with the line that failed, and goes on", () => {
    expect(statuses("failing")).toEqual({ fails: "failed", passes: "passed", "counts assertions": "failed" });
    const [message] = result("failing").assertionResults[0]?.failureMessages ?? [];
    expect(message).toContain("failing.test.ts:3");
    expect(result("failing").message).toContain("Expected: 2");
  });

  test("reports failing hooks", () => {
    expect(statuses("hooks")).toEqual({
      "before all one": "failed",
      "before all another": "failed",
      "before each one": "failed",
      "after each one": "failed",
      "after all one": "passed",
    });
    expect(result("hooks")).toMatchObject({
      status: "failed",
      message: expect.stringMatching(/the last hook failed/),
    });
  });

  test("reports tests and hooks that take too long", () => {
    expect(statuses("slow")).toEqual({
      "never ends": "failed",
      "a slow hook one": "failed",
      "ends in its own time": "passed",
    });
    expect(result("slow").message).toContain("Exceeded timeout of 400 ms");
  });

  test("reports what is thrown outside of any promise that is awaited", () => {
    expect(statuses("stray")).toEqual({ "throws in a timer": "failed", "rejects unheard": "failed" });
  });

  test("takes no message of a file, or of what it loads, for its result", () => {
    expect(result("talks")).toMatchObject({ status: "passed", message: "" });
    expect(statuses("talks")).toEqual({ "is taken at its result": "passed" });
  });

  test.each([
    ["no-tests", "must contain at least one test"],
    ["missing-export", "does not provide an export named 'nothing'"],
    ["throws-at-once", "thrown while it is read"],
    ["exits", "The process that ran it ended: exit code 0."],
    ["dies", "The process that ran it ended: SIGKILL."],
    ["busy-forever", "It did not end within 6 s, and was killed."],
    ["never-read", "It did not end within 6 s, and was killed."],
    ["leaves-environment", "other values in process.env (LEFT_BEHIND)"],
    ["leaves-folder", "the working folder /"],
    ["leaves-timers", "a clock or timers that are not real"],
    ["leaves-listener", "a listener for SIGTERM of the process"],
    ["leaves-process", "1 open ProcessWrap"],
    ["leaves-handles", "1 open TCPServerWrap; 1 open ProcessWrap"],
  ])("fails the file %s", (name, message) => {
    expect(result(name)).toMatchObject({ status: "failed", message: expect.stringContaining(message) });
  });

  test("keeps nothing that the variables of files hold, so that they need no new process", () => {
    // Any two of these would be more than a process may hold.
    const light = order.filter(({ file }) => file !== "heavy");
    expect(light).toHaveLength(3);
    expect(new Set(light.map(({ pid }) => pid)).size).toBe(1);
  });

  test("keeps modules loaded from file to file, and undoes what a file left behind", () => {
    const kept = order.filter(({ file }) => file !== "heavy");
    expect(new Set(kept.map(({ pid }) => pid)).size).toBe(1);
    expect(kept.map(({ file }) => file)[0]).toBe("leaves-environment");
    expect(kept.map(({ value }) => value)).toEqual(["1 undefined", "2 undefined", "3 undefined"]);
  });

  test("ends what a file has started and not ended, in whatever group it is", async () => {
    const child = Number(readFileSync(join(folder, "child.txt"), "utf8"));
    expect(await waitUntilGone(child, 10_000)).toBe(true);
  });

  test("replaces a process whose memory has grown", () => {
    const heavy = order.find(({ file }) => file === "heavy")?.pid;
    expect(heavy).toBeGreaterThan(0);
    expect(order.filter(({ pid }) => pid === heavy).at(-1)?.file).toBe("heavy");
  });
});

describe("a second run", () => {
  /** The statuses of the files, and what was printed. */
  const runAll = (names: readonly string[], secondRuns: number) => {
    const folder = mkdtempSync(join(tmpdir(), "assent-runner-"));
    try {
      writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
      for (const name of names) {
        const seen = JSON.stringify(join(folder, `${name}.seen`));
        const text = `import { existsSync, writeFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
test("one", () => {
  const isSecond = existsSync(${seen});
  writeFileSync(${seen}, "");
  expect("${name}").toBe(isSecond ? "flaky" : "true");
});`;
        writeFileSync(join(folder, `${name}.test.ts`), text);
      }
      const { status, stderr } = runJest(folder, {
        testEnvironmentOptions: { fileLimitSeconds: 60, secondRuns },
        // With the lane that works only while a core is idle, which need not come to pass.
        maxWorkers: 4,
      });
      return { status, stderr, text: stderr.match(/^Tests: .*$/m)?.[0] };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };

  test("is for a few files that failed, whose first failure is printed all the same", () => {
    const { status, stderr, text } = runAll(["flaky", "true"], 1);
    expect([status, text]).toEqual([0, expect.stringMatching(/ 2 passed, 2 total/)]);
    expect(stderr).toMatch(/flaky\.test\.ts failed, at first:.*Expected: "true"/s);
  });

  test("passes nothing that fails again, and is not for many", () => {
    expect(runAll(["flaky", "broken", "true"], 2).text).toMatch(/ 1 failed, 2 passed, 3 total/);
    expect(runAll(["flaky", "broken", "true"], 1).text).toMatch(/ 2 failed, 1 passed, 3 total/);
    expect(runAll(["flaky"], 0).text).toMatch(/ 1 failed, 1 total/);
    expect(runAll(["true", "broken", "flaky", "worse", "worst"], 2).text).toMatch(/ 4 failed, 1 passed, 5 total/);
  });
});

test("What needs programs that are still being made waits for them", () => {
  const folder = mkdtempSync(join(tmpdir(), "assent-runner-"));
  try {
    const preparing = join(folder, "preparing");
    const file = (statement: string): string => `import { existsSync, rmSync } from "node:fs";
import { expect, test } from "@jest/globals";
test("one", () => { ${statement} });
${"//".padEnd(statement.includes("judge") ? 1_000 : 2, " ")}`;
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(preparing, "");
    writeFileSync(join(folder, "ends.test.ts"), file(`rmSync(${JSON.stringify(preparing)}); expect(1).toBe(1);`));
    const isMade = `expect(existsSync(${JSON.stringify(preparing)})).toBe(false); // by a judge`;
    writeFileSync(join(folder, "longer.test.ts"), file(`${isMade}\n`));
    const more = { testEnvironmentOptions: { fileLimitSeconds: 60, secondRuns: 0 } };
    for (const maxWorkers of [1, 2]) {
      writeFileSync(preparing, "");
      const { stderr } = runJest(folder, { ...more, maxWorkers }, [], { ASSENT_PREPARING: preparing });
      expect(stderr).toMatch(/^Tests: +2 passed, 2 total/m);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
