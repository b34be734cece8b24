import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, jest, test } from "@jest/globals";
import { recordingLogger } from "../rpc/test/harness.ts";
import { stopOnSignals } from "../service.ts";
import { until } from "../testing/until.ts";

const program = fileURLToPath(new URL("stop-on-signals-program.ts", import.meta.url));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

async function start(outcome: "succeeds" | "fails") {
  const child = spawn(process.execPath, [program, outcome], { stdio: ["ignore", "pipe", "ignore"] });
  children.push(child);
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  await until(() => output.includes("ready"));
  return { child, exit: once(child, "exit"), output: () => output };
}

describe("stopOnSignals", () => {
  test.each(["SIGTERM", "SIGINT"] as const)("stops once and exits with 0 on %s", async (signal) => {
    const { child, exit, output } = await start("succeeds");

    child.kill(signal);
    await until(() => output().includes("stop"));
    child.kill("SIGINT");

    expect(await exit).toEqual([0, null]);
    expect(output()).toBe("ready\nstop\n");
  });

  test("exits with 1 when it cannot stop", async () => {
    const { child, exit } = await start("fails");

    child.kill("SIGTERM");

    expect(await exit).toEqual([1, null]);
  });

  test("exits with 1 when it has not stopped after 25 s", () => {
    const signals = ["SIGTERM", "SIGINT"] as const;
    // Those of the process that runs the tests would end it.
    const others = signals.map((signal) => [signal, process.listeners(signal)] as const);
    for (const signal of signals) process.removeAllListeners(signal);
    const exit = jest.spyOn(process, "exit").mockReturnValue(undefined as never);
    const { logger, lines } = recordingLogger();
    jest.useFakeTimers();
    try {
      stopOnSignals(() => new Promise(() => {}), logger);
      process.emit("SIGTERM", "SIGTERM");
      jest.advanceTimersByTime(24_999);
      expect(exit).not.toHaveBeenCalled();
      jest.advanceTimersByTime(1);
      expect(exit).toHaveBeenCalledWith(1);
      expect(lines.map((line) => line.msg)).toEqual(["stopping", "did not stop within 25 s"]);
    } finally {
      jest.useRealTimers();
      exit.mockRestore();
      for (const [signal, listeners] of others) {
        process.removeAllListeners(signal);
        for (const listener of listeners) process.on(signal, listener);
      }
    }
  });
});
