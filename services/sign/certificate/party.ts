import { type AdoptedSignature, isDrawn, type Recipient } from "../agreement/agreement.ts";
import type { AuditEvent } from "../agreement/audit-chain.ts";
import type { AuditAction } from "../agreement/change.ts";
import { firstCharacters, lengthOf } from "../agreement/problems.ts";
import type { CertificateTexts } from "./certificate-texts.ts";
import { exact, facts, fingerprint, type Markup, markup, type Piece, table, time } from "./markup.ts";

/** The certificate's section about one recipient. */
export function partyMarkup(recipient: Recipient, events: readonly AuditEvent[], texts: CertificateTexts): Markup {
  const { labels, roles, recipientStatuses } = texts;
  const acted = lastOf(events, recipient);
  const rows = facts([
    [labels.email, recipient.email],
    [labels.role, roles[recipient.role]],
    [labels.host, recipient.hostName === "" ? undefined : texts.hostedBy(recipient.hostName, recipient.hostEmail)],
    [labels.status, recipientStatuses[recipient.status]],
    [labels.access, recipient.clientUserId === "" ? texts.byMail : texts.embedded],
    [labels.authentication, authenticationOf(recipient, events)],
    [labels.asked, time(recipient.sentAt)],
    [labels.opened, time(recipient.deliveredAt)],
    [
      labels.consent,
      mustConsent(recipient) ? consentMarkup(recipient, consentsIn(events).get(recipient.id), texts) : undefined,
    ],
    [labels.finished, time(recipient.completedAt)],
    [labels.declined, time(recipient.declinedAt)],
    [labels.declineReason, recipient.declineReason],
    [labels.signature, method(recipient.signature, texts)],
    [labels.initials, method(recipient.initials, texts)],
    [labels.ip, acted?.actor.ip],
    [
      labels.browser,
      acted === undefined ? undefined : markup`<span class="small">${shortened(acted.actor.userAgent)}</span>`,
    ],
    [labels.recipientId, exact(recipient.id)],
  ]);
  const name = recipient.name === "" ? roles[recipient.role] : recipient.name;
  return markup`<div class="no-break"><h3>${name}</h3>${rows}</div>`;
}

/** The consent events, by recipient. */
const consentsIn = (events: readonly AuditEvent[]): ReadonlyMap<string, AuditEvent> =>
  new Map(events.filter(({ action }) => action === "recipient.consented").map((event) => [event.actor.id, event]));

/** When the recipient consented, and to which text. */
function consentMarkup({ consentedAt }: Recipient, given: AuditEvent | undefined, texts: CertificateTexts): Piece {
  const at = time(consentedAt);
  if (at === undefined) return texts.notGiven;
  const { textSha256, locale } = given?.details ?? {};
  if (typeof textSha256 !== "string" || typeof locale !== "string") return at;
  return markup`${texts.consented(at, locale)}<br><span class="small muted">${texts.consentText}:</span><br>${fingerprint(textSha256)}`;
}

/** A user agent can have any length; the first two lines are enough to recognize it. */
const shortened = (userAgent: string): string =>
  lengthOf(userAgent) <= maxPrinted ? userAgent : `${firstCharacters(userAgent, maxPrinted)} …`;

const maxPrinted = 120;

/** The short table for agreements with many recipients. */
export function partyTable(
  recipients: readonly Recipient[],
  events: readonly AuditEvent[],
  texts: CertificateTexts,
): Markup {
  const { labels, roles, recipientStatuses } = texts;
  // Built once: searching all events for each recipient would be quadratic.
  const addresses = new Map(
    events.filter(({ action, actor }) => isAction(action, actor.source)).map(({ actor }) => [actor.id, actor.ip]),
  );
  const consents = consentsIn(events);
  const columns = [
    { title: labels.name },
    { title: labels.role, width: 34 },
    { title: labels.consent, width: 46 },
    { title: labels.finished, width: 46 },
  ];
  const rows = recipients.map((one): readonly Piece[] => [
    markup`${one.name}<br><span class="small muted">${one.email}<br>${addresses.get(one.id) ?? ""}</span>`,
    markup`${roles[one.role]}<br><span class="small muted">${method(one.signature, texts) ?? ""}</span>`,
    mustConsent(one) ? consentMarkup(one, consents.get(one.id), texts) : "–",
    markup`${recipientStatuses[one.status]}<br>${time(one.completedAt ?? one.declinedAt) ?? ""}`,
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

/** How the sender said it had authenticated the person when it created the latest link. */
function authenticationOf({ id }: Recipient, events: readonly AuditEvent[]): string | undefined {
  const made = events.findLast(
    ({ action, details }) => action === "recipient.link-made" && details?.recipientGuid === id,
  );
  const said = made?.details?.authenticationMethod;
  return typeof said === "string" ? said : undefined;
}

function method(adopted: AdoptedSignature | null, texts: CertificateTexts): Piece | undefined {
  if (adopted === null) return undefined;
  return isDrawn(adopted) ? texts.drawn : texts.typed(adopted.typed, adopted.font);
}
