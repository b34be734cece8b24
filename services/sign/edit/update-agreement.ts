import type { Agreement, AgreementDocument } from "../agreement/agreement.ts";
import type { Change, DecisionContext } from "../agreement/change.ts";
import type { CheckedFile, Definition } from "../agreement/definition.ts";
import { draftModified, requireModifiable } from "../agreement/problems.ts";
import { newCustomFields } from "../create/custom-fields.ts";
import { withFieldTabs } from "../create/field-tabs.ts";
import { withGiven } from "../create/given-members.ts";
import { checkRecipients, newRecipients } from "../create/new-recipients.ts";
import { withoutTabsOf } from "../create/place-tabs.ts";
import { withKeptCodes } from "../identity/checks.ts";

export interface UpdateAgreement {
  /** Documents are ignored here; recipients and custom fields only count when they are to be replaced. */
  readonly changes: Definition;
  /** Replaces all documents. Documents that keep a documentId keep their tabs. */
  readonly documents?: readonly AgreementDocument[];
  /** The files of these documents, whose form fields may become tabs. */
  readonly files?: readonly CheckedFile[];
  readonly replaceRecipients: boolean;
  readonly replaceCustomFields: boolean;
}

/** Changes the given members of a draft or template. */
export function updateAgreement(agreement: Agreement, command: UpdateAgreement, context: DecisionContext): Change {
  requireModifiable(agreement);
  const { changes, replaceRecipients, replaceCustomFields } = command;
  const members = withGiven(agreement, changes);
  const documents = command.documents ?? agreement.documents;
  const wanted = withKeptCodes(changes.recipients, agreement.recipients);
  const given = replaceRecipients ? newRecipients(wanted, [], context) : agreement.recipients;
  if (replaceRecipients) checkRecipients(given);
  // New tabs may refer to documents of the same request, so only tabs of removed documents are dropped.
  const kept = replaceRecipients ? given : withoutTabsOf(given, removedIds(agreement, documents));
  const recipients = withFieldTabs(kept, command.files ?? [], context);
  const customFields = replaceCustomFields ? newCustomFields(changes.customFields, context) : agreement.customFields;
  const after: Agreement = {
    ...agreement,
    ...members,
    documents,
    recipients,
    customFields,
  };
  return draftModified(after, context, { changed: changedMembers(agreement, after) });
}

function removedIds(before: Agreement, documents: readonly AgreementDocument[]): ReadonlySet<string> {
  const kept = new Set(documents.map(({ documentId }) => documentId));
  return new Set(before.documents.map(({ documentId }) => documentId).filter((id) => !kept.has(id)));
}

const members = [
  "emailSubject",
  "emailBlurb",
  "documents",
  "recipients",
  "customFields",
  "notification",
  "metadata",
  "transactionId",
  "subscription",
  "name",
  "description",
  "shared",
  "brandId",
  "workflow",
] as const;

/**
 * The names of the changed members for the audit trail. Values are left out because they can be personal data.
 */
const changedMembers = (before: Agreement, after: Agreement): readonly string[] =>
  members.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
