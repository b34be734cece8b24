import { compareStructure, Difference, openBoth } from "../witness/structure.ts";

/** What the last bytes of a file do to the part before them, as readers follow the cross-reference; in a sentence. */
export function additionAfter(file: Buffer, addedBytes: number): string {
  const part = file.subarray(0, file.length - addedBytes);
  if (file.subarray(part.length).toString("latin1").trim() === "") return "blanks were added.";
  try {
    const files = openBoth(part, file);
    if (files === undefined) return unknown;
    const { shown, sealed } = files;
    const isSame = [...shown.entries].every(
      ([number, entry]) => JSON.stringify(entry) === JSON.stringify(sealed.entries.get(number)),
    );
    const [root, otherRoot] = [shown, sealed].map(({ trailer }) => JSON.stringify(trailer.get("/Root")));
    if (isSame && root === otherRoot && shown.entries.size === sealed.entries.size) {
      return "bytes were added that readers are not sent to.";
    }
    const pages = [...compareStructure(shown, sealed)].flatMap(([page, { contents }]) =>
      contents.length > 0 ? [page] : [],
    );
    if (pages.length > 0) return `something was drawn onto the sealed pages (${pages.slice(0, 20).join(", ")}).`;
    return "a revision was added, in which fields, signatures or data are new.";
  } catch (error) {
    return error instanceof Difference ? `a revision was added: ${error.message}.` : unknown;
  }
}

const unknown = "something was added that cannot be read as a revision.";
