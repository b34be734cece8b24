/** Test files for the runner to run, each with something that it must notice. */
const imports = (names: string): string => `import { ${names} } from "@jest/globals";\n`;

/** Two of these are more than a process may hold. */
const large = "new Array(2e7).fill(0.5)";

/** The longer ones run first. */
const journal = (file: string, statement = ""): string => `${imports("expect, test")}
import { appendFileSync } from "node:fs";
import { next } from "./shared.ts";
let held;
test("writes down which process it is", () => {
  const value = next() + " " + process.env.LEFT_BEHIND;
  appendFileSync(process.env.JOURNAL, JSON.stringify({ file: "${file}", pid: process.pid, value }) + "\\n");
  held = ${large};
  ${statement}
  expect(1).toBe(1);
});`;

const leaves = (statement: string): string => `${imports("jest, test")}
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
test("leaves something behind", async () => { ${statement} });`;

export const samples: Readonly<Record<string, string>> = {
  "shared.ts": "let count = 0;\nexport const next = (): number => (count += 1);",
  "passing.test.ts": `${imports("afterAll, beforeAll, beforeEach, describe, expect, jest, test")}
const seen = [];
describe("a group", () => {
  beforeAll(() => void seen.push("all"));
  beforeEach(() => void seen.push("each"));
  test("runs its hooks in order", () => expect(seen).toEqual(["all", "each"]));
  test.each([1, 2])("is a table: %d", (one) => { expect.assertions(1); expect(one).toBeLessThan(3); });
  test.skip("is left out", () => { throw new Error(); });
});
afterAll(() => expect(seen).toHaveLength(4));
test("spies and fake timers end with their test", () => {
  const now = jest.spyOn(Date, "now").mockReturnValue(7);
  expect(Date.now()).toBe(7);
  now.mockRestore();
  const called = jest.fn();
  jest.useFakeTimers();
  setTimeout(called, 60_000);
  jest.advanceTimersByTime(60_000);
  jest.useRealTimers();
  expect(called).toHaveBeenCalledTimes(1);
});`,
  "failing.test.ts": `${imports("expect, test")}
test("fails", () => { expect(1).toBe(2); });
test("passes", () => { expect(1).toBe(1); });
test("counts assertions", () => { expect.assertions(1); });`,
  "hooks.test.ts": `${imports("afterAll, afterEach, beforeAll, beforeEach, describe, test")}
const fail = () => { throw new Error("the last hook failed"); };
describe("before all", () => { beforeAll(fail); test("one", () => {}); test("another", () => {}); });
describe("before each", () => { beforeEach(fail); test("one", () => {}); });
describe("after each", () => { afterEach(fail); test("one", () => {}); });
describe("after all", () => { afterAll(fail); test("one", () => {}); });`,
  "slow.test.ts": `${imports("beforeAll, describe, test")}
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
test("never ends", () => new Promise(() => {}));
describe("a slow hook", () => { beforeAll(() => wait(1_000)); test("one", () => {}); });
test("ends in its own time", () => wait(600), 2_000);`,
  "stray.test.ts": `${imports("test")}
const wait = () => new Promise((resolve) => setTimeout(resolve, 50));
test("throws in a timer", async () => { setTimeout(() => { throw new Error("stray"); }, 1); await wait(); });
test("rejects unheard", async () => { void Promise.reject(new Error("unheard")); await wait(); });`,
  "talks.test.ts": `${imports("test")}
process.send({ result: { testResults: [] } });
process.send({ error: { message: "not of the runner" } });
process.send(null);
test("is taken at its result", () => new Promise((resolve) => setTimeout(resolve, 50)));`,
  "no-tests.test.ts": "export {};",
  "missing-export.test.ts": `${imports("test")}import { nothing } from "./shared.ts";\ntest("one", () => nothing);`,
  "throws-at-once.test.ts": `throw new Error("thrown while it is read"); export {};`,
  "exits.test.ts": leaves("process.exit(0);"),
  "dies.test.ts": leaves(`process.kill(process.pid, "SIGKILL"); await new Promise(() => {});`),
  "busy-forever.test.ts": leaves("for (;;);"),
  "never-read.test.ts": "await new Promise((resolve) => setTimeout(resolve, 1e6)); export {};",
  "leaves-environment.test.ts": journal("leaves-environment", `process.env.LEFT_BEHIND = "yes";`),
  "leaves-folder.test.ts": leaves(`process.chdir("/");`),
  "leaves-timers.test.ts": leaves("jest.useFakeTimers();"),
  "leaves-listener.test.ts": leaves(`process.on("SIGTERM", () => {});`),
  "leaves-handles.test.ts": leaves(`createServer().listen(0); spawn("sleep", ["60"]);`),
  "leaves-process.test.ts": leaves(
    `const { pid } = spawn("sleep", ["60"], { detached: true }); writeFileSync("child.txt", String(pid));`,
  ),
  "journal-1.test.ts": journal("journal-1"),
  "journal-2.test.ts": journal("journal-2"),
  "heavy.test.ts": journal("heavy", `globalThis.kept = [held, ${large}];`),
};
