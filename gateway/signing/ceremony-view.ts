import { tabToFill } from "#api/tabs.ts";
import { type Agreement, type Document, type Recipient, RecipientRole } from "#gen/assent/sign/v1/agreement_pb.ts";
import { type ConsentText, type GetCeremonyResponse, ViewKind } from "#gen/assent/sign/v1/signing_pb.ts";
import { enumName, isoTime } from "../../views/scalars.ts";
import { recipientStatuses, statuses } from "../../views/sign/names.ts";
import { textOrNull } from "../../views/sign/texts.ts";

/** What the signing page is told of a session. */
export function ceremonyView(ceremony: GetCeremonyResponse) {
  const { agreement, recipientId, consentedAt, canAct } = ceremony;
  const recipients = agreement?.recipients ?? [];
  const recipient = recipients.find(({ id }) => id === recipientId);
  return {
    kind: dashedName(ViewKind, ceremony.kind),
    agreement: agreement === undefined ? null : agreementView(agreement, ceremony.organizationName),
    recipient: recipient === undefined ? null : recipientView(recipient),
    others: recipients.filter(({ id }) => id !== recipientId).map((one) => otherView(one, recipient === undefined)),
    consent: {
      required: canAct && needsConsent(recipient),
      givenAt: isoTime(consentedAt),
      texts: canAct && needsConsent(recipient) ? ceremony.consentTexts.map(consentTextView) : [],
    },
    canAct,
    timeoutUrl: textOrNull(ceremony.timeoutUrl),
  };
}

const consentTextView = ({ locale, introduction, points, agreement, sha256 }: ConsentText) => ({
  locale,
  introduction,
  points,
  agreement,
  textSha256: Buffer.from(sha256).toString("hex"),
});

/** Who only has to look signs nothing. */
const needsConsent = (recipient: Recipient | undefined): boolean =>
  recipient !== undefined && recipient.role !== RecipientRole.CERTIFIED_DELIVERY;

const agreementView = (agreement: Agreement, organizationName: string) => ({
  id: agreement.id,
  status: statuses.nameOf(agreement.status),
  emailSubject: agreement.emailSubject,
  emailBlurb: agreement.emailBlurb,
  senderName: agreement.sender?.name ?? "",
  organizationName,
  documents: agreement.documents.map(documentView),
});

const documentView = ({ documentId, name, pages }: Document) => ({
  documentId,
  name,
  pages: pages.map(({ width, height }) => ({ width, height })),
});

const recipientView = (recipient: Recipient) => ({
  recipientId: recipient.recipientId,
  name: recipient.name,
  email: recipient.email,
  role: dashedName(RecipientRole, recipient.role),
  status: recipientStatuses.nameOf(recipient.status),
  locale: recipient.locale,
  tabs: recipient.tabs.map((tab) => tabToFill.answer(tab)),
});

/** Where the others are reached is for the sender to know, not for everybody who signs. */
const otherView = ({ name, email, role, status }: Recipient, isForSender: boolean) => ({
  name,
  email: isForSender ? textOrNull(email) : null,
  role: dashedName(RecipientRole, role),
  status: recipientStatuses.nameOf(status),
});

/** `DATE_SIGNED` is `date-signed`. */
const dashedName = (values: Readonly<Record<string, number>>, value: number): string =>
  (enumName(values, value) ?? "").toLowerCase().replaceAll("_", "-");
