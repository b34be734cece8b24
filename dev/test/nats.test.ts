import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { until } from "#platform/testing/until.ts";
import { type RunningNats, startNats } from "../nats.ts";
import { isAlive } from "../processes.ts";
import { describeWithNats } from "./describe-with-nats.ts";

describeWithNats("startNats", () => {
  let storeDir: string;
  let nats: RunningNats | undefined;
  beforeEach(() => {
    storeDir = mkdtempSync(join(tmpdir(), "assent-test-nats-"));
  });
  afterEach(async () => {
    await nats?.stop();
    rmSync(storeDir, { recursive: true, force: true });
  });
  const pid = (): number => Number(readFileSync(join(storeDir, "nats.pid"), "utf8"));

  test("keeps its port when it is killed and started again", async () => {
    nats = await startNats({ storeDir });
    const first = pid();
    await nats?.kill();
    expect(isAlive(first)).toBe(false);
    await nats?.restart();
    expect(nats?.url).toBe(`nats://127.0.0.1:${nats?.port}`);
    expect(pid()).not.toBe(first);
  });

  test("a folder in use is refused", async () => {
    nats = await startNats({ storeDir });
    await expect(startNats({ storeDir })).rejects.toThrow("in use by another running instance");
  });

  test("the server that a killed copy left behind is stopped before its files are used", async () => {
    const module = fileURLToPath(new URL("../nats.ts", import.meta.url));
    const script = `import { startNats } from ${JSON.stringify(module)};
      await startNats({ storeDir: ${JSON.stringify(storeDir)} });
      console.log("started"); setInterval(() => {}, 1000);`;
    const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", script];
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "pipe", "inherit"],
      env: { PATH: process.env.PATH },
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await until(() => output.includes("started"));
    const leftover = pid();
    child.kill("SIGKILL");
    await until(() => child.signalCode !== null);
    expect(isAlive(leftover)).toBe(true);
    nats = await startNats({ storeDir });
    expect(isAlive(leftover)).toBe(false);
  });
});
