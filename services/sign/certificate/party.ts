import { type AdoptedSignature, type AgreementDocument, isDrawn, type Recipient } from "../agreement/agreement.ts";
import type { AuditEvent } from "../agreement/audit-chain.ts";
import type { AuditAction } from "../agreement/change.ts";
import { firstCharacters, lengthOf } from "../agreement/problems.ts";
import { assuranceOf } from "../identity/messages.ts";
import type { CertificateTexts } from "./certificate-texts.ts";
import { type Clock, facts, fineprint, type Markup, markup, type Piece, table } from "./markup.ts";

/** What the sections about people are made from. */
export interface PartyContext {
  readonly documents: readonly Pick<AgreementDocument, "name" | "pages">[];
  readonly events: readonly AuditEvent[];
  readonly texts: CertificateTexts;
  readonly clock: Clock;
}

/** The certificate's section about one recipient. */
export function partyMarkup(recipient: Recipient, context: PartyContext): Markup {
  const { events, texts, clock } = context;
  const { labels, roles, recipientStatuses } = texts;
  const acted = lastOf(events, recipient);
  const rows = facts([
    [labels.email, recipient.email],
    [labels.role, `${roles[recipient.role]} · ${recipientStatuses[recipient.status]}`],
    [labels.identity, acted === undefined ? undefined : identityOf(recipient, events, texts)],
    [labels.checks, checksMarkup(recipient, context)],
    [labels.assurance, assuranceMarkup(recipient, texts)],
    [labels.asked, clock(recipient.sentAt)],
    [labels.consent, mustConsent(recipient) ? consentMarkup(recipient, context) : undefined],
    [labels.shown, shownMarkup(recipient, context)],
    [labels.signature, methods(recipient, texts)],
    [labels.finished, clock(recipient.completedAt)],
    [labels.declined, clock(recipient.declinedAt)],
    [labels.declineReason, recipient.declineReason],
    [labels.ip, acted?.actor.ip],
    [
      labels.browser,
      acted === undefined ? undefined : markup`<span class="small">${shortened(acted.actor.userAgent)}</span>`,
    ],
    [labels.recipientId, fineprint(recipient.id)],
  ]);
  const name = recipient.name === "" ? roles[recipient.role] : recipient.name;
  return markup`<div class="no-break"><h3>${name}</h3>${rows}</div>`;
}

/** What this service has checked itself, when, and how often it failed; what others claim stands elsewhere. */
function checksMarkup({ verification }: Recipient, { texts, clock }: PartyContext): Markup | undefined {
  if (!verification?.length) return undefined;
  const lines = verification.map(({ method, passedAt, failed }): Piece => {
    const at = passedAt === null ? undefined : clock(new Date(passedAt));
    const failures = failed === 0 ? "" : ` ${texts.failedTimes(failed)}`;
    return markup`${texts.checks[method]}: ${at ?? texts.notPassed}${failures}<br>`;
  });
  return markup`${lines}`;
}

function assuranceMarkup(recipient: Recipient, { levels }: CertificateTexts): string | undefined {
  const level = assuranceOf(recipient);
  return level === undefined ? undefined : levels[level];
}

/** What was checked of who the person is: nothing that nobody has checked. */
function identityOf(recipient: Recipient, events: readonly AuditEvent[], texts: CertificateTexts): Piece {
  const { role, email, hostName, hostEmail } = recipient;
  const made = linkMadeFor(recipient, events);
  const method = made?.details?.authenticationMethod;
  const way =
    typeof method === "string"
      ? texts.embeddedBy(method)
      : made === undefined && recipient.clientUserId === ""
        ? texts.byMail(role === "in-person-signer" ? hostEmail : email)
        : texts.embedded;
  return hostName === "" ? way : markup`${texts.labels.host} ${texts.hostedBy(hostName, hostEmail)}<br>${way}`;
}

/** The latest link that the sender's application has asked for. */
const linkMadeFor = ({ id }: Recipient, events: readonly AuditEvent[]): AuditEvent | undefined =>
  events.findLast(({ action, details }) => action === "recipient.link-made" && details?.recipientGuid === id);

const maxShownDocuments = 5;

/** Which documents the service has sent to the person's browser, and when first. */
function shownMarkup({ deliveredAt }: Recipient, { documents, texts, clock }: PartyContext): Markup | undefined {
  const at = clock(deliveredAt);
  if (at === undefined) return undefined;
  const names = documents
    .slice(0, maxShownDocuments)
    .map(({ name, pages }) => `${name} (${texts.pagesOf(pages.length)})`);
  const more = documents.length - maxShownDocuments;
  return markup`${names.join(", ")}${more > 0 ? `, + ${more}` : ""}<br>${at}`;
}

/** The consent events, by recipient. */
const consentsIn = (events: readonly AuditEvent[]): ReadonlyMap<string, AuditEvent> =>
  new Map(events.filter(({ action }) => action === "recipient.consented").map((event) => [event.actor.id, event]));

/** When the recipient consented, and to which text. */
function consentMarkup(
  { id, consentedAt }: Recipient,
  { events, texts, clock }: Pick<PartyContext, "events" | "texts" | "clock">,
): Piece {
  const at = clock(consentedAt);
  if (at === undefined) return texts.notGiven;
  const { textSha256, locale } = consentsIn(events).get(id)?.details ?? {};
  if (typeof textSha256 !== "string" || typeof locale !== "string") return at;
  return markup`${at}<br><span class="small muted">${texts.consented(locale)}</span><br>${fineprint(textSha256)}`;
}

/** A user agent can have any length; the first two lines are enough to recognize it. */
const shortened = (userAgent: string): string =>
  lengthOf(userAgent) <= maxPrinted ? userAgent : `${firstCharacters(userAgent, maxPrinted)} …`;

const maxPrinted = 120;

/** The short table for agreements with many recipients. */
export function partyTable(recipients: readonly Recipient[], { events, texts, clock }: PartyContext): Markup {
  const { labels, roles, recipientStatuses } = texts;
  // Built once: searching all events for each recipient would be quadratic.
  const addresses = new Map(
    events.filter(({ action, actor }) => isAction(action, actor.source)).map(({ actor }) => [actor.id, actor.ip]),
  );
  // Searched once for all.
  const consents = [...consentsIn(events).values()];
  const columns = [
    { title: labels.name },
    { title: labels.role, width: 34 },
    { title: labels.consent, width: 46 },
    { title: labels.finished, width: 46 },
  ];
  const rows = recipients.map((one): readonly Piece[] => [
    markup`${one.name}<br><span class="small muted">${one.email}<br>${addresses.get(one.id) ?? ""}<br>${assuranceMarkup(one, texts) ?? ""}</span>`,
    markup`${roles[one.role]}<br><span class="small muted">${method(one.signature, texts) ?? ""}</span>`,
    mustConsent(one) ? consentMarkup(one, { events: consents, texts, clock }) : "–",
    markup`${recipientStatuses[one.status]}<br>${clock(one.completedAt ?? one.declinedAt) ?? ""}`,
  ]);
  return table(columns, rows);
}

const isAction = (action: AuditAction, source: string): boolean => actions.has(action) && source === "signer";

/** The actions a person takes in a browser; their events carry the IP address. */
const actions: ReadonlySet<AuditAction> = new Set([
  "recipient.opened",
  "recipient.consented",
  "recipient.attached",
  "recipient.left",
  "recipient.signed",
  "recipient.approved",
  "recipient.viewed",
  "recipient.declined",
]);

const lastOf = (events: readonly AuditEvent[], { id }: Recipient): AuditEvent | undefined =>
  events.findLast(({ action, actor }) => isAction(action, actor.source) && actor.id === id);

const mustConsent = ({ role }: Recipient): boolean => role === "signer" || role === "in-person-signer";

function method(adopted: AdoptedSignature | null, texts: CertificateTexts): string | undefined {
  if (adopted === null) return undefined;
  return isDrawn(adopted) ? texts.drawn : texts.typed(adopted.typed, adopted.font);
}

/** Of the signature, and of the initials where there are any. */
function methods({ signature, initials }: Recipient, texts: CertificateTexts): Piece | undefined {
  const [signed, short] = [method(signature, texts), method(initials, texts)];
  if (short === undefined) return signed;
  const brief = markup`<span class="muted">${texts.labels.initials}:</span> ${short}`;
  return signed === undefined ? brief : markup`${signed} · ${brief}`;
}
