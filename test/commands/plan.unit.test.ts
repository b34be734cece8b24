import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { settingsOfPrograms } from "../../dev/programs.ts";
import { drills } from "../drills/drills.ts";
import { drillsInSuites, plannedInlines, plannedPages, plannedScripts } from "./plan.ts";
import { blocksOf, inlinesOf, pages, readPage, root } from "./printed.ts";
import { plannedBlocksOf } from "./typed.ts";

const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };
const scriptOf = (command: string): string | undefined => /^npm (?:run (?:-s )?)?([a-z][\w:-]*)/.exec(command)?.[1];

describe("every command that is printed is run by a test", () => {
  test("each script of package.json", () => {
    expect([...Object.keys(plannedScripts), ...Object.keys(drillsInSuites)].sort()).toEqual(
      Object.keys(scripts).sort(),
    );
  });

  test("each drill that takes too long, by a suite with the same parts", () => {
    const without = Object.entries(drillsInSuites).flatMap(([name, { suite, parts }]) => {
      const program = drills.find((drill) => `drill:${drill.name}` === name)?.program ?? "";
      return [suite, program].flatMap((file) => {
        const text = existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "";
        return parts.filter((part) => !text.includes(part)).map((part) => `${file}: ${part}`);
      });
    });
    expect(without).toEqual([]);
  });

  test("each block of README, CONTRIBUTING and docs, and none is planned that is not there", () => {
    const found = pages.flatMap((page) => plannedBlocksOf(page));
    const unplanned = found.flatMap(([{ page, line, text }, plan]) =>
      plan === undefined ? [`${page}:${line} ${text}`] : [],
    );
    expect(unplanned).toEqual([]);
    const planned = plannedPages.flatMap(({ blocks }) => blocks);
    const taken = new Set(found.map(([, plan]) => plan));
    expect(planned.filter((plan) => !taken.has(plan))).toEqual([]);
    // npm start, npm test and npm run bench with arguments: what they name are scripts.
    const commands = found
      .filter(([, plan]) => plan?.ranBy?.startsWith("script "))
      .flatMap(([{ text }]) => text.trim().split("\n"));
    expect(commands.filter((line) => !Object.hasOwn(scripts, scriptOf(line) ?? ""))).toEqual([]);
    const elsewhere = [...planned, ...plannedInlines].flatMap(({ ranBy = "script " }) =>
      ranBy.startsWith("script ") ? [] : [ranBy],
    );
    expect(elsewhere.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  test("each command within a sentence", () => {
    const entries = settingsOfPrograms.map(({ entry }) => `node ${entry}`);
    const isKnown = (text: string): boolean =>
      plannedInlines.some((planned) => planned.text === text) ||
      entries.includes(text) ||
      text === "node services/{auth,templates,docgen,click,sign,webhooks}/main.ts" ||
      // A script by its name, and a drill with arguments of a longer run.
      (Object.hasOwn(scripts, scriptOf(text) ?? "") &&
        (/^npm (run )?[\w:-]+$/.test(text) || text.startsWith("npm run drill:")));
    const unknown = pages.flatMap((page) =>
      inlinesOf(page).flatMap(({ line, text }) => (isKnown(text) ? [] : [`${page}:${line} ${text}`])),
    );
    expect(unknown).toEqual([]);
    const printed = new Set(pages.flatMap((page) => inlinesOf(page).map(({ text }) => text)));
    expect(plannedInlines.filter(({ text }) => !printed.has(text)).map(({ text }) => text)).toEqual([]);
  });

  test("no line that is pasted says where the copy listens: it is asked", () => {
    const fixed = pages.flatMap(
      (page) =>
        readPage(page)
          .match(/^```sh\n[\s\S]*?^```/gm)
          ?.flatMap((block) => (/^(?!#).*(?:127\.0\.0\.1|localhost):8080/m.test(block) ? [`${page}: ${block}`] : [])) ??
        [],
    );
    expect(fixed).toEqual([]);
  });

  test("an unknown command is found in every form", () => {
    const page = "one\n```sh\nnpm run nothing\n```\n`kubectl get x` and `npm`\n```console\n$ curl x\nanswer\n```\n";
    expect(blocksOf("p.md", page)).toEqual([
      { page: "p.md", line: 3, text: "npm run nothing\n" },
      { page: "p.md", line: 7, text: "curl x\n" },
    ]);
    expect(inlinesOf("p.md", page)).toEqual([{ page: "p.md", line: 5, text: "kubectl get x" }]);
  });
});
