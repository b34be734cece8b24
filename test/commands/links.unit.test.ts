import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { pages, readPage, root } from "./pages.ts";

describe("links and paths in README and docs", () => {
  test("lead to files and headings that exist", () => {
    const broken = pages.flatMap((page) =>
      [...readPage(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(({ 1: link = "" }) => {
        if (/^(https?|mailto):/.test(link)) return [];
        const [path = "", anchor] = link.split("#");
        const target = path === "" ? page : join(dirname(page), path);
        if (!existsSync(join(root, target))) return [`${page} → ${link}`];
        const isMissing = anchor !== undefined && !anchorsOf(target).includes(anchor);
        return isMissing ? [`${page} → ${link}`] : [];
      }),
    );
    expect(broken).toEqual([]);
  });

  test("paths in code spans exist", () => {
    const folders = "services|gateway|platform|dev|bench|test|deploy|docs|web|proto";
    const pattern = new RegExp(`\`((?:${folders})/[\\w./-]+)\``, "g");
    const made = /^(deploy\/secrets|bench\/(results|profiles)|web\/dist)/;
    const missing = pages.flatMap((page) =>
      [...readPage(page).matchAll(pattern)].flatMap(({ 1: path = "" }) =>
        made.test(path) || existsSync(join(root, path)) ? [] : [`${page}: ${path}`],
      ),
    );
    expect(missing).toEqual([]);
  });
});

/** As forges make them from headings. */
function anchorsOf(page: string): string[] {
  if (statSync(join(root, page)).isDirectory() || !page.endsWith(".md")) return [];
  return [...readPage(page).matchAll(/^#{1,6} +(.+)$/gm)].map(({ 1: heading = "" }) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(/\s/g, "-"),
  );
}
