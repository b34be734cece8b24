import type { Finding, LocatedFinding } from "./findings.ts";

/** What can be wrong with HTML that has to be restricted. */
export type HtmlFindingCode =
  | "CONTROL_CHARACTER"
  | "ELEMENT_FORBIDDEN"
  | "ATTRIBUTE_FORBIDDEN"
  | "URL_FORBIDDEN"
  | "REMOTE_RESOURCE"
  | "COMMENT_FORBIDDEN"
  | "MALFORMED_HTML"
  | "MALFORMED_PDF";

export type HtmlFinding = Finding<HtmlFindingCode>;
export type LocatedHtmlFinding = LocatedFinding<HtmlFindingCode>;

/** Takes one finding. */
export type ReportHtml = (finding: HtmlFinding) => void;
