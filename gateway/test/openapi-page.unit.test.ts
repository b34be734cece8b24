import { createHash } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { buildOpenApi } from "../openapi/build.ts";
import { referencePage, referencePagePolicy } from "../openapi/page/reference-page.ts";
import { allRoutes } from "../routes/index.ts";

const document = buildOpenApi(allRoutes);
const page = referencePage(document);

describe("the reference page", () => {
  test("shows every operation, with a request and its errors", () => {
    for (const { operationId, path } of allRoutes) {
      const section = page.slice(page.indexOf(`id="${operationId}"`)).split("</section>")[0] ?? "";
      expect(section).toContain(`<code class="path">${path}</code>`);
      expect(section).toContain("curl ");
      expect(section).toMatch(isTokenEndpoint(path) ? /server_error/ : /internal_error/i);
    }
  });

  test("has a place for each of its own links, and each id once", () => {
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const links = [...page.matchAll(/ href="#([^"]*)"/g)].map(([, id]) => id);
    expect(links.length).toBeGreaterThan(allRoutes.length);
    expect(links.filter((id) => !ids.includes(id))).toEqual([]);
  });

  test("loads nothing, runs nothing and leads nowhere else", () => {
    expect(page).not.toMatch(/<script|<link|<img|<iframe| src=| on\w+="| style="|@import|url\(/i);
    expect(page.match(/href="(?!#|\/openapi\.json")/g)).toBeNull();
  });

  test("allows its own styles and nothing else", () => {
    const styles = [...page.matchAll(/<style>(.*?)<\/style>/gs)].map(([, text]) => text ?? "");
    expect(styles).toHaveLength(1);
    const hash = createHash("sha256")
      .update(styles[0] ?? "")
      .digest("base64");
    expect(referencePagePolicy).toContain(`style-src 'sha256-${hash}'`);
    expect(referencePagePolicy).toContain("default-src 'none'");
    expect(referencePagePolicy).not.toContain("unsafe");
  });

  test("shows what looks like HTML as text, wherever it stands", () => {
    const hostile = `<img src=x onerror="alert(1)">'&`;
    const injected = replaceTexts(JSON.parse(JSON.stringify(document)), hostile);
    const shown = referencePage(injected as typeof document);
    expect(shown).toContain("&lt;img src=x");
    expect(shown).not.toContain("<img");
  });

  test("quotes what a shell would read", () => {
    const [accept] = allRoutes.filter(({ operationId }) => operationId === "accept");
    const body = { ...accept?.body, example: { userRef: "it's $HOME" } };
    const shown = referencePage(buildOpenApi([{ ...accept, body } as (typeof allRoutes)[number]]));
    expect(shown).toContain("it&#39;\\&#39;&#39;s $HOME");
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
