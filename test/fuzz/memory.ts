import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What this process holds once nothing is left that could be thrown away. */
export function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
