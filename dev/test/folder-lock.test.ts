import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { lockFolder } from "../folder-lock.ts";
import { processIdentity } from "../processes.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "assent-test-lock-"));
  file = join(folder, "owner.lock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("lockFolder", () => {
  test("is exclusive until it is given back", () => {
    const unlock = lockFolder(file);
    expect(() => lockFolder(file)).toThrow(`${folder} is in use by another running instance (process ${process.pid})`);
    unlock();
    lockFolder(file)();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("giving it back twice does not take it from the next owner", () => {
    const unlock = lockFolder(file);
    unlock();
    lockFolder(file);
    unlock();
    expect(() => lockFolder(file)).toThrow("in use");
  });

  test("the lock of a process that is gone is taken over", () => {
    writeFileSync(file, "999999999 1 boot\n");
    lockFolder(file);
    expect(readFileSync(file, "utf8")).toBe(processIdentity(process.pid));
    expect(readdirSync(folder)).toEqual(["owner.lock"]);
  });

  test("the lock of an earlier process that had the id of a living one is taken over", () => {
    writeFileSync(file, `${process.pid} 1 another-boot\n`);
    lockFolder(file);
    expect(readFileSync(file, "utf8")).toBe(processIdentity(process.pid));
  });

  test("a lock file without sense is taken over", () => {
    writeFileSync(file, "");
    lockFolder(file)();
    expect(readdirSync(folder)).toEqual([]);
  });
});
