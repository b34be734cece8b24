import type { EventTypeInfo } from "./problems.ts";

const agreementId = "0198f3a1-7c00-7000-8000-000000000030";
const documentId = "0198f3a1-7c00-7000-8000-000000000032";

const draft = {
  id: agreementId,
  envelopeId: agreementId,
  status: "created",
  emailSubject: "Please sign the NDA",
  transactionId: "order-42",
  customFields: [{ fieldId: "1", name: "orderId", value: "42", items: null, show: true, required: false }],
  metadata: { orderId: "42" },
  expiresAt: null,
  createdAt: "2026-10-21T09:00:00.000Z",
  sentAt: null,
  deliveredAt: null,
  completedAt: null,
  declinedAt: null,
  voidedAt: null,
  voidedReason: null,
};
const sent = {
  ...draft,
  status: "sent",
  expiresAt: "2027-02-18T09:00:05.000Z",
  sentAt: "2026-10-21T09:00:05.000Z",
};
const delivered = { ...sent, status: "delivered", deliveredAt: "2026-10-21T09:20:11.000Z" };
const completed = { ...delivered, status: "completed", completedAt: "2026-10-21T09:24:40.000Z" };
const declined = { ...delivered, status: "declined", declinedAt: "2026-10-21T09:24:40.000Z" };
const voided = {
  ...sent,
  status: "voided",
  voidedAt: "2026-10-21T10:00:00.000Z",
  voidedReason: "The order was changed",
};
const expired = {
  ...sent,
  status: "expired",
  voidedAt: "2027-02-18T09:00:05.000Z",
  voidedReason: "The agreement was not finished by 2027-02-18T09:00:05.000Z and has expired.",
};

const asked = {
  recipientId: "1",
  recipientIdGuid: "0198f3a1-7c00-7000-8000-000000000031",
  name: "Ann Example",
  email: "ann@example.com",
  clientUserId: "1000",
  role: "signer",
  roleName: null,
  routingOrder: 1,
  status: "sent",
  sentAt: "2026-10-21T09:00:05.000Z",
  deliveredAt: null,
  completedAt: null,
  declinedAt: null,
  declineReason: null,
  deliveryFailedAt: null,
  deliveryFailedReason: null,
  excludedDocuments: [],
  verification: [],
  assurance: null,
};
const reading = { ...asked, status: "delivered", deliveredAt: "2026-10-21T09:20:11.000Z", assurance: "link" };
const done = { ...reading, status: "completed", completedAt: "2026-10-21T09:24:38.000Z" };
const unreached = {
  ...asked,
  clientUserId: null,
  deliveryFailedAt: "2026-10-21T09:00:09.000Z",
  deliveryFailedReason: "The mail server refuses the address (550 5.1.1).",
};
const lockedOut = {
  ...asked,
  verification: [
    {
      ...{ method: "access_code", before: "viewing", email: null, state: "locked", failures: 5, passedAt: null },
      lockedAt: "2026-10-21T09:20:11.000Z",
    },
  ],
};
const refused = {
  ...reading,
  status: "declined",
  declinedAt: "2026-10-21T09:24:40.000Z",
  declineReason: "The term is too long",
};

const template = {
  id: "0198f3a1-7c00-7000-8000-000000000040",
  name: "NDA",
  description: null,
  shared: false,
  emailSubject: "Please sign the NDA",
  createdAt: "2026-10-20T08:00:00.000Z",
  modifiedAt: "2026-10-20T08:00:00.000Z",
};

const about = (noun: string, verb: string, description: string, example: object): EventTypeInfo => ({
  type: `${noun}.${verb}`,
  subject: `assent.sign.${noun}.${verb}`,
  description,
  example,
});

export const signEvents: readonly EventTypeInfo[] = [
  about("agreement", "created", "A draft was created.", { agreement: draft }),
  about("agreement", "modified", "A draft was changed.", { agreement: draft }),
  about("agreement", "sent", "An agreement was sent.", { agreement: sent }),
  about("agreement", "resent", "The recipients whose turn it is were asked again.", { agreement: sent }),
  about("agreement", "corrected", "The sender corrected an agreement that had been sent.", { agreement: sent }),
  about("agreement", "delivered", "All recipients whose turn it is have opened the agreement.", {
    agreement: delivered,
  }),
  about("agreement", "completed", "Everyone has signed, and the documents are sealed.", { agreement: completed }),
  about("agreement", "declined", "A recipient declined, so the agreement has ended.", {
    agreement: declined,
    recipient: refused,
  }),
  about("agreement", "voided", "The sender ended the agreement.", { agreement: voided }),
  about("agreement", "expired", "The agreement was not finished in time.", { agreement: expired }),
  about("agreement", "purged", "The files of an agreement were deleted because someone had asked for it.", {
    agreement: completed,
  }),
  about(
    "agreement",
    "deleted",
    "A draft was deleted, or an agreement whose retention period ended. Includes only its IDs.",
    {
      agreement: { id: agreementId, envelopeId: agreementId, transactionId: "order-42" },
    },
  ),
  about("recipient", "sent", "It is the turn of a recipient.", { agreement: sent, recipient: asked }),
  about("recipient", "delivered", "A recipient opened the agreement.", { agreement: sent, recipient: reading }),
  about("recipient", "completed", "A recipient finished their part.", { agreement: delivered, recipient: done }),
  about("recipient", "declined", "A recipient declined.", { agreement: declined, recipient: refused }),
  about("recipient", "left", "A recipient chose to finish later.", { agreement: delivered, recipient: reading }),
  about("recipient", "undelivered", "An email to a recipient bounced or couldn't be sent.", {
    agreement: sent,
    recipient: unreached,
  }),
  about("recipient", "locked", "A recipient failed a verification too often, and can't go on until you unlock it.", {
    agreement: sent,
    recipient: lockedOut,
  }),
  about("document", "completed", "A document of a completed agreement is sealed and can be downloaded.", {
    document: {
      id: documentId,
      documentId: "1",
      agreementId,
      envelopeId: agreementId,
      name: "NDA.pdf",
      order: 1,
      pages: 2,
      sha256: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
      contentUrl: `/v1/sign/agreements/${agreementId}/documents/1/content`,
    },
  }),
  about("template", "created", "An agreement template was created.", { template }),
  about("template", "modified", "An agreement template was changed.", { template }),
  about("template", "deleted", "An agreement template was deleted. Includes only its ID.", {
    template: { id: template.id },
  }),
];
