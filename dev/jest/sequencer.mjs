// The order of the test files: those that start the whole product first. A long one that begins last would keep one
// worker busy while the other has nothing left. On a fresh machine Jest knows no durations and goes by size of file.
import { sep } from "node:path";
import TestSequencer from "@jest/test-sequencer";

/** Folders of test/, the one with the longest files first. */
const longest = ["isolation", "e2e", "chaos", "fuzz", "browser", "interop"].map(
  (folder) => `${sep}test${sep}${folder}`,
);

class Sequencer extends TestSequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some((test) => test.duration !== undefined)) return sorted;
    return sorted.sort((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ path, context }) {
  const inside = path.slice(context.config.rootDir.length);
  const rank = longest.findIndex((folder) => inside.startsWith(folder + sep));
  return rank === -1 || path.endsWith(".unit.test.ts") ? longest.length : rank;
}

export { Sequencer as default };
