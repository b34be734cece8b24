import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import { Profile, type RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import type { Agreement, AgreementDocument } from "../agreement/agreement.ts";
import { type AuditEvent, isChainIntact } from "../agreement/audit-chain.ts";
import { erasedValue } from "../agreement/audit-commitment.ts";
import { type CertificateTexts, englishTexts } from "./certificate-texts.ts";
import {
  exact,
  type Fact,
  facts,
  fingerprint,
  type Markup,
  markup,
  nothing,
  type Piece,
  table,
  time,
} from "./markup.ts";
import { partyMarkup, partyTable } from "./party.ts";

export interface PrintedAgreement {
  readonly agreement: Agreement;
  /** All events of the agreement, oldest first. */
  readonly events: readonly AuditEvent[];
  readonly organizationName: string;
  readonly now: Date;
}

/**
 * Renders the certificate as a PDF. For a completed agreement the bytes are always the same until its trail
 * grows. Must not be called within a transaction. Rejects with SERVICE_UNAVAILABLE while no renderer is
 * available.
 */
export async function printCertificate(
  renderer: Client<typeof RendererService>,
  { agreement, events, organizationName, now }: PrintedAgreement,
  headers: Readonly<Record<string, string>>,
): Promise<Uint8Array> {
  const at = agreement.completedAt ?? now;
  const request = {
    title: certificateTitle(agreement),
    html: certificateHtml(agreement, events, { organizationName, at }),
    page: { margins: { top: 20, right: 20, bottom: 22, left: 20 }, header: "", footer: certificateFooter(agreement) },
    locale: englishTexts.locale,
    profile: Profile.PDF_A_3A,
    createdAt: timestampFromDate(at),
  };
  try {
    return (await renderer.renderHtml(request, { headers, timeoutMs })).pdf;
  } catch (error) {
    throw asOutage(error);
  }
}

/** Shorter than the gateway's deadline. */
const timeoutMs = 15_000;

/** Translates a renderer outage into this service's error code. */
function asOutage(error: unknown): unknown {
  const code = fromConnectError(error)?.code;
  if (code === "GEN_BUSY") {
    return new DomainError("SERVICE_UNAVAILABLE", { metadata: { retryAfterSeconds: "5" }, cause: error });
  }
  // Invalid HTML is our own bug, so the caller gets an internal error instead of the renderer's code.
  return code?.startsWith("GEN_") === true ? new Error("a certificate could not be typeset", { cause: error }) : error;
}

interface CertificateOptions {
  readonly organizationName: string;
  /** The time of rendering. */
  readonly at: Date;
  readonly texts?: CertificateTexts;
}

/**
 * Who did what, when and on which documents, as restricted HTML: a certificate for a completed agreement, a
 * summary that says so before that. The events are all of the agreement, oldest first.
 */
export function certificateHtml(
  agreement: Agreement,
  auditEvents: readonly AuditEvent[],
  { organizationName, at, texts = englishTexts }: CertificateOptions,
): string {
  const { html } = markup`${heading(agreement, texts)}
${agreementFacts(agreement, organizationName, at, texts)}
<h2>${texts.parties}</h2>
${parties(agreement, auditEvents, texts)}
<h2>${texts.documents}</h2>
${documents(agreement, texts)}
${attachmentTable(auditEvents, texts)}
<h2>${texts.trail}</h2>
${trail(agreement, auditEvents, texts)}`;
  return html;
}

/** The footer of each page. */
export const certificateFooter = ({ id }: Pick<Agreement, "id">, texts = englishTexts): string =>
  texts.footer.replace("{id}", id);

const certificateTitle = ({ status }: Pick<Agreement, "status">, texts = englishTexts): string =>
  status === "completed" ? texts.completedTitle : texts.summaryTitle;

function heading({ status }: Agreement, texts: CertificateTexts): Markup {
  if (status === "completed") return markup`<h1>${texts.completedTitle}</h1><p class="lead">${texts.completedLead}</p>`;
  const note = texts.summaryNotes[status === "template" ? "created" : status];
  return markup`<h1>${texts.summaryTitle}</h1><div class="box"><p><strong>${note}</strong></p></div>`;
}

function agreementFacts(agreement: Agreement, organizationName: string, at: Date, texts: CertificateTexts): Markup {
  const { labels } = texts;
  const { status, sender, voidedAt, voidedReason } = agreement;
  const pages = agreement.documents.reduce((sum, document) => sum + document.pages.length, 0);
  const rows: readonly Fact[] = [
    [
      labels.subject,
      agreement.emailSubject === "" ? texts.untitled : markup`<strong>${agreement.emailSubject}</strong>`,
    ],
    [labels.agreementId, exact(agreement.id)],
    [labels.organization, organizationName],
    [labels.sender, senderText(sender, organizationName)],
    [labels.status, markup`<strong>${texts.statuses[status === "template" ? "created" : status]}</strong>`],
    [labels.reason, voidedReason],
    [labels.documents, texts.documentsSum(agreement.documents.length, pages)],
    [labels.created, time(agreement.createdAt)],
    [labels.sent, time(agreement.sentAt)],
    [labels.completed, time(agreement.completedAt)],
    [labels.declined, time(agreement.declinedAt)],
    [labels.ended, time(voidedAt)],
    [labels.expires, status === "sent" || status === "delivered" ? time(agreement.expiresAt) : undefined],
    [labels.asOf, status === "completed" ? undefined : time(at)],
  ];
  return markup`${facts(rows)}<p class="small muted">${texts.timesNote}</p>`;
}

/** The sender's name, or that of the organization when the request names no sender. */
function senderText({ id, name, email }: Agreement["sender"], organizationName: string): Piece {
  const who = name === "" || name === organizationName ? id : `${name} (${id})`;
  return email === "" ? who : `${who}, ${email}`;
}

function parties(agreement: Agreement, events: readonly AuditEvent[], texts: CertificateTexts): Markup {
  if (agreement.recipients.length === 0) return markup`<p>${texts.noParties}</p>`;
  const { recipients } = agreement;
  // Many recipients get one line each: the renderer limits the size of a document.
  if (recipients.length > maxDescribedParties) return partyTable(recipients, events, texts);
  return markup`${recipients.map((recipient) => partyMarkup(recipient, events, texts))}<p class="small muted">${texts.sourcesNote}</p>`;
}

const maxDescribedParties = 50;

function documents({ documents: all }: Agreement, texts: CertificateTexts): Markup {
  if (all.length === 0) return markup`<p>${texts.noDocuments}</p>`;
  const { labels } = texts;
  const columns = [{ title: labels.number, width: 12 }, { title: labels.name }, { title: labels.pages, width: 18 }];
  const hashes = { title: labels.sha256, width: 76 };
  return table(
    [...columns, hashes],
    all.map((document, index) => [index + 1, document.name, document.pages.length, documentHashes(document, texts)]),
  );
}

function documentHashes(document: AgreementDocument, { labels }: CertificateTexts): Markup {
  const { sha256, sentSha256, sealedSha256 } = document;
  const more = (label: string, hash: Buffer | null) =>
    hash === null
      ? nothing
      : markup`<br><span class="muted small">${label}:</span><br>${fingerprint(hash.toString("hex"))}`;
  const sent = sentSha256?.equals(sha256) === true ? null : sentSha256;
  return markup`${fingerprint(sha256.toString("hex"))}${more(labels.sentSha256, sent)}${more(labels.sealedSha256, sealedSha256)}`;
}

/** Nobody reads more than that on paper. */
const maxPrintedEvents = 300;

function trail(agreement: Agreement, events: readonly AuditEvent[], texts: CertificateTexts): Markup {
  const { labels } = texts;
  const printed = events.slice(0, maxPrintedEvents);
  const left = events.length - printed.length;
  const columns = [
    { title: labels.number, width: 12 },
    { title: labels.time, width: 46 },
    { title: labels.event },
    { title: labels.by },
    { title: labels.ip, width: 31 },
  ];
  const rows = printed.map((event) => [
    event.sequence,
    time(event.occurredAt) ?? "",
    texts.actions[event.action],
    actorMarkup(event, texts),
    markup`<span class="small">${event.actor.ip}</span>`,
  ]);
  const { count, hash } = agreement.audit;
  const isIntact = isChainIntact(agreement.id, events, agreement.audit);
  return markup`${table(columns, rows)}
${left === 0 ? nothing : markup`<p class="small">${texts.omitted(left)}</p>`}
<p class="small">${isIntact ? texts.trailNote(count) : markup`<strong>${texts.brokenTrailNote}</strong>`}</p>
${facts([
  [labels.chainCount, count],
  [labels.chainHead, markup`<span class="small">${exact(hash.toString("hex"))}</span>`],
])}`;
}

function actorMarkup({ actor }: AuditEvent, { sources }: CertificateTexts): Markup {
  const who = actor.name === "" ? sources[actor.source] : actor.name;
  return actor.email === "" ? markup`${who}` : markup`${who}<br><span class="small muted">${actor.email}</span>`;
}

/** Nobody reads more than that on paper. */
const maxPrinted = 200;

/** The files that recipients attached, according to the trail; empty when there are none. */
function attachmentTable(events: readonly AuditEvent[], texts: CertificateTexts): Markup {
  const attached = events.filter(({ action }) => action === "recipient.attached");
  if (attached.length === 0) return nothing;
  const { labels } = texts;
  const columns = [
    { title: labels.number, width: 12 },
    { title: labels.name },
    { title: labels.by, width: 38 },
    { title: labels.sha256, width: 76 },
  ];
  const left = attached.length - maxPrinted;
  return markup`<h2>${texts.attachments}</h2>
${table(
  columns,
  attached.slice(0, maxPrinted).map((event, index) => rowOf(event, index + 1, texts)),
)}
${left <= 0 ? nothing : markup`<p class="small">${texts.omittedAttachments(left)}</p>`}`;
}

function rowOf({ actor, details }: AuditEvent, number: number, texts: CertificateTexts): readonly Piece[] {
  const { fileName, contentType, bytes, sha256 } = details ?? {};
  const kind = texts.fileKind(String(contentType), Number(bytes));
  return [
    number,
    markup`${String(fileName ?? erasedValue)}<br><span class="small muted">${kind}</span>`,
    actor.name === "" ? actor.email : actor.name,
    fingerprint(String(sha256)),
  ];
}
