import { parseCheckpoint } from "#platform/transparency/checkpoint.ts";
import {
  authoritySection,
  textLeftOut,
  textSection,
  whatSection,
  whereSection,
  whoSection,
  withheldReason,
} from "./about-agreement.ts";
import { consentSection, decisionWords, howSection, sinceSection } from "./about-decision.ts";
import {
  bullets,
  exact,
  facts,
  hash,
  knownFrom,
  list,
  type Markup,
  markup,
  nothing,
  paragraph,
  section,
  time,
  words,
} from "./markup.ts";
import type { PrintedBundle } from "./printed-bundle.ts";

export interface EvidenceHtmlJob extends StampedTime {
  /** The bundle as delivered. */
  readonly bundleJson: string;
  /** The installation's public address. */
  readonly issuer: string;
  /** False when the text cannot be printed. */
  readonly withText: boolean;
}

/**
 * A session's evidence for people, as HTML for rendering. Says exactly what the bundle says. The same job gives
 * the same HTML. Takes about as long as parsing the text: half a second for 1 MiB.
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

/** Characters; a page has about three thousand, and a document at most two hundred pages. */
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

/** A bundle with the time confirmed by its timestamp, which has to be decoded first. */
interface StampedTime {
  /** RFC 3339; null without a timestamp. */
  readonly stampedAt: string | null;
}

function whenSection(bundle: PrintedBundle, { stampedAt }: StampedTime): Markup {
  const { session, receipts, presentation } = bundle;
  const last = receipts.at(-1);
  const isSession = session.origin === "API";
  return section(
    "When",
    facts([
      ["Decision, by the clock of the service", time(last?.acceptedAt)],
      ["Decision, by the clock of the sender", time(last?.clientAcceptedAt)],
      ["Session created", isSession ? time(session.createdAt) : undefined],
      ["Text rendered", time(session.presentedAt ?? presentation.renderedAt)],
      ["Session completed", isSession ? time(session.completedAt) : undefined],
      ["Session expires", isSession && session.completedAt === null ? time(session.expiresAt) : undefined],
      ["Valid until", time(last?.expiresAt)],
      ["To be accepted again by", time(last?.reacceptBy)],
      ["In the log", inLog(bundle)],
      ["Time stamp of an outside authority", stampOf(bundle, stampedAt)],
      ["This document was made", time(bundle.generatedAt)],
    ]),
    timelinePart(bundle),
  );
}

function inLog({ integrity }: PrintedBundle): string | undefined {
  const { log } = integrity;
  if (log === null) return "no record of the session is in the log";
  if (log.treeSize === undefined) return `to be covered by a checkpoint by ${time(log.integrateBy)}`;
  return `record ${log.leafIndex} of the ${log.treeSize} that a signed checkpoint covers`;
}

function stampOf({ integrity }: PrintedBundle, stampedAt: string | null): string | undefined {
  const { anchor } = integrity;
  if (anchor === null) return undefined;
  if (stampedAt !== null) return `${time(stampedAt)}, by ${anchor.tsaName ?? "an authority without a name"}`;
  return anchor.status === "PENDING" ? "still to come" : "none";
}

function timelinePart({ timeline }: PrintedBundle): Markup {
  if (timeline.length === 0) return nothing;
  return markup`<h3>What happened, in the order in which the service learned of it</h3>
${list(
  [["Learned at (UTC)", 40], ["Happened at (UTC)", 40], ["What", 36], ["By", 19], ["Known from", 20], "Detail"],
  timeline,
  (entry) => [
    clock(entry.serverAt),
    entry.at === entry.serverAt ? "then" : clock(entry.at),
    words(entry.type),
    words(entry.actor),
    knownFrom(entry.source),
    entry.detail,
  ],
)}`;
}

/** UTC; the column's title says so. */
const clock = (value: string | null): string | undefined => time(value)?.replace(/ UTC$/, "");

function statementSection({ statement }: PrintedBundle): Markup {
  return section(
    "What this proves, and what it does not",
    statement.proves.length === 0 ? nothing : markup`<h3>Proven</h3>${bullets(statement.proves)}`,
    statement.limitations.length === 0 ? nothing : markup`<h3>Not proven</h3>${bullets(statement.limitations)}`,
    markup`<h3>How the record was made</h3><p>${statement.process}</p>`,
  );
}

function proofSection({ receipts, integrity, bundleId, bundleSignature }: PrintedBundle): Markup {
  const { log, anchor } = integrity;
  const checkpoint = checkpointOf(log?.checkpoint);
  const anchored = checkpointOf(anchor?.checkpoint);
  const last = receipts.at(-1);
  return section(
    "The proof",
    facts([
      ["Receipt", hash(last?.receiptId)],
      ["Receipt signed with the key", hash(last?.signature.kid)],
      ["Hash of the record (leaf)", hash(integrity.leafHash)],
      ["Log", hash(log?.origin)],
      ["Index in the log", log === null ? undefined : String(log.leafIndex)],
      ["Size of the log", log?.treeSize === undefined ? undefined : String(log.treeSize)],
      ["Root hash", hash(checkpoint?.root.toString("base64"))],
      [
        "Anchor log: index and size",
        anchor?.treeSize === undefined ? undefined : `${anchor.anchorIndex}, ${anchor.treeSize}`,
      ],
      ["Anchor log: root hash", hash(anchored?.root.toString("base64"))],
      ["Time-stamping authority", anchor?.tsaName ?? undefined],
      ["Bundle", exact(bundleId)],
      ["Bundle signed with the key", exact(bundleSignature.kid)],
    ]),
    log?.checkpoint === undefined ? nothing : markup`<h3>Signed checkpoint of the log</h3>${note(log.checkpoint)}`,
    anchor?.checkpoint === undefined
      ? nothing
      : markup`<h3>Signed checkpoint of the anchor log</h3>${note(anchor.checkpoint)}`,
    integrity.records.length < 2
      ? nothing
      : markup`<h3>All records of the session</h3>${list(
          [["Index", 12], "Kind", ["Hash of the record", 114]],
          integrity.records,
          (record) => [record.log === null ? null : String(record.log.leafIndex), record.kind, hash(record.leafHash)],
        )}`,
  );
}

const checkpointOf = (signedNote: string | undefined) =>
  signedNote === undefined ? undefined : parseCheckpoint(signedNote.slice(0, signedNote.indexOf("\n\n") + 1));

/** The text as it is, line by line. */
const note = (text: string): Markup =>
  markup`<p class="small">${text
    .trimEnd()
    .split("\n")
    .map((line, index) => markup`${index === 0 ? nothing : markup`<br>`}${line === "" ? "" : exact(line)}`)}</p>`;

function verifySection({ organizationId }: PrintedBundle, issuer: string): Markup {
  const commands = [
    "pdfdetach -save 1 evidence.pdf",
    `curl -s ${issuer}/verify/verify-bundle.mjs > verify-bundle.mjs`,
    `curl -s "${issuer}/.well-known/click-keys.json?log=${organizationId}" > keys.json`,
    "node verify-bundle.mjs bundle.json --keys keys.json",
  ];
  return section(
    "How to verify it",
    paragraph(
      "Save the attached file bundle.json: any reader of PDF shows the attachments, and the first line below does it too. Then have it checked, offline, by the verifier, a single readable file. Fetch the keys from the issuer yourself, best long before you need them, and not from whoever gave you this document.",
    ),
    markup`<pre>\n${commands.map((line) => `${line}\n`).join("")}</pre>`,
    markup`<p>The page ${exact(`${issuer}/verify`)} runs the same verifier in a browser; nothing is uploaded. Exit code 0, or “nothing failed”, means that everything in the file is as it was signed. This document is for reading: what is verified is the attached file, so compare what stands here with what the verifier says.</p>`,
  );
}
