import { createHash } from "node:crypto";
import { afterEach, describe, expect, test } from "@jest/globals";
import { createLogger } from "#platform/logger.ts";
import { profiles } from "../../domain/page.ts";
import { dataUrl, pngOf } from "../../typesetting/test/support.ts";
import type { Renderer, RenderJob } from "../render-job.ts";
import { createRenderer } from "../renderer.ts";
import { templateJob } from "./jobs.ts";

let renderers: Renderer[] = [];
afterEach(async () => {
  await Promise.all(renderers.map((renderer) => renderer.close()));
  renderers = [];
});

function start(options: { readonly size: number; readonly maxJobs?: number }): Renderer {
  const renderer = createRenderer({ logger: createLogger("test", "silent"), ...options });
  renderers.push(renderer);
  return renderer;
}

const digestOf = async (renderer: Renderer, job: RenderJob): Promise<string> =>
  createHash("sha256")
    .update((await renderer.render(job)).pdf)
    .digest("hex");

const content = [
  "<h1>{{ name }}</h1><p>{{ 'now' | date: 'long' }}, {{ price | money: 'EUR' }}</p>",
  `<table>{% for a in (1..3) %}<tr><td>{{ a }}</td><td><img alt="" src="${dataUrl(pngOf(3, 3))}"></td></tr>{% endfor %}</table>`,
].join("");
const job = (changes: Partial<RenderJob> = {}) => templateJob(content, { name: "Žofie", price: "12.5" }, changes);

describe("the same job", () => {
  test("gives the same bytes in every process, before and after other documents", async () => {
    const several = start({ size: 2 });
    const lone = start({ size: 1, maxJobs: 5 });
    const digests = new Map<string, Set<string>>(profiles.map((profile) => [profile, new Set()]));
    for (const renderer of [several, lone, several, lone]) {
      for (const profile of profiles) {
        const found = await Promise.all([digestOf(renderer, job({ profile })), digestOf(renderer, job({ profile }))]);
        for (const digest of found) digests.get(profile)?.add(digest);
      }
      await renderer.render(templateJob("<p>{{ x }}</p>", { x: "something else" }));
    }
    expect(Array.from(digests.values(), (found) => found.size)).toEqual([1, 1, 1]);
    const later = await digestOf(lone, job({ createdAt: new Date("2027-01-01T00:00:00Z") }));
    expect(digests.get("pdf")).not.toContain(later);
  });
});
