import { readdirSync, readFileSync } from "node:fs";

/** The processes that have this one as their parent and run this program. */
export const childrenOf = (parent: number, program: string): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isChild(pid, parent, program));

export const isAlive = (pid: number): boolean => stateOf(pid) !== undefined && stateOf(pid) !== "Z";

function isChild(pid: number, parent: number, program: string): boolean {
  try {
    return fieldsOf(pid)[1] === String(parent) && readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(program);
  } catch {
    return false;
  }
}

function stateOf(pid: number): string | undefined {
  try {
    return fieldsOf(pid)[0];
  } catch {
    return undefined;
  }
}

/** After the name of the program, which may have spaces in it. */
function fieldsOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
