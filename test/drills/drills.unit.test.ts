import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { drills } from "./drills.ts";
import { isShipped } from "./shipped.ts";

const root = join(import.meta.dirname, "../..");

test("each drill can be run by itself, and all of them together", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const single = drills.map(({ name, program }) => [`drill:${name}`, `node dev/bootstrap.mjs ${program}`]);
  expect(Object.fromEntries(single)).toEqual(
    Object.fromEntries(Object.entries(scripts).filter(([name]) => name.startsWith("drill:"))),
  );
  expect(scripts.drill).toBe("node dev/bootstrap.mjs test/drills/run.ts");
});

test("what a build is not sent is left out of what the drill copies", () => {
  const shipped = isShipped("# comment\n.git\ndocs\n**/test\n**/*.test.ts\n");
  const paths = [
    "docs/a.md",
    ".git",
    "services/click/test/a.ts",
    "platform/a.test.ts",
    "platform/testing/a.ts",
    "gateway/app.ts",
  ];
  expect(paths.filter(shipped)).toEqual(["platform/testing/a.ts", "gateway/app.ts"]);
});
