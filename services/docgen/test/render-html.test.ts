import { Buffer } from "node:buffer";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Client, createClient } from "@connectrpc/connect";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { Profile, RendererService, type RenderHtmlRequestSchema } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { serverInterceptors } from "#platform/rpc/interceptors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { RenderError, type Rendered, type Renderer, type RenderJob } from "../renderer/render-job.ts";
import { createRenderer } from "../renderer/renderer.ts";
import { renderHtml } from "../rpc/render-html.ts";

type Init = MessageInitShape<typeof RenderHtmlRequestSchema>;
const logger = createLogger("test", "silent");

const requestOf = (changes: Init = {}): Init => ({
  title: "Evidence",
  html: "<h1>Evidence</h1><p>Text</p>",
  profile: Profile.PDF,
  createdAt: timestampFromDate(new Date("2026-01-02T03:04:05Z")),
  ...changes,
});

function clientOf(renderer: Renderer): Client<typeof RendererService> {
  const interceptors = serverInterceptors({ service: "docgen", logger, metrics: createMetrics() });
  const transport = createMemoryTransport((router) => router.service(RendererService, renderHtml({ renderer })), {
    interceptors,
    maxMessageBytes: 32 * 1024 * 1024,
    defaultTimeoutMs: 30_000,
  });
  return createClient(RendererService, transport);
}

describe("renderHtml", () => {
  let renderer: Renderer;
  let client: Client<typeof RendererService>;
  beforeAll(() => {
    renderer = createRenderer({ logger, size: 1 });
    client = clientOf(renderer);
  });
  afterAll(() => renderer.close());

  test("typesets HTML, and the same request gives the same bytes", async () => {
    const first = await client.renderHtml(requestOf());
    expect(Buffer.from(first.pdf.subarray(0, 5)).toString()).toBe("%PDF-");
    expect(first).toMatchObject({ pages: 1, warnings: [] });
    expect(Buffer.from((await client.renderHtml(requestOf())).pdf).equals(first.pdf)).toBe(true);
  });

  test("attaches files to PDF/A-3", async () => {
    const content = Buffer.from(JSON.stringify({ a: 1 }));
    const attachment = { fileName: "evidence.json", mediaType: "application/json", description: "All of it", content };
    const { pdf } = await client.renderHtml(requestOf({ profile: Profile.PDF_A_3A, attachments: [attachment] }));
    expect(Buffer.from(pdf).toString("latin1")).toMatch(/evidence\.json/);
  });

  test("takes no template language for anything but text", async () => {
    const { pages } = await client.renderHtml(requestOf({ html: "<p>{{ name }} {% for %}</p>" }));
    expect(pages).toBe(1);
  });

  test("refuses HTML beyond the rules with its place", async () => {
    const error = await expectDomainError(
      client.renderHtml(requestOf({ html: "<p>a</p>\n<script></script>" })),
      "GEN_TEMPLATE_ERROR",
    );
    expect(error.metadata).toMatchObject({ line: "2", column: "1" });
  });

  test("warns of characters that no font has", async () => {
    const { warnings } = await client.renderHtml(requestOf({ html: "<p>😀</p>" }));
    expect(warnings).toMatchObject([{ code: "missing_glyph", char: "U+1F600", path: "" }]);
  });

  test.each<[string, Init, string[]]>([
    ["a title of two lines", { title: "a\nb" }, ["title"]],
    ["a blank title", { title: " " }, ["title"]],
    ["no size of paper", { page: { size: "a0" } }, ["page.size"]],
    ["no language", { locale: "not a language" }, ["locale"]],
    ["a time before computers", { createdAt: timestampFromDate(new Date("1950-01-01")) }, ["createdAt"]],
    [
      "attachments in another profile, without names that differ",
      { attachments: [fileOf({}), fileOf({ mediaType: "json" })] },
      ["attachments", "attachments", "attachments[1].mediaType"],
    ],
    [
      "a path in place of lines",
      { profile: Profile.PDF_A_3A, attachments: [fileOf({ fileName: "a\nb" })] },
      ["attachments[0].fileName"],
    ],
  ])("refuses %s", async (_what, changes, fields) => {
    const error = await expectDomainError(client.renderHtml(requestOf(changes)), "GEN_INVALID_REQUEST");
    expect(error.details.map(({ field }) => field)).toEqual(fields);
  });
});

function fileOf(changes: { readonly fileName?: string; readonly mediaType?: string }) {
  return { fileName: "a.json", mediaType: "application/json", content: new Uint8Array(3), ...changes };
}

describe("renderHtml with a renderer that", () => {
  let ends: Array<() => void> = [];
  afterEach(() => {
    for (const end of ends) end();
    ends = [];
  });

  /** Ends no job before it is told to. */
  function stuckRenderer(): Renderer & { readonly jobs: RenderJob[]; readonly signals: AbortSignal[] } {
    const jobs: RenderJob[] = [];
    const signals: AbortSignal[] = [];
    const render = (job: RenderJob, signal?: AbortSignal): Promise<Rendered> => {
      jobs.push(job);
      if (signal !== undefined) signals.push(signal);
      return new Promise((resolve) => {
        ends.push(() => resolve({ pdf: new Uint8Array(1), pages: 1, warnings: [], renderMs: 1 }));
      });
    };
    return { jobs, signals, render, freeSlots: () => 0, places: () => 1, close: async () => undefined };
  }

  test("is stuck answers GEN_BUSY before too much waits", async () => {
    const renderer = stuckRenderer();
    const client = clientOf(renderer);
    const waiting = Array.from({ length: 32 }, () => client.renderHtml(requestOf()));
    await until(() => renderer.jobs.length === 32);
    await expectDomainError(client.renderHtml(requestOf()), "GEN_BUSY");
    for (const end of ends) end();
    await Promise.all(waiting);
    const again = client.renderHtml(requestOf());
    await until(() => renderer.jobs.length === 33);
    ends.at(-1)?.();
    await again;
  });

  test("is stuck counts what is large as more", async () => {
    const renderer = stuckRenderer();
    const client = clientOf(renderer);
    const large = requestOf({ html: "a".repeat(30_000_000) });
    const waiting = [client.renderHtml(large), client.renderHtml(large)];
    await until(() => renderer.jobs.length === 2);
    await expectDomainError(client.renderHtml(large), "GEN_BUSY");
    for (const end of ends) end();
    await Promise.all(waiting);
  });

  test("is called with what the caller gave up is told so", async () => {
    const renderer = stuckRenderer();
    const calledOff = new AbortController();
    const call = clientOf(renderer).renderHtml(requestOf(), { signal: calledOff.signal });
    await until(() => renderer.signals.length === 1);
    calledOff.abort();
    await expect(call).rejects.toThrow();
    await until(() => renderer.signals[0]?.aborted);
  });

  test("fails answers its error with the facts", async () => {
    const render = () => Promise.reject(new RenderError("GEN_RENDER_FAILED", "Too slow.", { reason: "timeout" }));
    const client = clientOf({ render, freeSlots: () => 1, places: () => 1, close: async () => undefined });
    const error = await expectDomainError(client.renderHtml(requestOf()), "GEN_RENDER_FAILED");
    expect(error).toMatchObject({ message: expect.stringMatching(/Too slow/), metadata: { reason: "timeout" } });
  });
});
