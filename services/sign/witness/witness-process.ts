// The program of a witness. It sees no configuration, no secrets and no network, and ends with its parent.
import { answerJobs } from "#platform/child-processes/fork-child.ts";
import { compareFiles } from "./compare-files.ts";
import type { WitnessJob, WitnessOutcome } from "./messages.ts";

// The library tells the console of every oddity of a file; nobody is there to read it.
for (const method of ["log", "info", "warn", "error", "debug"] as const) console[method] = () => {};

answerJobs(async (job: WitnessJob): Promise<WitnessOutcome> => {
  try {
    const difference = await compareFiles(job);
    return difference === undefined ? { kind: "same" } : { kind: "different", difference };
  } catch (error) {
    // What it says may have parts of the document in it.
    return { kind: "different", difference: `it cannot be read (${error instanceof Error ? error.name : "unknown"})` };
  }
});
