import type { MessageInitShape } from "@bufbuild/protobuf";
import { unsupportedTabs } from "#api/compat-tab-kinds.ts";
import { readTabs, type TabInput } from "#api/compat-tabs.ts";
import { type RecipientInputSchema, RecipientRole, VerificationMethod } from "#gen/assent/sign/v1/agreement_pb.ts";
import { defined } from "#platform/json-object.ts";
import type { Reader } from "./reader.ts";
import { refuseMeaningful, refuseOthers } from "./refuse.ts";

export type RecipientInit = MessageInitShape<typeof RecipientInputSchema> & {
  readonly recipientId?: string;
};

/** The recipients of a `Recipients` object: one array for each kind. */
export function readRecipients(recipients: Reader | undefined): RecipientInit[] {
  if (recipients === undefined) return [];
  refuseMeaningful(recipients, refusedKinds);
  return kinds.flatMap(({ property, role }) =>
    recipients.objects(property).map((recipient) => readRecipient(recipient, role)),
  );
}

/** The ids of the recipients of a `Recipients` object. */
export const readRecipientIds = (recipients: Reader): string[] =>
  kinds.flatMap(({ property }) =>
    recipients.objects(property).flatMap((recipient) => {
      const id = idOf(recipient);
      if (id === "") recipient.problem("recipientId", "REQUIRED", "is required");
      return id === "" ? [] : [id];
    }),
  );

/** The tabs of a `Tabs` object. An unknown kind is a problem. */
export function readSupportedTabs(tabs: Reader | undefined): TabInput[] {
  if (tabs === undefined) return [];
  refuseMeaningful(tabs, unsupportedTabs);
  return readTabs(tabs);
}

/** The person for a template role. */
export function readRole(role: Reader): RecipientInit {
  refuseUnsupported(role);
  const signerName = role.text("inPersonSignerName");
  const isInPerson = signerName !== undefined && signerName !== "";
  const person = isInPerson
    ? { name: signerName, hostName: role.text("name"), hostEmail: role.text("email")?.trim() }
    : { name: nameOf(role), email: role.text("email")?.trim() };
  return defined({ ...commonFields(role), ...person, recipientId: "" });
}

/** A signer of an existing envelope may be an approver of the native interface: the kind is not changed. */
const kinds: readonly { readonly property: string; readonly role: RecipientRole }[] = [
  { property: "signers", role: RecipientRole.UNSPECIFIED },
  { property: "carbonCopies", role: RecipientRole.CARBON_COPY },
  { property: "certifiedDeliveries", role: RecipientRole.CERTIFIED_DELIVERY },
  { property: "inPersonSigners", role: RecipientRole.IN_PERSON_SIGNER },
];

const refusedKinds = [
  "agents",
  "editors",
  "intermediaries",
  "witnesses",
  "seals",
  "notaries",
  "notaryWitnesses",
  "participants",
  "authorizedSignatories",
];

function readRecipient(recipient: Reader, role: RecipientRole): RecipientInit {
  refuseUnsupported(recipient);
  return defined({
    ...commonFields(recipient),
    ...(role === RecipientRole.IN_PERSON_SIGNER ? inPersonFields(recipient) : remoteFields(recipient)),
    recipientId: idOf(recipient),
    role,
  });
}

const idOf = (recipient: Reader): string =>
  recipient.text("recipientId")?.trim() || recipient.text("recipientIdGuid")?.trim() || "";

const commonFields = (recipient: Reader) => ({
  verification: readChecks(recipient),
  clientUserId: recipient.text("clientUserId"),
  roleName: recipient.text("roleName"),
  routingOrder: recipient.integer("routingOrder", { min: 1, max: 100_000 }),
  note: recipient.text("note"),
  excludedDocuments: readExcluded(recipient),
  ...mailFields(recipient.object("emailNotification")),
  tabs: readSupportedTabs(recipient.object("tabs")),
});

/** The workflow that asks for a code by email. */
export const emailWorkflowId = "4f2a6c1e-7d0b-4c3a-9e58-1b6d2f90a7c3";

/** Undefined when nothing is said of checks: those of an existing recipient stay. */
function readChecks(recipient: Reader): RecipientInit["verification"] {
  if (recipient.flag("addAccessCodeToEmail") === true) {
    recipient.problem(
      "addAccessCodeToEmail",
      "NOT_SUPPORTED",
      "is not supported: a code in the same email proves nothing",
    );
  }
  const accessCode = recipient.text("accessCode")?.trim() ?? "";
  const workflow = recipient.object("identityVerification");
  const workflowId = workflow?.text("workflowId")?.trim().toLowerCase() ?? "";
  if (workflowId !== "" && workflowId !== emailWorkflowId) {
    const message = "is not supported unless its workflowId is one that GET identity_verification lists";
    recipient.problem("identityVerification", "NOT_SUPPORTED", message);
  }
  if (workflow !== undefined) refuseMeaningful(workflow, ["inputOptions", "idCheckConfigurationName"]);
  if (accessCode === "" && workflowId === "") return undefined;
  return {
    checks: [
      ...(accessCode === "" ? [] : [{ method: VerificationMethod.ACCESS_CODE, accessCode }]),
      ...(workflowId === "" ? [] : [{ method: VerificationMethod.EMAIL_CODE }]),
    ],
  };
}

/** Documents that the person does not see; undefined when nothing is said of them. */
function readExcluded(recipient: Reader): { documentIds: string[] } | undefined {
  const visibility = recipient.objects("documentVisibility");
  for (const one of visibility) refuseOthers(one, "rights", ["view"]);
  const hidden = visibility.filter((one) => one.flag("visible") === false).map((one) => one.text("documentId") ?? "");
  const documentIds = [...recipient.texts("excludedDocuments"), ...hidden].map((id) => id.trim());
  return documentIds.length === 0 ? undefined : { documentIds };
}

/** Subject, text and language of the mails to one person. */
const mailFields = (mail: Reader | undefined) => ({
  locale: mail?.text("supportedLanguage")?.trim().replace("_", "-"),
  emailSubject: mail?.text("emailSubject"),
  emailBlurb: mail?.text("emailBody"),
});

const remoteFields = (recipient: Reader) => ({ name: nameOf(recipient), email: recipient.text("email")?.trim() });

function inPersonFields(recipient: Reader) {
  refuseOthers(recipient, "inPersonSigningType", ["inpersonsigner"]);
  return {
    name: recipient.text("signerName") ?? recipient.text("name"),
    email: (recipient.text("signerEmail") ?? recipient.text("email"))?.trim(),
    hostName: recipient.text("hostName"),
    hostEmail: recipient.text("hostEmail")?.trim(),
  };
}

function nameOf(person: Reader): string | undefined {
  const parts = [person.text("firstName"), person.text("lastName")].filter((part) => part !== undefined && part !== "");
  return person.text("name") ?? person.text("fullName") ?? (parts.length === 0 ? undefined : parts.join(" "));
}

/** Members that must not be ignored: a signer would be checked less, or see more, than the sender meant. */
const refused = [
  "phoneAuthentication",
  "smsAuthentication",
  "socialAuthentications",
  "requireIdLookup",
  "idCheckConfigurationName",
  "recipientSignatureProviders",
  "signingGroupId",
  "signingGroupName",
  "recipientAttachments",
  "recipientSuppliesTabs",
  "signInEachLocation",
  "faxNumber",
  "requireSignOnPaper",
  "requireUploadSignature",
  "suppressEmails",
  "embeddedRecipientStartURL",
  "additionalNotifications",
  "emailRecipientPostSigningURL",
];

function refuseUnsupported(recipient: Reader): void {
  refuseMeaningful(recipient, refused);
  refuseOthers(recipient, "deliveryMethod", ["email"]);
  refuseOthers(recipient, "requireSignerCertificate", ["none"]);
}
