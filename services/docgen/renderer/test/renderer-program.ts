// A renderer process for tests of what becomes of processes: the HTML of a job says what it does to its own.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { answerRenders } from "../render.ts";
import { RenderError, type RenderJob } from "../render-job.ts";

let jobs = 0;

answerRenders(({ content }: RenderJob) => {
  jobs += 1;
  const [command = "", value = ""] = content.kind === "html" ? content.html.split(" ") : [];
  const run = commands[command];
  if (run === undefined) throw new TypeError(`the secret of the document is ${value}`);
  return { pdf: Buffer.from(JSON.stringify(run(value) ?? null)), pages: jobs, warnings: [] };
});

const commands: Readonly<Record<string, (value: string) => unknown>> = {
  pid: () => process.pid,
  facts: () => ({
    environment: Object.keys(process.env),
    mayReadPasswords: attempt(() => readFileSync("/etc/passwd")),
    mayWrite: attempt(() => writeFileSync("/tmp/assent-renderer-probe", "")),
    mayStartPrograms: attempt(() => execFileSync("true")),
  }),
  bytes: (count) => "x".repeat(Number(count)),
  wait: (ms) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(ms));
  },
  spin: () => {
    for (;;) if (jobs < 0) return;
  },
  heap: () => {
    const filled: unknown[] = [];
    for (;;) filled.push(Array.from({ length: 1000 }, (_, index) => ({ index })));
  },
  buffers: () => {
    const filled: Buffer[] = [];
    for (;;) filled.push(Buffer.alloc(1_000_000, 1));
  },
  keep: (megabytes) => {
    kept.push(Buffer.alloc(Number(megabytes) * 1_000_000, 1));
  },
  exit: () => process.exit(3),
  abort: () => process.abort(),
  refuse: () => {
    throw new RenderError("GEN_INVALID_DATA", "It does not fit.", { path: "/name", expected: "string" });
  },
};

const kept: Buffer[] = [];

function attempt(work: () => unknown): string {
  try {
    work();
    return "yes";
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}
