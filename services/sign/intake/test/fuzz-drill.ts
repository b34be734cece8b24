// Damages many more PDFs than the tests do: node services/sign/intake/test/fuzz-drill.ts [seeds] [first seed]
import { checkDamagedFiles } from "./fuzzed-pdfs.ts";
import { startIntake } from "./start-intake.ts";

const [seeds = 1_000, first = 1] = process.argv.slice(2).map(Number);
const intake = startIntake();
const before = process.memoryUsage().rss;
const begun = performance.now();
const { taken, refused } = await checkDamagedFiles(intake, first, seeds);
const grown = Math.round((process.memoryUsage().rss - before) / 1_048_576);
const seconds = Math.round((performance.now() - begun) / 1_000);
await intake.close();
process.stdout.write(`${taken} taken, ${refused} refused in ${seconds} s; this process grew by ${grown} MB\n`);
