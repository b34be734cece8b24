import type { DocumentWarning, PageSize } from "../agreement/agreement.ts";
import type { Mark } from "../completion/mark.ts";
import type { PreparedFile } from "../seal/byte-range.ts";
import type { SealStatement } from "../seal/signature-placeholder.ts";

/** What an intake process is asked for. */
export type IntakeJob =
  | { readonly kind: "check"; readonly bytes: Uint8Array }
  | { readonly kind: "find-texts"; readonly bytes: Uint8Array; readonly wanted: readonly WantedText[] }
  | { readonly kind: "merge"; readonly files: readonly Uint8Array[] }
  | ({ readonly kind: "prepare-seal" } & SealPreparation)
  | { readonly kind: "to-html"; readonly bytes: Uint8Array; readonly type: "html" | "text" };

/** A file that is to be sealed when these marks are on it. */
export interface SealPreparation {
  readonly bytes: Uint8Array;
  readonly isSigned: boolean;
  /** A certificate of ours: tagged PDF/A, which becomes PDF/UA, too. */
  readonly isCertificate?: boolean;
  readonly marks: readonly Mark[];
  readonly statement: SealStatement;
}

/** A text that is looked for. */
export interface WantedText {
  readonly text: string;
  readonly caseSensitive: boolean;
  readonly wholeWord: boolean;
}

/** What it answers. */
export type IntakeOutcome =
  | ({ readonly kind: "checked" } & CheckedPdf)
  | { readonly kind: "found"; readonly places: readonly (readonly TextPlace[])[] }
  | { readonly kind: "merged"; readonly bytes: Uint8Array }
  | ({ readonly kind: "prepared" } & PreparedFile)
  | { readonly kind: "html"; readonly html: string }
  /** The file has a problem; a sentence for the caller, without anything of the file. */
  | { readonly kind: "refused"; readonly problem: string };

export interface PdfFacts {
  readonly pages: readonly PageSize[];
  /** Whether it carries a signature already. */
  readonly isSigned: boolean;
  readonly warnings: readonly DocumentWarning[];
}

/** What is known of a PDF, and what it is from now on. */
export interface CheckedPdf extends PdfFacts {
  /** The document in place of what was sent; absent where it stays as it is. */
  readonly rewritten?: Uint8Array;
}

/** Where a text stands in a document. Points from the upper left corner of the page as it is shown. */
export interface TextPlace {
  /** From 1. */
  readonly page: number;
  readonly left: number;
  readonly right: number;
  readonly baseline: number;
}
