import { tabsView } from "#api/compat-tabs.ts";
import {
  type Agreement,
  type Recipient,
  RecipientRole,
  RecipientStatus,
  VerificationMethod,
  VerificationState,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import { defined } from "#platform/json-object.ts";
import { compatTime, filled, numberText, type Written } from "./scalars.ts";

/** The `Recipients` object: an array for each kind, empty where there is nobody. */
export function recipientsView(
  { recipients, currentRoutingOrder }: Pick<Agreement, "recipients" | "currentRoutingOrder">,
  withTabs: boolean,
): { readonly [name: string]: Written } {
  const ofKind = (property: string): Written[] =>
    recipients.filter(({ role }) => kindOf(role).property === property).map((one) => recipientView(one, withTabs));
  return {
    signers: ofKind("signers"),
    agents: [],
    editors: [],
    intermediaries: [],
    carbonCopies: ofKind("carbonCopies"),
    certifiedDeliveries: ofKind("certifiedDeliveries"),
    inPersonSigners: ofKind("inPersonSigners"),
    seals: [],
    witnesses: [],
    notaries: [],
    recipientCount: numberText(recipients.length),
    currentRoutingOrder: numberText(currentRoutingOrder === 0 ? lastOrFirst(recipients) : currentRoutingOrder),
  };
}

interface Kind {
  readonly property: "signers" | "carbonCopies" | "certifiedDeliveries" | "inPersonSigners";
  readonly name: string;
}

const signer: Kind = { property: "signers", name: "signer" };

/** Whoever approves does so with a tab of a signer. */
const kinds: ReadonlyMap<RecipientRole, Kind> = new Map([
  [RecipientRole.CARBON_COPY, { property: "carbonCopies", name: "carboncopy" }],
  [RecipientRole.CERTIFIED_DELIVERY, { property: "certifiedDeliveries", name: "certifieddelivery" }],
  [RecipientRole.IN_PERSON_SIGNER, { property: "inPersonSigners", name: "inpersonsigner" }],
]);

const kindOf = (role: RecipientRole): Kind => kinds.get(role) ?? signer;

/** The routing order when it is nobody's turn: the first one before sending, the last one afterwards. */
function lastOrFirst(recipients: readonly Recipient[]): number {
  const orders = recipients.map(({ routingOrder }) => routingOrder);
  const isOver = recipients.some(({ status }) => status !== RecipientStatus.CREATED);
  if (orders.length === 0) return 1;
  return isOver ? Math.max(...orders) : Math.min(...orders);
}

function recipientView(recipient: Recipient, withTabs: boolean): Written {
  const { id, recipientId, role, tabs, clientUserId, roleName, routingOrder, note } = recipient;
  return defined({
    ...personOf(recipient),
    recipientId,
    recipientIdGuid: id,
    userId: id,
    recipientType: kindOf(role).name,
    routingOrder: numberText(routingOrder),
    status: isUnreached(recipient) ? "autoresponded" : (statusNames.get(recipient.status) ?? "created"),
    clientUserId: filled(clientUserId),
    roleName: filled(roleName),
    note: filled(note),
    emailNotification: mailOf(recipient),
    excludedDocuments: recipient.excludedDocuments.length === 0 ? undefined : [...recipient.excludedDocuments],
    creationReason: "sender",
    deliveryMethod: "email",
    requireIdLookup: "false",
    requireUploadSignature: "false",
    templateLocked: "false",
    templateRequired: "false",
    completedCount: recipient.status === RecipientStatus.COMPLETED ? "1" : "0",
    totalTabCount: numberText(tabs.length),
    sentDateTime: compatTime(recipient.sentAt),
    deliveredDateTime: compatTime(recipient.deliveredAt),
    ...checksOf(recipient),
    ...endOf(recipient),
    tabs: withTabs ? tabsView(tabs, recipient) : undefined,
  });
}

/** What was checked here, and how it went; nothing of the codes. */
function checksOf({ verification }: Recipient): Record<string, Written | undefined> {
  if (verification.length === 0) return {};
  const resultOf = (method: VerificationMethod): Written | undefined => {
    const check = verification.find((one) => one.method === method);
    if (check === undefined || check.state === VerificationState.PENDING) return undefined;
    const isPassed = check.state === VerificationState.PASSED;
    return defined({
      status: isPassed ? "Passed" : "Failed",
      eventTimestamp: compatTime(isPassed ? check.passedAt : check.lockedAt),
    });
  };
  return {
    recipientAuthenticationStatus: defined({
      accessCodeResult: resultOf(VerificationMethod.ACCESS_CODE),
      identityVerificationResult: resultOf(VerificationMethod.EMAIL_CODE),
    }),
  };
}

/** Undefined when the person's mails are those of everybody. */
function mailOf({ locale, emailSubject, emailBlurb }: Recipient): Written | undefined {
  const mail = { emailSubject: filled(emailSubject), emailBody: filled(emailBlurb), supportedLanguage: filled(locale) };
  return Object.values(mail).every((text) => text === undefined) ? undefined : defined(mail);
}

const personOf = ({ role, name, email, hostName, hostEmail }: Recipient): Record<string, string | undefined> =>
  role === RecipientRole.IN_PERSON_SIGNER
    ? { name, signerName: name, signerEmail: filled(email), hostName, hostEmail }
    : { name, email };

/** Asked by a mail that came back, and not seen since. */
const isUnreached = ({ status, deliveryFailedAt }: Recipient): boolean =>
  status === RecipientStatus.SENT && deliveryFailedAt !== undefined;

/** Copies are completed without having been signed. */
const endOf = (recipient: Recipient): Record<string, string | undefined> => {
  const { role, completedAt, declinedAt, declineReason, deliveryFailedReason } = recipient;
  return {
    signedDateTime: role === RecipientRole.CARBON_COPY ? undefined : compatTime(completedAt),
    declinedDateTime: compatTime(declinedAt),
    declinedReason: filled(declineReason),
    autoRespondedReason: filled(deliveryFailedReason),
  };
};

const statusNames: ReadonlyMap<RecipientStatus, string> = new Map([
  [RecipientStatus.CREATED, "created"],
  [RecipientStatus.SENT, "sent"],
  [RecipientStatus.DELIVERED, "delivered"],
  [RecipientStatus.COMPLETED, "completed"],
  [RecipientStatus.DECLINED, "declined"],
]);
