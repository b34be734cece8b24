import { compile, parse, postprocess, preprocess } from "micromark";
import { gfmTable, gfmTableHtml } from "micromark-extension-gfm-table";
import type { HtmlFinding, ReportHtml } from "./findings.ts";
import type { SourceRange } from "./tree.ts";

export interface ConvertedMarkdown {
  /** Not checked yet. Raw HTML of the source is in it as text. */
  readonly html: string;
  /** Where the headings of the HTML stand in the source, in their order. */
  readonly headings: readonly SourceRange[];
  /** Where its links do. */
  readonly links: readonly SourceRange[];
  /** Where its images do. */
  readonly images: readonly SourceRange[];
}

/**
 * Converts CommonMark with GFM tables, and reports what the conversion would drop or show as something else: raw HTML,
 * table cells that have no column. Hostile sources take quadratic time (3 s for 100 KiB), so only small ones may be
 * converted on an event loop.
 */
export function convertMarkdown(source: string, report: ReportHtml): ConvertedMarkdown {
  const events = postprocess(
    parse({ extensions: [gfmTable()] })
      .document()
      .write(preprocess()(source, undefined, true)),
  );
  // Which addresses are allowed is decided on the HTML; removing others here would hide them from that.
  const html = compile({ htmlExtensions: [gfmTableHtml()], allowDangerousProtocol: true })(events);
  const headings: SourceRange[] = [];
  const links: SourceRange[] = [];
  const images: SourceRange[] = [];
  const rows = createRowCheck(report);
  let openLinks = 0;
  for (const [direction, token] of events) {
    if (token.type === "link") openLinks += direction === "enter" ? 1 : -1;
    if (direction === "exit") continue;
    const range = rangeOf(source, token);
    if (token.type === "autolink" && openLinks > 0) report(linkInLink(range));
    rows(token, range);
    if (token.type === "atxHeading" || token.type === "setextHeading") headings.push(range);
    else if (token.type === "link" || token.type === "autolink") links.push(range);
    else if (token.type === "image") images.push(range);
    else if (token.type === "htmlFlow" || token.type === "htmlText") report(rawHtml(source, range));
  }
  return { html, headings, links, images };
}

type Token = ReturnType<typeof postprocess>[number][1];

/** The converter drops a byte order mark before it counts. */
function rangeOf(source: string, { start, end }: Token): SourceRange {
  const shift = source.startsWith("\ufeff") ? 1 : 0;
  return { offset: start.offset + shift, length: end.offset - start.offset };
}

function rawHtml(source: string, range: SourceRange): HtmlFinding {
  const isComment = /^<[!?]/.test(source.slice(range.offset, range.offset + 2));
  return {
    code: isComment ? "COMMENT_FORBIDDEN" : "ELEMENT_FORBIDDEN",
    severity: "ERROR",
    ...range,
    message: "HTML is not available in Markdown. Write Markdown, a backslash before <, or the text in the format html.",
  };
}

const linkInLink = (range: SourceRange): HtmlFinding => ({
  code: "MALFORMED_HTML",
  severity: "ERROR",
  ...range,
  message: "A link cannot be inside another link.",
});

/** Cells beyond the columns of the head are not shown. */
function createRowCheck(report: ReportHtml): (token: Token, range: SourceRange) => void {
  let columns = 0;
  let cells = 0;
  return (token, range) => {
    if (token.type === "table") columns = token._align?.length ?? 0;
    else if (token.type === "tableRow") cells = 0;
    else if (token.type === "tableData") {
      cells += 1;
      if (cells !== columns + 1) return;
      const message = "The row has more cells than the table has columns; the rest would not be shown.";
      report({ code: "MALFORMED_HTML", severity: "ERROR", ...range, message });
    }
  };
}
