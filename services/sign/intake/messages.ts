import type { DocumentWarning, PageSize } from "../agreement/agreement.ts";
import type { PdfFields, TabDefinition } from "../agreement/definition.ts";
import type { Tab } from "../agreement/tab.ts";
import type { Mark } from "../completion/mark.ts";
import type { PreparedFile } from "../seal/byte-range.ts";
import type { SealStatement } from "../seal/signature-placeholder.ts";

/** A job for an intake process. */
export type IntakeJob =
  | { readonly kind: "check"; readonly bytes: Uint8Array; readonly pdfFields?: PdfFields }
  | { readonly kind: "read-texts"; readonly bytes: Uint8Array }
  | { readonly kind: "read-words"; readonly bytes: Uint8Array }
  | { readonly kind: "find-texts"; readonly bytes: Uint8Array; readonly wanted: readonly WantedText[] }
  | { readonly kind: "propose-tabs"; readonly bytes: Uint8Array }
  | { readonly kind: "merge"; readonly files: readonly Uint8Array[] }
  | ({ readonly kind: "prepare-seal" } & SealPreparation)
  | { readonly kind: "picture-to-pdf"; readonly bytes: Uint8Array }
  | { readonly kind: "to-html"; readonly bytes: Uint8Array; readonly type: "html" | "text" };

/** A file to be sealed, with the marks to draw on it first. */
export interface SealPreparation {
  readonly bytes: Uint8Array;
  readonly isSigned: boolean;
  /** Our own certificate: a tagged PDF/A file that also becomes PDF/UA. */
  readonly isCertificate?: boolean;
  readonly marks: readonly Mark[];
  readonly statement: SealStatement;
}

/** A text to search for. */
export interface WantedText {
  readonly text: string;
  readonly caseSensitive: boolean;
  readonly wholeWord: boolean;
}

/** The answer of an intake process. */
export type IntakeOutcome =
  | ({ readonly kind: "checked" } & CheckedPdf)
  | { readonly kind: "found"; readonly places: readonly (readonly TextPlace[])[] }
  | { readonly kind: "proposed"; readonly proposals: readonly TabProposal[] }
  | { readonly kind: "texts"; readonly pages: readonly (readonly string[])[] }
  | ({ readonly kind: "words" } & FileWords)
  | { readonly kind: "merged"; readonly bytes: Uint8Array }
  | ({ readonly kind: "prepared" } & PreparedFile)
  | { readonly kind: "html"; readonly html: string }
  | { readonly kind: "printed"; readonly pdf: Uint8Array }
  /** The file is at fault. A sentence for the caller that quotes nothing from the file. */
  | { readonly kind: "refused"; readonly problem: string };

export interface PdfFacts {
  readonly pages: readonly PageSize[];
  /** Whether the file already carries a signature. */
  readonly isSigned: boolean;
  readonly warnings: readonly DocumentWarning[];
}

/** The facts about a checked PDF, and its rewritten form. */
export interface CheckedPdf extends PdfFacts {
  /** The rewritten document; absent when the file stays as sent. */
  readonly rewritten?: Uint8Array;
  /** What its form fields became, when they were to become tabs. */
  readonly tabs?: readonly TabDefinition[];
}

/** A tab that the text of a page asks for. */
export interface TabProposal
  extends Pick<Tab, "type" | "label" | "page" | "x" | "y" | "width" | "height" | "required"> {
  /** Which one of those who sign, from 1; 0 when nothing says so. */
  readonly signer: number;
  /** A tag, something to write on, or a word that asks for it. */
  readonly source: "tag" | "blank" | "word";
  /** What stands there. */
  readonly text: string;
  /** The lines around it in the same column, which may say whose it is. */
  readonly around: string;
}

/** The words of a file. */
export interface FileWords {
  /** In lower case, each once. */
  readonly words: readonly string[];
  /** False when there are more than are kept, or some pages could not be read. */
  readonly isWhole: boolean;
}

/** Where a text occurs. Points from the upper left corner of the page as displayed. */
export interface TextPlace {
  /** Starts at 1. */
  readonly page: number;
  readonly left: number;
  readonly right: number;
  readonly baseline: number;
}
