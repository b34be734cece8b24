/** Typesets samples in a process of its own and prints the SHA-256 of each. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createTypesetter } from "../typesetter.ts";
import { inputOf } from "./support.ts";

const typesetter = createTypesetter();
for (const name of process.argv.slice(2)) {
  const html = readFileSync(new URL(`samples/${name}.html`, import.meta.url), "utf8");
  const { pdf } = typesetter.typeset(inputOf(html));
  process.stdout.write(`${createHash("sha256").update(pdf).digest("hex")}\n`);
}
