/** What may be known of a person, as reports of erasures name it. The names are part of the public API. */
export const personalKinds = {
  "agreement.trail": "Their part of an agreement's audit trail.",
  "agreement.trail-format-1": "Events of an audit trail of format 1 that tell of them.",
  "agreement.trail-of-others": "A text in someone else's part of the trail that names the address.",
  "agreement.recipient": "Name, address, reference, and what they gave as a reason.",
  "agreement.signature": "Their signature and initials.",
  "agreement.tab-values": "What they entered.",
  "agreement.mails": "Texts of mails to them, and mails that wait.",
  "agreement.links": "Links that lead them to the agreement.",
  "agreement.sender": "Name and address as the sender.",
  "agreement.text": "A text that names the address.",
  "agreement.attachment-names": "Names of files that they attached.",
  "agreement.files": "Documents, sealed files, attachments and the certificate.",
  "agreement.retry-key": "An idempotency key that names the address.",
  "agreement.events": "Domain events with a reason that they gave or that names the address.",
  "bulk.list": "Copies of a list of bulk sending that are about them.",
  "bulk.batch": "What went wrong in a batch of bulk sending, where it names the address.",
  document: "A document that names them in its metadata, its name or, while it waits, its data.",
  "document.retry-key": "An idempotency key of a document that names the address.",
  "webhook.answer": "What a receiver of webhooks answered, where it names the address.",
  "webhook.event": "An event that is sent to receivers, where a reason in it names the address.",
  "webhook.endpoint": "An endpoint of webhooks whose address or description names the address.",
  "user.account": "An account of the dashboard, with its sessions, links and mails.",
  "user.audit": "Lines of the list of administrative acts: names, addresses, and from where someone acted.",
  "click.receipt": "What is personal in an acceptance.",
  "click.session": "What is personal in a session of click-acceptance.",
  "click.consent-change": "What is personal in a change of consent.",
  "click.campaign": "That a campaign asks them, and where they stand with it.",
} as const satisfies Readonly<Record<string, string>>;
export type PersonalKind = keyof typeof personalKinds;

/** Why something is kept. The names are part of the public API. */
export const keptReasons = {
  IN_PROGRESS: "The agreement or the batch has not ended: erase again when it has.",
  LEGAL_HOLD: "A legal hold keeps it until it is lifted.",
  RETENTION: "It must be kept for some time (GDPR art. 17(3)(b) and (e)).",
  FILE_OF_ALL: "It is the organization's too, and others may rely on it; it goes as a whole, with the agreement.",
  SEALED_WITH_OTHERS: "It is sealed together with another person's data.",
  LAST_OWNER: "This is the organization's last owner. Make someone else an owner first.",
  SETTING: "Your organization has set it up so: change the setting.",
  REPEATABLE: "Requests may be repeated, and events read again, until then.",
} as const satisfies Readonly<Record<string, string>>;
export type KeptReason = keyof typeof keptReasons;
