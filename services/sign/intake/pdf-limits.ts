/** What a PDF may be, so that everything that follows can work with it. */

export const maxPages = 2_000;
/** Inner nodes of the tree of pages above a page. */
export const maxPageTreeDepth = 64;
/** Indirect objects; each takes up to a kilobyte when it is parsed. */
export const maxObjects = 300_000;
/** All object streams and cross-reference streams together, unpacked: what a parser unpacks before anybody asks. */
export const maxUnpackedBytes = 64 * 1024 * 1024;
/** Arrays and dictionaries in each other. */
export const maxObjectDepth = 100;
/** Revisions that a file may have. */
export const maxRevisions = 1_000;
/** Points; 200 inches, the most that viewers show (ISO 32000-1, annex C). */
export const maxPageSide = 14_400;
/** Points; fields cannot stand on less. */
export const minPageSide = 3;
/** How often one text may occur in an agreement. */
export const maxMatches = 1_000;
/** Form fields, those that only group others included. */
export const maxFields = 5_000;
/** Form fields in each other. */
export const maxFieldDepth = 32;
/** Annotations of all pages together, and as many places where fields are shown. */
export const maxAnnotations = 20_000;

/** Why a PDF is refused, in a sentence for the caller. Everything else that a library throws says: it is damaged. */
export class PdfProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PdfProblem";
  }
}

export const damagedMessage = "The PDF is damaged. Save it again and retry.";
export const encryptedMessage = "The PDF is encrypted. Remove its password and retry.";

/** Of a file that has to stay as it is. */
export const ambiguous = (what: string) =>
  new PdfProblem(
    `The PDF carries signatures, so that it is taken as it is, but it can be read in more than one way: ${what}.`,
  );
