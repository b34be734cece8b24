// Writes one plain line with the counts for `npm test` to print last, for whoever reads the log by machine.
import { writeFileSync } from "node:fs";

export default class ResultLineReporter {
  onRunComplete(_contexts, results) {
    const file = process.env.ASSENT_RESULT_FILE;
    if (file === undefined) return;
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    writeFileSync(
      file,
      `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`,
    );
  }
}
