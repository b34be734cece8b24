import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import { Profile, type RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import { languageFor } from "#platform/language.ts";
import type { Agreement, AgreementDocument, JsonObject } from "../agreement/agreement.ts";
import { type AuditEvent, isChainIntact } from "../agreement/audit-chain.ts";
import { erasedValue } from "../agreement/audit-commitment.ts";
import type { Branded } from "../brands/brand.ts";
import { type SenderFacts, unknownSender } from "../organization-reader.ts";
import { type CertificateTexts, type Correction, englishTexts } from "./certificate-texts.ts";
import { arabicTexts, germanTexts } from "./certificate-translations.ts";
import {
  type Clock,
  clockIn,
  exact,
  type Fact,
  facts,
  fingerprint,
  isShownZone,
  type Markup,
  markup,
  nothing,
  numeralMark,
  type Piece,
  table,
} from "./markup.ts";
import { partyMarkup, partyTable } from "./party.ts";

export interface PrintedAgreement {
  readonly agreement: Agreement;
  /** All events of the agreement, oldest first. */
  readonly events: readonly AuditEvent[];
  readonly organizationName: string;
  readonly sender: SenderFacts;
  /** At the top; absent for nothing. */
  readonly branded?: Branded | undefined;
  readonly now: Date;
}

/**
 * Renders the certificate as a PDF. For a completed agreement the bytes are always the same until its trail
 * grows or its brand changes. Must not be called within a transaction. Rejects with SERVICE_UNAVAILABLE while no renderer is
 * available.
 */
export async function printCertificate(
  renderer: Pick<Client<typeof RendererService>, "renderHtml">,
  { agreement, events, organizationName, sender, branded, now }: PrintedAgreement,
  headers: Readonly<Record<string, string>>,
): Promise<Uint8Array> {
  const at = agreement.completedAt ?? now;
  const texts = certificateTexts(sender.locale);
  const footer = certificateFooter(agreement, texts);
  const html = certificateHtml(agreement, events, { organizationName, sender, at, texts });
  const request = {
    title: certificateTitle(agreement, texts),
    page: { margins: { top: 18, right: 20, bottom: 20, left: 20 }, header: "", footer },
    locale: texts.locale,
    profile: Profile.PDF_A_3A,
    createdAt: timestampFromDate(at),
  };
  const print = async (head: string) =>
    (await renderer.renderHtml({ ...request, html: head + html }, { headers, timeoutMs })).pdf;
  const head = brandHead(branded);
  try {
    return await print(head).catch((error: unknown) => {
      // Nobody's agreement waits for a picture that cannot be typeset.
      if (head !== "" && isRefused(error)) return print("");
      throw error;
    });
  } catch (error) {
    throw asOutage(error);
  }
}

const isRefused = (error: unknown): boolean => {
  const code = fromConnectError(error)?.code ?? "";
  return code.startsWith("GEN_") && code !== "GEN_BUSY";
};

/** Millimetres of the head; a picture of few pixels is not drawn larger than they are in print. */
const logoRoom = { width: 60, height: 18, perPixel: 25.4 / 96 };

/** The logo, or else the name of the sender; who asks stands below as well, whatever the brand says. */
function brandHead(branded: Branded | undefined): string {
  if (branded === undefined) return "";
  const { senderName, logo: image } = branded.brand;
  if (image === null || branded.logo === undefined) {
    return senderName === "" ? "" : markup`<p class="lead"><strong>${senderName}</strong></p>`.html;
  }
  const { contentType, width, height } = image;
  const scale = Math.min(logoRoom.perPixel, logoRoom.width / width, logoRoom.height / height);
  const data = Buffer.from(branded.logo).toString("base64");
  const shown = Math.max(1, width * scale).toFixed(1);
  return markup`<p><img src="data:${contentType};base64,${data}" alt="${senderName}" style="width: ${shown}mm"></p>`
    .html;
}

const languages = { en: englishTexts, de: germanTexts, ar: arabicTexts } as const;

/** In the language of the sender, as far as there is one; else in English. */
const certificateTexts = (locale: string): CertificateTexts =>
  languages[languageFor([locale], Object.keys(languages) as (keyof typeof languages)[]) ?? "en"];

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
  readonly sender?: SenderFacts;
  /** The time of rendering. */
  readonly at: Date;
  readonly texts?: CertificateTexts;
}

/** What every part of a certificate is written with. */
interface Context extends Required<CertificateOptions> {
  readonly events: readonly AuditEvent[];
  readonly clock: Clock;
}

/**
 * Who did what, when and on which documents, as restricted HTML: a certificate for a completed agreement, a
 * summary that says so before that. The events are all of the agreement, oldest first.
 */
export function certificateHtml(
  agreement: Agreement,
  auditEvents: readonly AuditEvent[],
  { texts = englishTexts, sender = unknownSender, ...options }: CertificateOptions,
): string {
  const context = { ...options, sender, texts, events: auditEvents, clock: clockIn(sender.timeZone, texts.locale) };
  const { html } = markup`${heading(agreement, texts)}
${agreementFacts(agreement, context)}
<h2>${texts.parties}</h2>
${parties(agreement, context)}
<h2>${texts.documents}</h2>
${documents(agreement, texts)}
${attachmentTable(auditEvents, texts)}
${correctionTable(context)}
<h2>${texts.trail}</h2>
${trail(agreement, context)}`;
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

function agreementFacts(
  agreement: Agreement,
  { organizationName, sender, at, texts, clock }: Omit<Context, "events">,
): Markup {
  const { labels } = texts;
  const { status, voidedAt, voidedReason } = agreement;
  const times = isShownZone(sender.timeZone) ? texts.zonedNote(sender.timeZone) : texts.timesNote;
  const pages = agreement.documents.reduce((sum, document) => sum + document.pages.length, 0);
  const rows: readonly Fact[] = [
    [
      labels.subject,
      agreement.emailSubject === "" ? texts.untitled : markup`<strong>${agreement.emailSubject}</strong>`,
    ],
    [labels.agreementId, exact(agreement.id)],
    [labels.organization, organizationName],
    [labels.sender, senderText(sender, organizationName, texts)],
    [labels.status, markup`<strong>${texts.statuses[status === "template" ? "created" : status]}</strong>`],
    [labels.reason, voidedReason],
    [labels.documents, texts.documentsSum(agreement.documents.length, pages)],
    [labels.created, clock(agreement.createdAt)],
    [labels.sent, clock(agreement.sentAt)],
    [labels.completed, clock(agreement.completedAt)],
    [labels.declined, clock(agreement.declinedAt)],
    [labels.ended, clock(voidedAt)],
    [labels.expires, status === "sent" || status === "delivered" ? clock(agreement.expiresAt) : undefined],
    [labels.asOf, status === "completed" ? undefined : clock(at)],
  ];
  return markup`${facts(rows)}<p class="small muted">${times}</p>`;
}

/** A person by name and address; a program by the name of its key or client; else the organization. */
function senderText({ name, email }: SenderFacts, organizationName: string, texts: CertificateTexts): string {
  if (name === "") return organizationName;
  return email === "" ? texts.byProgram(organizationName, name) : texts.hostedBy(name, email);
}

function parties({ recipients, documents }: Agreement, { events, texts, clock }: Context): Markup {
  if (recipients.length === 0) return markup`<p>${texts.noParties}</p>`;
  const context = { documents, events, texts, clock };
  // Many recipients get one line each: the renderer limits the size of a document.
  if (recipients.length > maxDescribedParties) return partyTable(recipients, context);
  return markup`${recipients.map((recipient) => partyMarkup(recipient, context))}<p class="small muted">${texts.sourcesNote}</p>`;
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

/** Events that follow each other and say the same: a draft that is saved while somebody writes is one line. */
function linesOf(events: readonly AuditEvent[]): AuditEvent[][] {
  const lines: AuditEvent[][] = [];
  for (const event of events) {
    const [last] = lines.at(-1) ?? [];
    const isSame =
      event.action === "agreement.modified" && last?.action === event.action && last.actor.id === event.actor.id;
    if (isSame) lines.at(-1)?.push(event);
    else lines.push([event]);
  }
  return lines;
}

function trail(agreement: Agreement, { events, texts, clock }: Context): Markup {
  const { labels } = texts;
  const lines = linesOf(events);
  const printed = lines.slice(0, maxPrintedEvents);
  const left = events.length - printed.flat().length;
  const columns = [
    { title: labels.number, width: 13 },
    { title: labels.time, width: 50 },
    { title: labels.event },
    { title: labels.by },
    { title: labels.ip, width: 27 },
  ];
  const rows = printed.map((line) => {
    const [first, last] = [line[0] as AuditEvent, line.at(-1) as AuditEvent];
    return [
      line.length === 1 ? first.sequence : `${numeralMark(texts.locale)}${first.sequence}–${last.sequence}`,
      line.length === 1
        ? (clock(first.occurredAt) ?? "")
        : markup`${clock(first.occurredAt) ?? ""} –<br>${clock(last.occurredAt) ?? ""}`,
      line.length === 1 ? texts.actions[first.action] : texts.repeated(texts.actions[first.action], line.length),
      actorMarkup(first, texts),
      markup`<span class="small">${first.actor.ip}</span>`,
    ];
  });
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

/** What was corrected after sending, and why; empty when nothing was. */
function correctionTable({ events, texts, clock }: Context): Markup {
  const corrections = events.filter(({ action }) => action === "agreement.corrected");
  if (corrections.length === 0) return nothing;
  const { labels } = texts;
  const columns = [{ title: labels.time, width: 50 }, { title: labels.event }, { title: labels.reason, width: 32 }];
  const rows = corrections.slice(0, maxPrinted).map(({ occurredAt, details }): readonly Piece[] => {
    const lines = correctionLines(details ?? {}, texts).slice(0, maxPrinted);
    return [
      clock(occurredAt) ?? "",
      markup`${lines.map((line, index) => (index === 0 ? markup`${line}` : markup`<br>${line}`))}`,
      typeof details?.reason === "string" ? details.reason : "",
    ];
  });
  return markup`<h2>${texts.corrections}</h2>
${table(columns, rows)}`;
}

/** A person as the trail names them, or what is left of the name once it was erased. */
const nameIn = ({ name, email, hostEmail }: JsonObject, texts: CertificateTexts): string =>
  texts.hostedBy(String(name ?? erasedValue), String(email || hostEmail || ""));

function correctionLines(details: JsonObject, { corrected, ...texts }: CertificateTexts): string[] {
  const listIn = (name: string): readonly JsonObject[] => (Array.isArray(details[name]) ? details[name] : []);
  const named = (of: JsonObject) => nameIn(of, { corrected, ...texts });
  const line = (text: string, values: Readonly<Record<string, string>>): string =>
    text.replaceAll(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  const about = (kind: Correction, list: string) =>
    listIn(list).map((of) => line(corrected[kind], { name: named(of) }));
  const changed: readonly unknown[] = Array.isArray(details.changed) ? details.changed : [];
  return [
    ...listIn("recipientsReplaced").map(({ former, by }) =>
      line(corrected.replaced, { former: named(former as JsonObject), name: named(by as JsonObject) }),
    ),
    ...about("added", "recipientsAdded"),
    ...about("removed", "recipientsRemoved"),
    ...about("changed", "recipientsChanged"),
    ...about("fields", "tabs"),
    ...(["emailSubject", "emailBlurb", "notification"] as const).flatMap((name) =>
      changed.includes(name) ? [corrected[name]] : [],
    ),
  ];
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
