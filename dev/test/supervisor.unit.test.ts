import { expect, test } from "@jest/globals";
import { until } from "#platform/testing/until.ts";
import { createSupervisor, type Part } from "../supervisor.ts";

/** Dies when it is told to; `fails` starts go wrong first. */
function mortal(name: string, fails = 0): Part & { die(): void; readonly starts: number } {
  let die = (): void => undefined;
  let life = new Promise<string>((resolve) => (die = () => resolve("it ended with SIGKILL")));
  let starts = 0;
  return {
    name,
    die: () => die(),
    get starts() {
      return starts;
    },
    ended: () => life,
    start: async () => {
      starts += 1;
      if (starts <= fails) throw new Error("the port is taken\nand more");
      life = new Promise((resolve) => (die = () => resolve("it ended with SIGKILL")));
    },
  };
}

test("what dies is started again after pauses that grow, with a line for each step", async () => {
  const said: string[] = [];
  const supervisor = createSupervisor({ say: (line) => said.push(line), firstPauseMs: 2, longestPauseMs: 6 });
  const part = mortal("click", 3);
  supervisor.watch(part);
  part.die();
  await until(() => said.includes("click runs again"));
  expect(said).toEqual([
    "click died (it ended with SIGKILL); it is started again in 0.002 s",
    "click died (the port is taken); it is started again in 0.004 s",
    "click died (the port is taken); it is started again in 0.006 s",
    "click died (the port is taken); it is started again in 0.006 s",
    "click runs again",
  ]);
  supervisor.stop();
});

test("what has lived long enough gets the first pause again", async () => {
  const said: string[] = [];
  const supervisor = createSupervisor({ say: (line) => said.push(line), firstPauseMs: 1, steadyAfterMs: -1 });
  const part = mortal("click");
  supervisor.watch(part);
  for (let n = 1; n <= 3; n += 1) {
    part.die();
    await until(() => said.length === 2 * n);
  }
  expect(new Set(said)).toEqual(
    new Set(["click died (it ended with SIGKILL); it is started again in 0.001 s", "click runs again"]),
  );
  supervisor.stop();
});

test("a supervisor that was stopped starts nothing", async () => {
  const said: string[] = [];
  const supervisor = createSupervisor({ say: (line) => said.push(line), firstPauseMs: 1 });
  const [before, during] = [mortal("auth"), mortal("click")];
  supervisor.watch(before);
  supervisor.watch(during);
  during.die();
  await until(() => said.length > 0);
  supervisor.stop();
  before.die();
  await new Promise((resolve) => setImmediate(resolve));
  expect([before.starts, said.some((line) => line.startsWith("auth"))]).toEqual([0, false]);
});
