import type { Agreement, AgreementDocument } from "../domain/agreement.ts";
import { type AuditEvent, isChainIntact } from "../domain/audit-chain.ts";
import { attachmentTable } from "./attachment-table.ts";
import { type CertificateTexts, englishTexts } from "./certificate-texts.ts";
import { exact, type Fact, facts, fingerprint, type Markup, markup, nothing, type Piece, table } from "./markup.ts";
import { partyMarkup, partyTable } from "./party.ts";
import { time } from "./time.ts";

export interface CertificateOptions {
  readonly organizationName: string;
  /** When it is made. */
  readonly at: Date;
  readonly texts?: CertificateTexts;
}

/**
 * Who did what, and when, on which documents, as restricted HTML: a certificate once the agreement is completed, before
 * that a summary that says so. The events are all of the agreement, oldest first.
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

/** What stands at the bottom of each page. */
export const certificateFooter = ({ id }: Pick<Agreement, "id">, texts = englishTexts): string =>
  texts.footer.replace("{id}", id);

export const certificateTitle = ({ status }: Pick<Agreement, "status">, texts = englishTexts): string =>
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

/** The name of the sender is that of the organization unless somebody has said another. */
function senderText({ id, name, email }: Agreement["sender"], organizationName: string): Piece {
  const who = name === "" || name === organizationName ? id : `${name} (${id})`;
  return email === "" ? who : `${who}, ${email}`;
}

function parties(agreement: Agreement, events: readonly AuditEvent[], texts: CertificateTexts): Markup {
  if (agreement.recipients.length === 0) return markup`<p>${texts.noParties}</p>`;
  const { recipients } = agreement;
  // Of very many each gets a line: the renderer has no room for more.
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

/** More are not for people to read. */
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
