import { atStart, type RuleFinding } from "./report.ts";

/** Whether the content is in the normalization form that texts are usually exchanged in. */
export function normalizationFindings(content: string): RuleFinding[] {
  // Normalizing long runs of combining marks takes quadratic time: a minute for 1 MiB. No language has such runs
  // (https://unicode.org/reports/tr15/#Stream_Safe_Text_Format).
  const run = /\p{M}{31}/u.exec(content);
  if (run !== null) {
    const message = "More than 30 combining marks follow each other here.";
    return [notNormalized({ offset: run.index, length: run[0].length }, message)];
  }
  const normalized = content.normalize("NFC");
  if (normalized === content) return [];
  let offset = 0;
  while (content[offset] === normalized[offset]) offset += 1;
  const message = "The content is not in Unicode normalization form C here, so that searching in it can fail.";
  return [notNormalized({ offset, length: 1 }, message)];
}

const notNormalized = (range: { offset: number; length: number }, message: string): RuleFinding => ({
  ...atStart("CONTENT_NOT_NFC", "WARNING", message),
  ...range,
});
