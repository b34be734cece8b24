import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OfficeFile } from "./office-files.ts";

/** Of this process and of those that it has waited for. */
export function cpuSeconds(): number {
  const fields = readFileSync("/proc/self/stat", "latin1")
    .replace(/^.*\) /, "")
    .split(" ");
  // utime, stime, cutime and cstime, in hundredths (proc(5)).
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) / 100, 0);
}

/** Seconds of a core for a file, when a program is started for each as its manual says. */
export function secondsAlone(program: string, files: readonly Pick<OfficeFile, "name" | "format" | "bytes">[]): number {
  const folder = mkdtempSync(join(tmpdir(), "alone-"));
  try {
    const begin = cpuSeconds();
    for (const { name, format, bytes } of files) {
      const file = join(folder, `${name}.${format}`);
      writeFileSync(file, bytes);
      const profile = new URL(`file://${join(folder, `profile-${name}`)}`).href;
      const args = [`-env:UserInstallation=${profile}`, "--headless", "--convert-to", "pdf", "--outdir", folder, file];
      execFileSync(program, args, { stdio: "ignore", cwd: folder });
    }
    return (cpuSeconds() - begin) / files.length;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
