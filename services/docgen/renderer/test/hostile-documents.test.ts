import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createLogger } from "#platform/logger.ts";
import { until } from "#platform/testing/until.ts";
import { dataUrl, pngOf } from "../../typesetting/test/support.ts";
import type { Renderer, RenderJob } from "../render-job.ts";
import { createRenderer } from "../renderer.ts";
import { htmlJob, refusalOf, templateJob } from "./jobs.ts";
import { childrenOf } from "./processes.ts";

const deadlineMs = 2_500;
const logged: string[] = [];

let renderer: Renderer;
beforeAll(async () => {
  const logger = createLogger("test", "info", { write: (line) => void logged.push(line) });
  renderer = createRenderer({ logger, size: 1, deadlineMs });
  await renderer.render(htmlJob("<p>a</p>"));
});
afterAll(async () => {
  await renderer.close();
  expect(processes()).toEqual([]);
});

const processes = (): number[] => childrenOf(process.pid, "render-process.mjs");

const loop = (times: number, body: string): string => `{% for a in (1..${times}) %}${body}{% endfor %}`;
const nest = (tag: string, depth: number): string => `<${tag}>`.repeat(depth) + `</${tag}>`.repeat(depth);
const tables = (depth: number): string =>
  `${"<table><tr><td>".repeat(depth)}a${"</td><td>b</td></tr></table>".repeat(depth)}`;
const paragraphs = (count: number): string => `<p class="page-break">a</p>`.repeat(count);

/** Which limit is met first depends on the machine. */
const limits = ["timeout", "out_of_memory", "too_many_pages"];
const refused = ["GEN_TEMPLATE_ERROR"];

const hostile: ReadonlyArray<readonly [what: string, job: RenderJob, outcomes: readonly string[]]> = [
  ["loops for ever", templateJob(loop(100_000, loop(100_000, "x"))), [...refused, "timeout"]],
  [
    "allocates without end",
    templateJob(`{% assign s = "ab" %}${loop(60, "{% assign s = s | append: s %}")}{{ s }}`),
    [...refused, "timeout"],
  ],
  ["has 10,000 pages", htmlJob(paragraphs(10_000)), limits],
  ["has 300 pages", htmlJob(paragraphs(300)), ["too_many_pages"]],
  ["has tables in tables in tables", htmlJob(tables(40)), refused],
  ["has a million divisions in one another", htmlJob(nest("div", 100_000)), [...refused, "timeout"]],
  [
    "has a table of 300,000 cells",
    htmlJob(`<table>${"<tr><td>a</td><td>b</td></tr>".repeat(150_000)}</table>`),
    limits,
  ],
  [
    "has an image that unfolds to gigapixels",
    htmlJob(`<p><img alt="" src="${dataUrl(withSize(30_000, 30_000))}"></p>`),
    refused,
  ],
  [
    "has an image of 100 megapixels in truth",
    htmlJob(`<p><img alt="" src="${dataUrl(pngOf(10_000, 10_000))}"></p>`),
    refused,
  ],
];

/** A picture that says it is larger. */
function withSize(width: number, height: number): Buffer {
  const png = pngOf(10, 10);
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  return png;
}

describe("a document that", () => {
  test.each(hostile)("%s is stopped, and the next one is rendered", async (_what, job, outcomes) => {
    const start = performance.now();
    const { code, details } = await refusalOf(renderer.render(job));
    expect(performance.now() - start).toBeLessThan(deadlineMs + 2_000);
    expect(outcomes).toContain(code === "GEN_RENDER_FAILED" ? details.reason : code);
    expect((await renderer.render(htmlJob("<p>next</p>"))).pages).toBe(1);
    await until(() => processes().length === 1);
  });

  test("has a megabyte of data in one paragraph comes to its end, with pages or without", async () => {
    const text = "word ".repeat(200_000);
    const outcome = await renderer.render(templateJob("<p>{{ text }}</p>", { text })).then(
      ({ pages }) => pages,
      ({ details }) => details.reason,
    );
    expect(limits).toContain(outcome);
    expect((await renderer.render(htmlJob("<p>next</p>"))).pages).toBe(1);
  });
});

describe("many documents that are stopped", () => {
  test("leave nothing behind in the one who asked", async () => {
    const job = htmlJob(nest("div", 500));
    for (let n = 0; n < 20; n += 1) await refusalOf(renderer.render(job));
    const before = process.memoryUsage().rss;
    for (let n = 0; n < 50; n += 1) await refusalOf(renderer.render(job));
    expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000);
    expect(logged.join("")).not.toMatch(/word word/);
  });
});
