export type Section = "table" | "stream" | "broken";

/** Of what kind the last cross-reference section is, by what stands where the file says that it begins. */
export function lastSection(file: Buffer): Section {
  const tail = file.toString("latin1", Math.max(0, file.length - 1_024));
  const found = /startxref\s{1,10}(\d{1,10})\s/.exec(tail.slice(Math.max(0, tail.lastIndexOf("startxref"))));
  if (found === null) return "broken";
  const offset = Number(found[1]);
  const there = file.toString("latin1", offset, offset + 1_024);
  if (/^xref\s/.test(there)) return "table";
  const dictionary = there.slice(0, Math.max(0, there.indexOf("stream")));
  return /^\d{1,10} \d{1,5} obj/.test(there) && dictionary.includes("/XRef") ? "stream" : "broken";
}
