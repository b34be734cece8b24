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
