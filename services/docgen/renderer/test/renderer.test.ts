import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readlinkSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "@jest/globals";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import type { Renderer, RenderJob } from "../render-job.ts";
import { createRenderer, type RendererOptions } from "../renderer.ts";
import { htmlJob, reasonOf, refusalOf } from "./jobs.ts";
import { childrenOf, isAlive } from "./processes.ts";

const entry = new URL("./renderer-program.ts", import.meta.url);
const logged: string[] = [];
const logger = createLogger("test", "debug", { write: (line) => void logged.push(line) });

let renderers: Renderer[] = [];
afterEach(async () => {
  await Promise.all(renderers.map((renderer) => renderer.close()));
  renderers = [];
  logged.length = 0;
  expect(childrenOf(process.pid, "renderer-program.ts")).toEqual([]);
});

function start(options: Partial<RendererOptions> = {}): Renderer {
  const renderer = createRenderer({ logger, size: 1, entry, ...options });
  renderers.push(renderer);
  return renderer;
}

const answerOf = async (renderer: Renderer, command: string): Promise<unknown> =>
  JSON.parse(Buffer.from((await renderer.render(htmlJob(command))).pdf).toString());

const pidOf = async (renderer: Renderer): Promise<number> => Number(await answerOf(renderer, "pid"));
const processes = (): number[] => childrenOf(process.pid, "renderer-program.ts");

describe("a renderer", () => {
  test("starts a process for the first job and gives it the later ones", async () => {
    const renderer = start();
    expect(processes()).toEqual([]);
    expect(renderer.freeSlots()).toBe(1);
    const pid = await pidOf(renderer);
    expect(processes()).toEqual([pid]);
    const second = await renderer.render(htmlJob("pid"));
    expect(second).toMatchObject({ pages: 2, warnings: [] });
    expect(second.renderMs).toBeGreaterThan(0);
  });

  test("starts those at once that are to be kept, and only ends others that have nothing to do", async () => {
    const renderer = start({ size: 3, kept: 1, idleMs: 50 });
    await until(() => processes().length === 1);
    const jobs = [renderer.render(htmlJob("wait 500")), renderer.render(htmlJob("wait 500"))];
    await until(() => processes().length === 2);
    await Promise.all(jobs);
    await until(() => processes().length === 1);
    expect(await pidOf(renderer)).toBe(processes()[0]);
  });

  test("runs as many jobs at once as it may, and tells how many more could start", async () => {
    const renderer = start({ size: 3 });
    const jobs = Array.from({ length: 4 }, () => renderer.render(htmlJob("wait 20")));
    expect(renderer.freeSlots()).toBe(0);
    await jobs[0];
    await Promise.all(jobs);
    expect(renderer.freeSlots()).toBe(2);
    expect(processes()).toHaveLength(2);
  });

  test("has a free slot as soon as a job is answered", async () => {
    const renderer = start();
    for (let n = 0; n < 20; n += 1) {
      await renderer.render(htmlJob("pid"));
      expect(renderer.freeSlots()).toBe(1);
    }
  });

  test("refuses jobs when too many wait", async () => {
    const renderer = start({ maxWaiting: 2 });
    const waiting = [renderer.render(htmlJob("pid")), renderer.render(htmlJob("pid"))];
    await expectDomainError(renderer.render(htmlJob("pid")), "GEN_BUSY");
    await Promise.all(waiting);
    await renderer.render(htmlJob("pid"));
  });

  test("carries large answers and jobs with bytes, dates and maps", async () => {
    const renderer = start();
    const bytes = Buffer.alloc(5_000_000, 7);
    const images: RenderJob["images"] = new Map([["a", { contentType: "image/png", bytes }]]);
    const { pdf } = await renderer.render(htmlJob("bytes 25000000", { images }));
    expect(pdf.byteLength).toBe(25_000_002);
  });

  test("passes on why a document has no PDF, and the process goes on", async () => {
    const renderer = start();
    const pid = await pidOf(renderer);
    expect(await refusalOf(renderer.render(htmlJob("refuse")))).toMatchObject({
      code: "GEN_INVALID_DATA",
      message: "It does not fit.",
      details: { path: "/name", expected: "string" },
    });
    expect(await pidOf(renderer)).toBe(pid);
  });

  test("is replaced after many jobs, and when it keeps much memory", async () => {
    const renderer = start({ maxJobs: 2, maxIdleMemoryMb: 400 });
    const pids = [await pidOf(renderer), await pidOf(renderer), await pidOf(renderer)];
    expect(pids[1]).toBe(pids[0]);
    expect(pids[2]).not.toBe(pids[1]);
    await renderer.render(htmlJob("keep 400"));
    expect(await pidOf(renderer)).not.toBe(pids[2]);
    expect(logged).toEqual([]);
  });
});

describe("a job that", () => {
  test.each([
    ["runs for ever", "spin", "timeout"],
    ["fills the heap", "heap", "out_of_memory"],
    ["fills memory outside of it", "buffers", "out_of_memory"],
    ["ends its process", "exit", "crashed"],
    ["brings its process down", "abort", "crashed"],
    ["throws what nobody expects", "oops secret", "crashed"],
  ])("%s fails alone, and another process takes the next one", async (_what, command, reason) => {
    const renderer = start({ deadlineMs: command === "spin" ? 300 : 20_000 });
    const pid = await pidOf(renderer);
    const failed = reasonOf(renderer.render(htmlJob(command)));
    const next = pidOf(renderer);
    expect(await failed).toBe(reason);
    expect(await next).not.toBe(pid);
    await until(() => !isAlive(pid));
    expect(logged.join("")).not.toMatch(/secret/);
  });

  test("waits does not use up its time", async () => {
    const renderer = start({ deadlineMs: 1_000 });
    const jobs = Array.from({ length: 4 }, () => renderer.render(htmlJob("wait 400")));
    await Promise.all(jobs);
  });

  test("fails is counted by its reason", async () => {
    const metrics = createMetrics();
    const renderer = start({ metrics });
    await renderer.render(htmlJob("pid"));
    await reasonOf(renderer.render(htmlJob("exit")));
    await reasonOf(renderer.render(htmlJob("refuse")));
    const text = await metrics.registry.metrics();
    expect(text).toMatch(/assent_render_duration_seconds_count\{outcome="completed"\} 1/);
    expect(text).toMatch(/assent_render_duration_seconds_count\{outcome="crashed"\} 1/);
    expect(text).toMatch(/assent_render_duration_seconds_count\{outcome="GEN_INVALID_DATA"\} 1/);
    expect(text).toMatch(/assent_renderer_ends_total\{reason="crashed"\} 1/);
  });
});

describe("other services", () => {
  test("have a place of several for themselves", async () => {
    const renderer = start({ size: 2 });
    expect([renderer.places(), renderer.freeSlots()]).toEqual([1, 1]);
    const slow = [renderer.render(htmlJob("wait 60000")), renderer.render(htmlJob("wait 60000"))].map(reasonOf);
    await renderer.render(htmlJob("pid"), undefined, "services");
    expect(renderer.freeSlots()).toBe(0);
    await renderer.close();
    expect(await Promise.all(slow)).toEqual(["aborted", "aborted"]);
  });

  test("take the others as well when they are free", async () => {
    const renderer = start({ size: 3 });
    const jobs = Array.from({ length: 2 }, () => renderer.render(htmlJob("wait 50"), undefined, "services"));
    expect(renderer.freeSlots()).toBe(1);
    await Promise.all(jobs);
    expect(renderer.freeSlots()).toBe(2);
  });

  test("go first where there is one place", async () => {
    const renderer = start();
    const order: string[] = [];
    const note = (name: string) => () => void order.push(name);
    const jobs = [
      renderer.render(htmlJob("wait 50")).then(note("first")),
      renderer.render(htmlJob("pid")).then(note("document")),
      renderer.render(htmlJob("pid"), undefined, "services").then(note("service")),
    ];
    expect(renderer.freeSlots()).toBe(0);
    await Promise.all(jobs);
    // The process had not started when the first two came.
    expect(order).toEqual(["service", "first", "document"]);
  });

  test("do not keep documents from being handed out when their place is free again", async () => {
    const renderer = start({ size: 2 });
    const pids = await Promise.all(Array.from({ length: 5 }, () => pidOf(renderer)));
    expect(new Set(pids).size).toBeLessThanOrEqual(2);
    expect(renderer.freeSlots()).toBe(1);
  });
});

describe("an aborted signal", () => {
  test("takes a job out of the queue", async () => {
    const renderer = start();
    const calledOff = new AbortController();
    const first = renderer.render(htmlJob("pid"));
    const second = renderer.render(htmlJob("spin"), calledOff.signal);
    calledOff.abort();
    expect(await reasonOf(second)).toBe("aborted");
    await first;
    expect(renderer.freeSlots()).toBe(1);
    expect(await reasonOf(renderer.render(htmlJob("pid"), calledOff.signal))).toBe("aborted");
  });

  test("lets a short rendering end, and its process take the next job", async () => {
    const renderer = start();
    const pid = await pidOf(renderer);
    const calledOff = new AbortController();
    const dropped = renderer.render(htmlJob("wait 100"), calledOff.signal);
    calledOff.abort();
    expect(await reasonOf(dropped)).toBe("aborted");
    expect(renderer.freeSlots()).toBe(0);
    expect(await pidOf(renderer)).toBe(pid);
  });

  test("ends the process of a long one", async () => {
    const renderer = start({ graceMs: 100 });
    const pid = await pidOf(renderer);
    const calledOff = new AbortController();
    const dropped = renderer.render(htmlJob("spin"), calledOff.signal);
    calledOff.abort();
    expect(await reasonOf(dropped)).toBe("aborted");
    expect(await pidOf(renderer)).not.toBe(pid);
  });

  test("that comes after the answer changes nothing", async () => {
    const renderer = start({ graceMs: 0 });
    const late = new AbortController();
    await renderer.render(htmlJob("pid"), late.signal);
    const next = renderer.render(htmlJob("wait 200"));
    late.abort();
    await next;
  });
});

describe("processes that do not start", () => {
  const broken = { entry: new URL("./no-start-program.ts", import.meta.url) };

  test("fail the jobs that wait, and nothing of what they say is logged", async () => {
    const renderer = start(broken);
    expect(await reasonOf(renderer.render(htmlJob("pid")))).toBe("crashed");
    expect(renderer.freeSlots()).toBe(0);
    expect(logged.join("")).toMatch(/a renderer process ended/);
    expect(logged.join("")).toMatch(/no-start-program\.ts:2/);
    expect(logged.join("")).not.toMatch(/secret/);
  });

  test("are tried again with pauses, without anybody asking", async () => {
    const renderer = start({ ...broken, kept: 1 });
    await until(() => logged.length === 2);
    expect(renderer.freeSlots()).toBe(0);
  });

  test("are ended when they take too long", async () => {
    const renderer = start({ startTimeoutMs: 1 });
    expect(await reasonOf(renderer.render(htmlJob("pid")))).toBe("crashed");
  });
});

describe("close", () => {
  test("ends everything within a second, whatever the processes do", async () => {
    const renderer = start({ size: 2 });
    const pids = await Promise.all([pidOf(renderer), renderer.render(htmlJob("wait 100"))]).then(processes);
    const failed = ["spin", "spin", "pid"].map((command) => reasonOf(renderer.render(htmlJob(command))));
    const begun = performance.now();
    await renderer.close();
    expect(performance.now() - begun).toBeLessThan(20_000);
    expect(await Promise.all(failed)).toEqual(["aborted", "aborted", "aborted"]);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(await reasonOf(renderer.render(htmlJob("pid")))).toBe("aborted");
    expect(renderer.freeSlots()).toBe(0);
  });
});

describe("a renderer process", () => {
  test("sees no environment of ours, and may neither read nor write what is not its own", async () => {
    process.env.DATABASE_URL = "postgres://secret";
    const facts = await answerOf(start(), "facts");
    delete process.env.DATABASE_URL;
    expect(facts).toMatchObject({
      environment: expect.not.arrayContaining(["DATABASE_URL", "HOME", "PATH", "NODE_OPTIONS"]),
      mayReadPasswords: "ERR_ACCESS_DENIED",
      mayWrite: "ERR_ACCESS_DENIED",
      mayStartPrograms: "ERR_ACCESS_DENIED",
    });
    expect(readlinkSync(`/proc/${processes()[0]}/cwd`)).toBe(realpathSync(tmpdir()));
  });

  test("may read the script that was built of it and its assets alone; a defect in it names the source", async () => {
    const renderer = createRenderer({ logger, size: 1 });
    renderers.push(renderer);
    await renderer.render(htmlJob("<p>明 <b>bold</b></p>"));
    const [pid] = childrenOf(process.pid, "gen/programs/services-docgen-renderer-render-process.mjs");
    const readable = readFileSync(`/proc/${pid}/cmdline`, "latin1").matchAll(/--allow-fs-read=([^\0]+)/g);
    const root = fileURLToPath(new URL("../../../../", import.meta.url));
    expect(Array.from(readable, ([, path = ""]) => path.replace(root, "")).sort()).toEqual([
      "gen/programs",
      ...["@expo-google-fonts", "@fontsource-variable", "@myriaddreamin"].map((name) => `node_modules/${name}`),
      "services/docgen/typesetting/document.typ",
    ]);
    const broken = { page: undefined } as unknown as Partial<RenderJob>;
    expect(await reasonOf(renderer.render(htmlJob("<p>a</p>", broken)))).toBe("crashed");
    expect(logged.join("")).toMatch(
      /"frames":\["at \w+ \(services\/docgen\/typesetting\/[\w-]+\.ts, gen\/programs\/services-docgen-renderer-render-process\.mjs:\d+:/,
    );
  });

  test("ends with its parent, even in the middle of an endless rendering", async () => {
    const program = fileURLToPath(new URL("./parent-program.ts", import.meta.url));
    const parent = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"], env: {} });
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    const pid = Number(line.toString());
    expect(isAlive(pid)).toBe(true);
    parent.kill("SIGKILL");
    await until(() => !isAlive(pid));
  });
});
