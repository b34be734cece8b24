// The longest files first, so that no process works on one of them while the others have nothing left to do.
// KEEP_DURATIONS=true npm test   writes what is known of them anew.
import { readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";

const root = new URL("../..", import.meta.url).pathname;
const file = new URL("durations.json", import.meta.url);
/** What is shorter changes nothing. */
const leastSeconds = 4;

const durations = JSON.parse(readFileSync(file, "utf8"));

export const takesLong = (path) => relative(root, path) in durations;

export default class LongestFirst {
  sort(tests) {
    const secondsOf = ({ path }) => durations[relative(root, path)] ?? 0;
    return [...tests].sort((one, other) => secondsOf(other) - secondsOf(one) || (one.path < other.path ? -1 : 1));
  }

  shard(tests, { shardIndex, shardCount }) {
    return this.sort(tests).filter((_, index) => index % shardCount === shardIndex - 1);
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults(_tests, { testResults }) {
    if (process.env.KEEP_DURATIONS !== "true") return;
    const seconds = testResults.map(({ testFilePath, perfStats }) => [
      relative(root, testFilePath),
      Math.round(perfStats.runtime / 1000),
    ]);
    const kept = seconds.filter(([, duration]) => duration >= leastSeconds).sort(([, one], [, other]) => other - one);
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
  }
}
