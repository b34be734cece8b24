import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { circles, median, sourceFiles } from "./house.ts";
import { parseModule, readModules, unusedExports } from "./unused-exports.ts";

const files = sourceFiles();

describe("the house", () => {
  test("has no more rooms than a person can keep in mind, and none too small to be one", () => {
    expect(files.length).toBeGreaterThan(1000);
    expect(files.length).toBeLessThanOrEqual(1500);
    expect(median(files)).toBeGreaterThanOrEqual(80);
    expect(median(files)).toBeLessThanOrEqual(120);
  });

  test("has no circle of imports, not of types either", () => {
    expect(circles(files)).toEqual([]);
  });

  test("circles are found through several files, and once", () => {
    const file = (path: string, ...imports: string[]) => ({ path, lines: 1, imports });
    const made = [file("a", "b"), file("b", "c", "d"), file("c", "a"), file("d", "c"), file("e", "a"), file("f")];
    expect(circles(made)).toEqual([["a", "b", "c", "d"]]);
  });

  test("exports nothing that no other file imports, but for what others are given", () => {
    const given = [
      ...["web/verify/src/index.ts: ", "web/dashboard/src/visible/jsx-runtime.ts: "],
      // By the form, at its address.
      "web/signing/src/pdf-viewer.ts: openPdf",
    ];
    const unused = unusedExports(readModules()).filter((name) => !given.some((start) => name.startsWith(start)));
    expect(unused).toEqual([]);
  });

  test("an import by name, of all, and when it is asked for make an export used", () => {
    const texts = {
      "a/a.ts":
        "export const one = 1;\nexport function two() {}\nexport type Three = 3;\nconst four = 4;\nexport { four as five };",
      "a/b.ts": 'import {\n  one,\n  type Three,\n} from "./a.ts";\nexport async function loaded() {}',
      "a/c.ts": 'const { loaded } = await import("./b.ts");',
    };
    const modules = new Map(Object.entries(texts).map(([path, text]) => [path, parseModule(path, text)]));
    expect(unusedExports(modules)).toEqual(["a/a.ts: two", "a/a.ts: five"]);
  });

  test("takes some rows of a table by a choice that is made once", () => {
    const root = resolve(import.meta.dirname, "../..");
    const texts = files.map(({ path }) => readFileSync(join(root, path), "utf8"));
    expect(texts.flatMap(choices).length).toBeGreaterThan(10);
    expect(texts.flatMap(choices).filter(isMadeAgain)).toEqual([]);
  });

  test("a choice is made once if it is a whole statement or stands in a part that is kept", () => {
    const choice = "select id from t where f(a) order by at limit $1 for update skip locked";
    const of = (statement: string) => choices(`const sql = \`${statement}\`;`).map(isMadeAgain);
    expect(of(choice)).toEqual([false]);
    expect(of(`with c as materialized (${choice}) delete from t using c where t.id = c.id`)).toEqual([false]);
    expect(of(`delete from t where (id) in (${choice})`)).toEqual([true]);
    expect(of(`with old as materialized (select 1) update t set a = 1 from (${choice}) c`)).toEqual([true]);
  });
});

/** Each statement up to where it locks a limited number of rows. */
const choices = (text: string): string[] =>
  [...text.matchAll(/\blimit \S+\s+for (?:no key )?update\b/g)].map(({ index }) =>
    text.slice(text.lastIndexOf("`", index) + 1, index),
  );

/**
 * A subselect of a change may run once for each row of the table, and then chooses other rows each time: more are changed
 * than its limit says.
 */
function isMadeAgain(statement: string): boolean {
  const open: string[] = [];
  for (const [index, letter] of [...statement].entries()) {
    if (letter === "(") open.push(statement.slice(0, index));
    if (letter === ")") open.pop();
  }
  return open.length > 0 && !open.some((before) => before.endsWith("as materialized "));
}
