/** What is to be known of a PDF before something is placed on it; as the API calls it. */
export type DocumentWarning =
  /** Certified: it may be filled in and signed (DocMDP, P: 2). */
  | "CERTIFIED_P2"
  /** Certified: it may be annotated, too (DocMDP, P: 3). */
  | "CERTIFIED_P3"
  /** Signed before, and PDF/UA, which it cannot stay when something is placed on it. */
  | "PDF_UA_CLAIM_DROPPED";

/** The lock of a certified file, on which nothing can be placed. */
export function lockOf(warnings: readonly DocumentWarning[]): string | undefined {
  if (warnings.includes("CERTIFIED_P2")) return "DocMDP, P: 2";
  return warnings.includes("CERTIFIED_P3") ? "DocMDP, P: 3" : undefined;
}
