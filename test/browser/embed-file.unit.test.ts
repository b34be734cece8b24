import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { embedFile } from "./support/site.ts";

const sources = resolve(import.meta.dirname, "../../web/embed");

describe("embed.js", () => {
  const built = readFileSync(embedFile);

  test("has less than 17 kB compressed", () => {
    expect(gzipSync(built).length).toBeLessThan(17_000);
  });

  test("is one file that runs as a classic script and as a module", () => {
    expect(() => new Function(built.toString())).not.toThrow();
    expect(built.toString()).not.toMatch(/^\s*(import|export)\b/m);
  });

  test("is made of our sources alone", () => {
    const imports = readdirSync(sources)
      .filter((name) => name.endsWith(".ts"))
      .flatMap((name) => [...readFileSync(join(sources, name), "utf8").matchAll(/\bfrom "([^"]+)"/g)])
      .map((match) => match[1] ?? "");
    const others = imports.filter((specifier) => !specifier.startsWith("./"));
    expect(others.filter((specifier) => specifier !== "#platform/language.ts")).toEqual([]);
  });
});
