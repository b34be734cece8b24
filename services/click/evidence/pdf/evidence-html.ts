import { consentSection, decisionWords, howSection, sinceSection } from "./about-decision.ts";
import { authoritySection, whereSection, whoSection, withheldReason } from "./about-people.ts";
import { proofSection, statementSection, verifySection } from "./about-proof.ts";
import { textLeftOut, textSection, whatSection } from "./about-text.ts";
import { type StampedTime, whenSection } from "./about-time.ts";
import { facts, time, words } from "./facts.ts";
import { exact, type Markup, markup, nothing } from "./markup.ts";
import type { PrintedBundle } from "./printed-bundle.ts";

export interface EvidenceHtmlJob extends StampedTime {
  /** The bundle as it is handed over. */
  readonly bundleJson: string;
  /** The public address of the installation. */
  readonly issuer: string;
  /** False when the text has turned out not to be printable. */
  readonly withText: boolean;
}

/**
 * The evidence of a session for people, as HTML to be typeset. Says what the bundle says and nothing else. The same job
 * gives the same HTML. Takes about as long as the text takes to be parsed: half a second for 1 MiB.
 */
export function evidenceHtml({ bundleJson, issuer, withText, stampedAt }: EvidenceHtmlJob): string {
  const bundle = JSON.parse(bundleJson) as PrintedBundle;
  return [
    opening(bundle),
    notice(bundle),
    whoSection(bundle),
    whatSection(bundle),
    whenSection(bundle, { stampedAt }),
    howSection(bundle),
    whereSection(bundle),
    authoritySection(bundle, issuer),
    consentSection(bundle),
    sinceSection(bundle),
    statementSection(bundle),
    textPart(bundle, withText),
    proofSection(bundle),
    verifySection(bundle, issuer),
  ]
    .map(({ html }) => html)
    .join("\n");
}

/** Characters; a page has some three thousand, and a document may have two hundred pages. */
const maxPrintedCharacters = 400_000;

function textPart(bundle: PrintedBundle, withText: boolean): Markup {
  const { rendered, content } = bundle.agreement;
  if (!withText) return textLeftOut("cannot be printed");
  return (rendered ?? content).length > maxPrintedCharacters
    ? textLeftOut("is too long to be printed")
    : textSection(bundle);
}

function opening(bundle: PrintedBundle): Markup {
  const { receipts, agreement, session, sessionId } = bundle;
  const last = receipts.at(-1);
  const title = agreement.version.title ?? agreement.template.name;
  const decided = last === undefined ? words(session.status) : decisionWords[last.decision];
  return markup`<h1>Evidence: ${title}</h1>
<p class="lead">This document shows what was recorded of one session: which text was shown, what was decided, when, and by whom as far as that is known. It is made from a signed file, bundle.json, which is attached to it and can be verified without trusting whoever made this document.</p>
${facts([
  ["Text", `${title}, version ${agreement.version.label} (revision ${agreement.version.revision})`],
  ["Decision", decided],
  ["At", time(last?.acceptedAt)],
  ["Person", bundle.subject.userRef ?? withheldReason(bundle) ?? "not known"],
  ["Receipt", last === undefined ? undefined : exact(last.receiptId)],
  ["Session", exact(sessionId)],
])}`;
}

function notice({ disclosed, subject }: PrintedBundle): Markup {
  if (subject.erased) {
    return markup`<div class="box"><p><strong>Personal data was erased.</strong> What was personal in this record was deleted together with the keys that it was sealed with. What is not personal, and all proofs, remain.</p></div>`;
  }
  if (!disclosed) {
    return markup`<div class="box"><p><strong>Personal data was left out.</strong> Whoever asked for this document asked for it without what is personal. The proofs hold all the same.</p></div>`;
  }
  if (subject.restricted && subject.userRef === null) {
    return markup`<div class="box"><p><strong>Personal data is restricted.</strong> It is kept only because it must be (GDPR art. 18); administrators may open it and have to say why.</p></div>`;
  }
  return nothing;
}
