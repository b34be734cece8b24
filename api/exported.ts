import { choice, count, digest, flag, list, orNull, text, time, uuid } from "./kinds.ts";
import { type AnswerOf, readOnly } from "./members.ts";
import { receipt } from "./receipts.ts";
import { part, written } from "./written.ts";

const maybe = (description: string) => readOnly(orNull(text()), { description });
const when = (description?: string) => readOnly(orNull(time), description === undefined ? {} : { description });

const party = written({ name: readOnly(text()), email: readOnly(text()) });

const field = written({
  label: readOnly(text()),
  type: readOnly(text(), { example: "text" }),
  documentId: readOnly(orNull(text())),
  page: readOnly(count),
  value: readOnly(text(), { description: "The value that was entered." }),
});

const recipient = written({
  recipientIdGuid: readOnly(uuid),
  role: readOnly(text(), { example: "signer" }),
  name: readOnly(text()),
  email: readOnly(text()),
  userRef: maybe("What the sender's system calls the person."),
  status: readOnly(text(), { example: "completed" }),
  note: maybe("What the sender wrote to this person alone."),
  locale: maybe("The language of the mails."),
  sentAt: when(),
  deliveredAt: when("When the agreement was opened."),
  consentedAt: when("When the person consented to electronic records and signatures."),
  completedAt: when(),
  declinedAt: when(),
  declineReason: maybe("As the person gave it."),
  deliveryFailedAt: when("When a mail to the person came back."),
  deliveryFailedReason: maybe("Why it came back."),
  signature: maybe("The typed signature; that which was drawn is one of the files."),
  initials: maybe("The same of the initials."),
  fields: readOnly(list(part(field))),
});

const mention = written({
  where: readOnly(text(), { example: "customFields" }),
  text: readOnly(text(), { description: "The text, with the addresses of other people removed." }),
});

const file = written({
  path: readOnly(text(), { description: "The path in this archive." }),
  what: readOnly(choice("document", "sealed document", "certificate", "attachment", "signature")),
  name: readOnly(text()),
  sha256: readOnly(digest, { description: "SHA-256 of the file in hexadecimal." }),
});

const event = written({
  sequence: readOnly(count),
  occurredAt: readOnly(time),
  action: readOnly(text(), { example: "recipient.signed" }),
  source: readOnly(choice("api", "sender", "signer", "system")),
  ip: maybe("The address of the network from which it was done."),
  userAgent: maybe("What the program called itself."),
  details: readOnly(text(), { description: "The data as JSON." }),
});

/** What is known of a person in an agreement. */
export const exportedAgreement = written(
  {
    agreementId: readOnly(uuid),
    status: readOnly(text(), { description: "template: an agreement template that names the person." }),
    subject: readOnly(text()),
    message: readOnly(text()),
    createdAt: readOnly(time),
    sentAt: when(),
    completedAt: when(),
    declinedAt: when(),
    voidedAt: when(),
    expiresAt: when(),
    sender: readOnly(orNull(part(party)), { description: "Null if it was someone else." }),
    host: readOnly(orNull(part(party)), { description: "Whether the person hosted an in-person signing." }),
    recipients: readOnly(list(part(recipient)), { description: "The person's part in it; no one else is named." }),
    mentions: readOnly(list(part(mention)), { description: "Texts that contain the person's address." }),
    files: readOnly(list(part(file)), { description: "Without erased ones." }),
    events: readOnly(list(part(event)), {
      description: "The audit trail's events about the person. The whole trail, without data about others, is a proof.",
    }),
  },
  "An agreement, as far as it is about the person. Documents are as they are: others may stand in them.",
);
export type ExportedAgreement = AnswerOf<typeof exportedAgreement.table>;

const session = written({
  createdAt: readOnly(time),
  lastSeenAt: readOnly(time),
  ip: readOnly(text()),
  userAgent: readOnly(text()),
});

const exportedPasskey = written({
  name: readOnly(text(), { example: "Work laptop" }),
  createdAt: readOnly(time),
  lastUsedAt: when(),
});

const act = written({
  at: readOnly(time),
  action: readOnly(text(), { example: "login.succeeded" }),
  by: readOnly(flag, { description: "Whether the person did it; false if it was done to them." }),
  ip: maybe("The address of the network from which the person did it."),
  userAgent: maybe("What the program called itself."),
});

/** An account of the dashboard. */
export const exportedUser = written(
  {
    id: readOnly(uuid),
    email: readOnly(text()),
    name: readOnly(text()),
    role: readOnly(choice("owner", "developer", "viewer")),
    status: readOnly(choice("invited", "active", "disabled")),
    locale: readOnly(text()),
    timeZone: readOnly(text()),
    notices: readOnly(text(), {
      description: "How the person is notified of agreements by email, and of what.",
      example: "daily declined completed",
    }),
    hasPassword: readOnly(flag),
    secondFactorSince: when(),
    createdAt: readOnly(time),
    lastLoginAt: when(),
    passkeys: readOnly(list(part(exportedPasskey)), { description: "Oldest first, without keys." }),
    sessions: readOnly(list(part(session)), { description: "Open sessions." }),
    acts: readOnly(list(part(act)), { description: "Newest first, at most 10,000." }),
  },
  "An account of the dashboard, with what was done with it.",
);
export type ExportedUser = AnswerOf<typeof exportedUser.table>;

const copy = written({
  receiptId: readOnly(uuid),
  to: maybe("The address that was given for it."),
  status: readOnly(text(), { example: "SENT" }),
  at: when(),
});

/** What a person was shown and has decided. */
export const exportedSession = written(
  {
    sessionId: readOnly(uuid),
    status: readOnly(text(), { example: "ACCEPTED" }),
    userRef: maybe("What the organization calls the person; null once it was erased or is restricted."),
    title: maybe("Of the text that was shown."),
    templateSlug: readOnly(text()),
    locale: readOnly(text()),
    createdAt: readOnly(time),
    presentedAt: when(),
    acceptedAt: when(),
    metadata: readOnly(text(), { description: "JSON, as the organization sent it." }),
    data: maybe("JSON: the values that were put into the text for the person."),
    receipts: readOnly(list(part(receipt)), { description: "Acceptances and declines, in log order." }),
    copies: readOnly(list(part(copy)), { description: "Emails with a copy of the text and the receipt." }),
  },
  "Texts that a person was asked to accept. The whole of it, with the text and all proofs, is in the evidence bundle.",
);
export type ExportedSession = AnswerOf<typeof exportedSession.table>;

const askedBy = written({
  campaignId: readOnly(uuid),
  name: readOnly(text(), { example: "Terms 2027" }),
  templateId: readOnly(uuid),
  dueAt: readOnly(time, { description: "The date by which the person was asked to accept." }),
  state: readOnly(text(), { example: "ASKED" }),
  receiptId: maybe("The receipt of what the person has decided."),
  decidedAt: when(),
});

/** Where a person stands with campaigns. */
export const exportedCampaigns = written(
  { campaigns: readOnly(list(part(askedBy))) },
  "Campaigns in which the person was asked to accept a text by a date.",
);

const answer = written({ at: readOnly(time), attempt: readOnly(count), response: readOnly(text()) });

export const exportedAnswers = written(
  { deliveryId: readOnly(uuid), answers: readOnly(list(part(answer))) },
  "Answers of a receiver of events that say the address of the person.",
);
