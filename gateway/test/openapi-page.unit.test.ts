import { execFileSync } from "node:child_process";
import { describe, expect, test } from "@jest/globals";
import { errorCatalogue } from "#platform/errors.ts";
import { describeWithTools } from "#platform/testing/judges.ts";
import { buildOpenApi } from "../openapi/build.ts";
import { type ReferenceFile, referenceFiles } from "../openapi/page/reference-page.ts";
import { referencePagePolicy } from "../openapi/reference.ts";
import { allRoutes } from "../routes/index.ts";
import { codeIn } from "./code-samples.ts";

const document = buildOpenApi(allRoutes);
const files = referenceFiles(document);
const pages = [...files].filter(([, { contentType }]) => contentType.startsWith("text/html"));
const textOf = (name: string): string => (files.get(name) as ReferenceFile).text;

describe("the reference", () => {
  test("shows every operation once, with a request and its errors", () => {
    for (const { operationId, path } of allRoutes) {
      const [found, ...others] = pages.filter(([, { text }]) => text.includes(`id="${operationId}"`));
      expect([operationId, found === undefined, others]).toEqual([operationId, false, []]);
      const text = found?.[1].text ?? "";
      const section = text.slice(text.indexOf(`id="${operationId}"`)).split("</section>")[0] ?? "";
      expect(section).toContain(`<code class="path">${path}</code>`);
      expect(codeIn(section)).toMatchObject({ curl: [expect.any(String)], typescript: [expect.any(String)] });
      expect(section).toMatch(isTokenEndpoint(path) ? /server_error/ : /internal_error/i);
    }
  });

  test("has small pages", () => {
    expect(pages.length).toBeGreaterThan(30);
    expect(pages.filter(([, { text }]) => text.length > 300_000).map(([name]) => name)).toEqual([]);
  });

  test("has a place for each of its own links, and each id of a page once", () => {
    const idsOf = (text: string): string[] => [...text.matchAll(/ id="([^"]*)"/g)].map(([, id = ""]) => id);
    for (const [name, { text }] of pages) {
      const ids = idsOf(text);
      expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
      for (const [, path, id] of text.matchAll(/ href="(?:\/docs(?:\/([^"#]*))?)?(?:#([^"]*))?"/g)) {
        const target = path === undefined ? (text.includes(` href="/docs#${id}"`) ? "" : name) : path;
        expect([name, target, files.has(target)]).toEqual([name, target, true]);
        if (id !== undefined)
          expect([target, idsOf(textOf(target)).includes(id) ? id : "missing"]).toEqual([target, id]);
      }
    }
  });

  test("is searched by all of it", () => {
    const entries = JSON.parse(textOf("search.txt")) as { href: string; text: string }[];
    for (const { operationId } of allRoutes) {
      const [entry] = entries.filter(({ href }) => href.endsWith(`#${operationId}`));
      const [slug = ""] = (entry?.href ?? "").replace("/docs/", "").split("#");
      expect(textOf(slug)).toContain(`id="${operationId}"`);
    }
  });

  test("finds error codes and headers, and the operations that have them", () => {
    const entries = JSON.parse(textOf("search.txt")) as { href: string; title: string; text: string }[];
    const codes = Object.keys(errorCatalogue).filter((code) => textOf("errors").includes(`id="error-${code}"`));
    expect(codes.length).toBeGreaterThan(100);
    for (const name of [...codes, "Retry-After", "X-Idempotency-Key"]) {
      const [first] = entries.filter(({ title }) => title === name);
      expect(textOf("errors")).toContain(`id="${first?.href.split("#")[1]}"`);
    }
    const row = textOf("errors").split('id="error-CLICK_TEMPLATE_NOT_FOUND"')[1]?.split("</tr>")[0];
    expect(row).toMatch(/404.*operations|404.*href="\/docs\/templates#/s);
  });

  test("has each area in one group", () => {
    const tags = document.tags as { name: string }[];
    const groups = document["x-tagGroups"] as { tags: string[] }[];
    expect(groups.flatMap(({ tags: own }) => own)).toEqual(tags.map(({ name }) => name));
    expect(new Set(allRoutes.map(({ tag }) => tag))).toEqual(new Set(tags.map(({ name }) => name)));
  });

  test("loads its own files only, and writes no HTML by script", () => {
    for (const [, { text }] of pages) {
      expect(text.match(/<link[^>]*>|<script (?!type="application\/json")[^>]*>/g)).toEqual([
        '<link rel="stylesheet" href="/docs/reference.css">',
        '<script src="/docs/reference.js" defer>',
      ]);
      expect(text).not.toMatch(/<img|<iframe|<style| on\w+="| style="/i);
      expect(text.match(/href="(?!#|\/openapi\.json"|\/docs)/g)).toBeNull();
    }
    expect(textOf("reference.css")).not.toMatch(/@import|url\(/);
    expect(textOf("reference.js")).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write|eval|https?:/);
    expect(referencePagePolicy).toContain("default-src 'none'");
    expect(referencePagePolicy).not.toContain("unsafe");
  });

  test("shows what looks like HTML as text, wherever it stands", () => {
    const hostile = `<img src=x onerror="alert(1)">'&</script>`;
    const injected = replaceTexts(JSON.parse(JSON.stringify(document)), hostile);
    const shown = [...referenceFiles(injected as typeof document)].filter(([, { contentType }]) =>
      contentType.includes("html"),
    );
    expect(shown.some(([, { text }]) => text.includes("&lt;img src=x"))).toBe(true);
    // In the data of a request nothing is an element but its own end.
    const outside = shown.map(([, { text }]) =>
      text.replaceAll(/(<script type="application\/json"[^>]*>)[^<]*/g, "$1"),
    );
    expect(outside.filter((text) => text.includes("<img"))).toEqual([]);
  });

  test("quotes what a shell would read", () => {
    const [accept] = allRoutes.filter(({ operationId }) => operationId === "accept");
    const body = { ...accept?.body, example: { userRef: "it's $HOME" } };
    const shown = referenceFiles(buildOpenApi([{ ...accept, body } as (typeof allRoutes)[number]]));
    expect([...shown.values()].map(({ text }) => text).join("")).toContain("it&#39;\\&#39;&#39;s $HOME");
  });
});

describe("the code of each operation", () => {
  const code = codeIn(pages.map(([, { text }]) => text).join("\n"));

  test("is there in every language", () => {
    expect([code.curl.length, code.typescript.length, code.python.length]).toEqual(Array(3).fill(allRoutes.length));
  });

  test("is what a shell and JavaScript understand", () => {
    execFileSync("bash", ["-n"], { input: code.curl.join("\n") });
    const Program = Object.getPrototypeOf(async () => {}).constructor as new (source: string) => unknown;
    for (const program of code.typescript)
      expect(() => new Program(program.replaceAll(/^import .*/gm, ""))).not.toThrow();
  });

  describeWithTools(["python3"], "in Python", () => {
    test("is what Python understands", () => {
      const check = "import ast, json, sys\nfor program in json.load(sys.stdin): ast.parse(program)";
      execFileSync("python3", ["-c", check], { input: JSON.stringify(code.python) });
    });
  });
});

const isTokenEndpoint = (path: string): boolean => path.endsWith("/token");

/** Puts a text into every description, summary and example. */
function replaceTexts(value: unknown, text: string): unknown {
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, text));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => {
      const isText = ["description", "summary", "title", "example"].includes(name) && typeof child === "string";
      return [name, isText ? text : replaceTexts(child, text)];
    }),
  );
}
