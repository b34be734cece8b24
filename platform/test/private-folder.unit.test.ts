import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { openHome } from "../../dev/home.ts";
import { makePrivateFolder } from "../durable-file.ts";

const base = mkdtempSync(join(tmpdir(), "assent-private-"));
afterAll(() => rmSync(base, { recursive: true }));

const modeOf = (folder: string): string => (statSync(folder).mode & 0o7777).toString(8);

describe("a private folder", () => {
  test("is made for its owner alone", () => {
    makePrivateFolder(join(base, "new/inner"));
    expect([modeOf(join(base, "new")), modeOf(join(base, "new/inner"))]).toEqual(["700", "700"]);
  });

  test.each([
    ["755", "700"],
    ["770", "700"],
    ["500", "500"],
    // Shared with a group, as volumes of a cluster are.
    ["2775", "2770"],
    // Everybody has files of their own in it.
    ["1777", "1777"],
  ])("that was there with %s has %s afterwards", (before, after) => {
    const folder = join(base, before);
    mkdirSync(folder);
    chmodSync(folder, Number.parseInt(before, 8));
    makePrivateFolder(folder);
    expect(modeOf(folder)).toBe(after);
  });

  test("is what a copy on one machine has its data in, also where the folder was there before", () => {
    const folder = join(base, "home");
    mkdirSync(folder, { mode: 0o755 });
    openHome({ ASSENT_HOME: folder });
    expect(modeOf(folder)).toBe("700");
  });
});
