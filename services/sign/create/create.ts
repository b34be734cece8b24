import type { Agreement, Sender } from "../agreement/agreement.ts";
import { type Change, changeTo, type DecisionContext } from "../agreement/change.ts";
import type { CheckedFile, Definition } from "../agreement/definition.ts";
import { newCustomFields } from "./custom-fields.ts";
import { defaultMembers, withGiven } from "./given-members.ts";
import { filesIn, newDocuments } from "./new-documents.ts";
import { checkRecipients, newRecipients } from "./new-recipients.ts";

export interface CreateOptions {
  readonly isTemplate: boolean;
  readonly sender: Sender;
}

/** A draft or a template of a definition whose documents are numbered, and whose files have been checked. */
export function createDraft(
  definition: Definition,
  checked: readonly CheckedFile[],
  { isTemplate, sender }: CreateOptions,
  context: DecisionContext,
): Change {
  const { actor, newId, now } = context;
  const recipients = newRecipients(definition.recipients, [], context);
  checkRecipients(recipients);
  const documents = newDocuments(definition.documents, checked, context);
  const draft: Agreement = {
    id: newId(),
    status: isTemplate ? "template" : "created",
    version: 1,
    ...withGiven(defaultMembers, definition),
    documents,
    recipients,
    customFields: newCustomFields(definition.customFields, context),
    sender,
    createdAt: now,
    modifiedAt: now,
    statusChangedAt: now,
    ...untouched,
  };
  return changeTo(draft, {
    audit: [
      {
        action: "agreement.created",
        actor,
        ...(documents.length === 0 ? {} : { details: { files: filesIn(documents) } }),
      },
    ],
    events: [{ kind: isTemplate ? "template.created" : "agreement.created" }],
  });
}

/** Nothing has happened to a new one. */
const untouched = {
  sentAt: null,
  deliveredAt: null,
  completedAt: null,
  declinedAt: null,
  voidedAt: null,
  voidedReason: "",
  certificate: null,
  sealLevel: null,
  expiresAt: null,
  remindAt: null,
  currentRoutingOrder: 0,
  audit: { count: 0, hash: Buffer.alloc(32) },
} as const;
