import { readdirSync, readFileSync } from "node:fs";

/** The ids of the processes that render for this one. */
export function rendererProcesses(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    numbersIn(`/proc/${pid}/task/${thread}/children`),
  );
  return children.filter((child) => readFile(`/proc/${child}/cmdline`).includes("render-process"));
}

const numbersIn = (path: string): number[] => readFile(path).split(/\s+/).filter(Boolean).map(Number);

/** Processes come and go while they are looked at. */
function readFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
