// Makes many more PDFs that can be read in several ways than the tests do: npm run drill:pdf -- [files] [first seed]
import { checkAdversarialFiles } from "./check-adversarial.ts";

const [files = 10_000, first = 1] = process.argv.slice(2).map(Number);
console.warn = () => {};
console.log = () => {};
const begun = performance.now();
const { taken, refused } = await checkAdversarialFiles(first, files, 100);
const seconds = Math.round((performance.now() - begun) / 1_000);
process.stdout.write(`${taken} taken, ${refused} refused, no difference, in ${seconds} s\n`);
