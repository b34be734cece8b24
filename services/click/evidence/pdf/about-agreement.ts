import { parseRestrictedHtml } from "#platform/restricted-html/parse.ts";
import { type ContentFormat, contentToHtml } from "#platform/restricted-html/read-content.ts";
import type { HtmlNode } from "#platform/restricted-html/tree.ts";
import {
  anyValue,
  exact,
  type Fact,
  facts,
  hash,
  list,
  Markup,
  markup,
  nothing,
  paragraph,
  section,
  shortened,
  time,
  words,
  yesNo,
} from "./markup.ts";
import type { PrintedAgreement, PrintedBundle, PrintedContext } from "./printed-bundle.ts";
import { printedText } from "./shown-text.ts";

export function whatSection(bundle: PrintedBundle): Markup {
  const { template, version, contentHash, renderHash, linkedDocuments, pdf } = bundle.agreement;
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
      ["Hash of the document that was shown (PDF)", hash(pdf?.hash)],
      ["Pages of it", pdf === undefined ? undefined : String(pdf.pages)],
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

/** The text itself. Parsing a long text takes a while. */
export function textSection(bundle: PrintedBundle): Markup {
  const { rendered, content, contentType } = bundle.agreement;
  const tree = agreementTree({ rendered, content, format: formatOf(contentType) });
  // The text was checked when it was stored; it is attached unchanged.
  if (tree === undefined) return textLeftOut("cannot be printed");
  return section(title, paragraph(origin(bundle)), framedText(tree));
}

/** A text as it was published and, if the service rendered it, as it was shown. */
export interface AgreementText {
  readonly rendered: string | null;
  readonly content: string;
  readonly format: ContentFormat;
}

/** Undefined when it cannot be printed. */
export const agreementTree = ({ rendered, content, format }: AgreementText): readonly HtmlNode[] | undefined =>
  parseRestrictedHtml(rendered ?? contentToHtml(format, content)).tree;

/**
 * The frame runs along all pages of the text, so that nothing in it can pass for this document's own words,
 * whatever it says and however it looks.
 */
export const framedText = (tree: readonly HtmlNode[]): Markup =>
  markup`<p><strong>The text as it was shown begins here, in a frame. Nothing within the frame is said by this document.</strong></p>
<div class="box">${new Markup(printedText(tree))}</div>
<p><strong>End of the text as it was shown.</strong></p>`;

export const textLeftOut = (reason: "is too long to be printed" | "cannot be printed"): Markup =>
  section(title, paragraph(`The text ${reason} here. It is attached to this document as a file, byte for byte.`));

function origin(bundle: PrintedBundle): string {
  const { rendered, pdf } = bundle.agreement;
  if (pdf !== undefined) {
    return "This is what the document says that was shown, page by page; the document itself is attached as document.pdf, byte for byte.";
  }
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
  if (contentType.startsWith("application/vnd.assent.pdf-text")) return "PDF";
  return contentType.startsWith("text/plain") ? "TEXT" : "HTML";
}

/** Why personal data is missing; undefined when it may be shown. */
export function withheldReason({ disclosed, subject }: PrintedBundle): string | undefined {
  if (subject.erased) return "erased";
  if (!disclosed) return "left out on request";
  return subject.restricted && subject.userRef === null ? "restricted (GDPR art. 18)" : undefined;
}

export function whoSection(bundle: PrintedBundle): Markup {
  const { subject, receipts, context } = bundle;
  const reason = withheldReason(bundle);
  const last = receipts.at(-1);
  const assertedBy = bundle.statement.assertedBy;
  return section(
    "Who",
    facts([
      ["Person", subject.userRef === null ? (reason ?? "not known") : subject.userRef],
      ["Name as it was typed", subject.typedName ?? undefined],
      ["Verified by", reason !== undefined && subject.verification.length === 0 ? reason : undefined],
      ["Who says that this person acted", assertedBy === null ? undefined : (asserters[assertedBy] ?? assertedBy)],
      ["Key of the request", last?.idempotencyKey === undefined ? undefined : hash(last.idempotencyKey)],
      ...extras(context.metadata),
    ]),
    subject.verification.length === 0
      ? nothing
      : list(["Way of verification", ["When", 50], ["Reference", 60]], subject.verification, (one) => [
          words(one.method),
          time(one.verifiedAt),
          one.reference,
        ]),
  );
}

const asserters: Readonly<Record<string, string>> = {
  BACKEND: "the server of the organization, which sent the decision (BACKEND)",
  WIDGET: "the page that the service showed, which sent the decision (WIDGET)",
};

const extras = (metadata: Readonly<Record<string, string>>): Fact[] =>
  Object.entries(metadata).map(([key, value]) => [`Note of the sender: ${key}`, value]);

export function whereSection(bundle: PrintedBundle): Markup {
  const { claimed, observed, session } = bundle.context;
  const reason = withheldReason(bundle);
  if (claimed === null && observed === null && session === null) {
    return section("From where", paragraph(reason === undefined ? "Nothing was recorded." : `This was ${reason}.`));
  }
  return section(
    "From where",
    side("The end user’s side, as the sender of the decision tells it", claimed),
    side("The end user’s side, as it was told when the session was created", session),
    side("The sender of the decision, as the service saw it", observed),
  );
}

function side(title: string, context: PrintedContext | null): Markup {
  if (context === null) return nothing;
  const table = facts([
    ["IP address", context.ip ?? undefined],
    ["Browser or program, by its own account", shortened(context.userAgent)],
    ["Page", context.pageUrl],
    ["Title of the page", context.pageTitle],
    ["Came from", context.referrer],
    ["Languages", context.acceptLanguage],
    ["Time zone", context.timezone],
    ["Global Privacy Control", yesNo(context.gpc)],
    ["API client", hash(context.clientId)],
    ["Request", hash(context.requestId)],
  ]);
  return table === nothing ? nothing : markup`<h3>${title}</h3>${table}`;
}

export function authoritySection({ organizationId, agreement, integrity }: PrintedBundle, issuer: string): Markup {
  const parts = Object.values(agreement.template.counterparty ?? {}).filter((part) => part !== null && part !== "");
  return section(
    "On whose behalf",
    facts([
      ["Party to the agreement", parts.length === 0 ? undefined : parts.join(", ")],
      ["Organization", exact(organizationId)],
      ["Recorded by (issuer)", exact(issuer)],
      ["Log", hash(integrity.log?.origin)],
    ]),
  );
}

/** The values filled in for this person. */
function dataSection({ agreement }: PrintedBundle): Markup {
  const entries = Object.entries(agreement.data ?? {});
  return entries.length === 0
    ? nothing
    : markup`<h3>Values that were filled in</h3>${facts(entries.map(([key, value]) => [key, anyValue(value)]))}`;
}
