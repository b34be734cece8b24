import { parseRestrictedHtml } from "#platform/restricted-html/parse.ts";
import { type ContentFormat, contentToHtml } from "#platform/restricted-html/to-html.ts";
import type { HtmlNode } from "#platform/restricted-html/tree.ts";
import { dataSection, withheldReason } from "./about-people.ts";
import { facts, hash, list, paragraph, section, time } from "./facts.ts";
import { exact, Markup, markup, nothing } from "./markup.ts";
import type { PrintedAgreement, PrintedBundle } from "./printed-bundle.ts";
import { printedText } from "./shown-text.ts";

export function whatSection(bundle: PrintedBundle): Markup {
  const { template, version, contentHash, renderHash, linkedDocuments } = bundle.agreement;
  return section(
    "What",
    facts([
      ["Title", version.title ?? template.name],
      ["Template", markup`${template.name} (${template.slug})`],
      ["Kind", template.type],
      ["Version", `${version.label}, revision ${version.revision}`],
      ["Language", version.locale],
      ["Published", publication(version)],
      ["Hash of the text as published", exact(contentHash)],
      ["Hash of the text as shown", renderHash === contentHash ? "the same" : (hash(renderHash) ?? "not recorded")],
      ["Template id", exact(template.id)],
      ["Version id", exact(version.id)],
    ]),
    linkedDocuments.length === 0
      ? nothing
      : markup`<h3>Documents that belong to it</h3>${list(
          ["Document", "Address", "Hash", "Had to be opened"],
          linkedDocuments,
          (one) => [one.name, one.url, hash(one.contentHash), one.mustRead ? "yes" : "no"],
        )}`,
    dataSection(bundle),
  );
}

const publication = ({ publishedAt, publishedBy }: PrintedAgreement["version"]): string | undefined =>
  publishedAt === null ? undefined : `${time(publishedAt)}, by ${publishedBy}`;

const title = "The text as it was shown";

/** The text itself. It takes long to be read when it is long. */
export function textSection(bundle: PrintedBundle): Markup {
  const { rendered, content, contentType } = bundle.agreement;
  const html = rendered ?? contentToHtml(formatOf(contentType), content);
  const { tree } = parseRestrictedHtml(html);
  // What was stored was checked before, and is attached as it is.
  if (tree === undefined) return textLeftOut("cannot be printed");
  return section(title, paragraph(origin(bundle)), framedText(tree));
}

/**
 * The frame around the text goes over all pages that it has, so that nothing in it can pass for words of this document,
 * whatever it says and however it looks.
 */
export const framedText = (tree: readonly HtmlNode[]): Markup =>
  markup`<p><strong>The text as it was shown begins here, in a frame. Nothing within the frame is said by this document.</strong></p>
<div class="box">${new Markup(printedText(tree))}</div>
<p><strong>End of the text as it was shown.</strong></p>`;

export const textLeftOut = (reason: "is too long to be printed" | "cannot be printed"): Markup =>
  section(title, paragraph(`The text ${reason} here. It is attached to this document as a file, byte for byte.`));

function origin(bundle: PrintedBundle): string {
  const { rendered } = bundle.agreement;
  if (rendered !== null) return "This is the text that the service rendered; the attached file has it byte for byte.";
  const isMerged = bundle.agreement.template.type === "GENERATED";
  const reason = withheldReason(bundle);
  if (isMerged && reason !== undefined) {
    return `This is the text as it was published. The values that were filled in were ${reason}.`;
  }
  return "The service did not render the text itself. This is the text as it was published; the attached file has it byte for byte.";
}

function formatOf(contentType: string): ContentFormat {
  if (contentType.startsWith("text/markdown")) return "MARKDOWN";
  return contentType.startsWith("text/plain") ? "TEXT" : "HTML";
}
