import { DomainError, type FieldProblem } from "#platform/errors.ts";
import { type Agreement, type AgreementDocument, lockOf, type Recipient } from "../agreement/agreement.ts";
import { type Change, changeTo, type DecisionContext, thenChange } from "../agreement/change.ts";
import { invalid, problem } from "../agreement/problems.ts";
import { hasToAct } from "../agreement/recipients.ts";
import type { Tab } from "../agreement/tab.ts";
import { daysAfter, invalidStatus, withStatus } from "../agreement/transitions.ts";
import { visibilityProblems } from "../agreement/visibility.ts";
import { checkRecipients, invalidAddress, refuseAddresses } from "../create/new-recipients.ts";
import { type AnchorMatches, placeTabs } from "../create/place-tabs.ts";
import { scheduled, sendingProblems } from "../workflow/hold.ts";
import { followUpJobs } from "./follow-up-jobs.ts";
import { routeOn } from "./route.ts";

/** Throws when the agreement can no longer be sent. */
export function requireUnsent(agreement: Agreement): void {
  const { status } = agreement;
  if (status === "created") return;
  if (ended.includes(status)) throw invalidStatus(agreement, "send");
  if (status === "template") throw new DomainError("ENVELOPE_NOT_FOUND");
  throw new DomainError("ENVELOPE_ALREADY_SENT");
}

const ended: readonly string[] = ["declined", "voided", "expired"];

/** Throws when the agreement is not ready to be sent. Does not check anchors. */
export function requireSendable(agreement: Agreement): void {
  requireUnsent(agreement);
  requireComplete(agreement);
}

/** Throws when something is missing that an agreement needs while people sign it. */
export function requireComplete(agreement: Agreement): void {
  const { recipients, documents } = agreement;
  const people = recipients.filter(isFilled);
  checkRecipients(recipients);
  refuseAddresses(recipients.flatMap(missingAddress));
  if (documents.length === 0) throw new DomainError("DOCUMENTS_REQUIRED");
  if (!people.some(hasToAct)) throw new DomainError("RECIPIENTS_REQUIRED");
  refuseAll([...subjectProblems(agreement), ...recipients.flatMap(missingName), ...fieldProblems(agreement)]);
}

/** Places the tabs and invites the recipients of the first routing order, now or when its schedule says so. */
export function sendAgreement(agreement: Agreement, matches: AnchorMatches, context: DecisionContext): Change {
  requireSendable(agreement);
  refuseAll(sendingProblems(agreement, context.now));
  const people = agreement.recipients.filter(isFilled);
  const placed = withPlacedTabs({ ...agreement, recipients: people }, matches, context);
  const unasked = withStatus(placed, "sent", context.now);
  return scheduled(unasked, context) ?? thenChange(beginSending(unasked, context), (begun) => routeOn(begun, context));
}

/** From now on its times run, and others are told that it was sent. */
export function beginSending(agreement: Agreement, { now, actor }: DecisionContext): Change {
  const sent = withDueTimes({ ...agreement, sentAt: now }, now);
  return changeTo(sent, {
    audit: [{ action: "agreement.sent", actor }],
    events: [{ kind: "agreement.sent" }],
    jobs: [...followUpJobs.expiry(sent), ...followUpJobs.expiryWarning(sent), ...followUpJobs.reminder(sent)],
  });
}

/** Throws when a tab cannot be where it is to be. */
export function withPlacedTabs(
  agreement: Agreement,
  matches: AnchorMatches,
  { newId }: Pick<DecisionContext, "newId">,
): Agreement {
  const placed = placeTabs(agreement, matches, newId);
  refuseAll([...tabPlaceProblems(placed), ...visibilityProblems(placed)]);
  refuseCertified(certifiedProblems(placed));
  return placed;
}

/** A template role that nobody fills is dropped. */
const isFilled = ({ roleName, name, email, hostEmail }: Recipient): boolean =>
  roleName === "" || name !== "" || email !== "" || hostEmail !== "";

function missingAddress(recipient: Recipient, index: number): readonly FieldProblem[] {
  if (!isFilled(recipient)) return [];
  const field = recipient.role === "in-person-signer" ? "hostEmail" : "email";
  return recipient[field] === "" ? [invalidAddress(recipient, index, field)] : [];
}

const missingName = (recipient: Recipient, index: number): readonly FieldProblem[] =>
  isFilled(recipient) && recipient.name.trim() === ""
    ? [problem(`recipients[${index}].name`, "REQUIRED", "must not be empty when the agreement is sent")]
    : [];

const subjectProblems = ({ emailSubject }: Agreement): readonly FieldProblem[] =>
  emailSubject.trim() === ""
    ? [problem("emailSubject", "REQUIRED", "must not be empty when the agreement is sent")]
    : [];

const fieldProblems = ({ customFields }: Agreement): readonly FieldProblem[] =>
  customFields.flatMap(({ required, value }, index) =>
    required && value === "" ? [problem(`customFields[${index}].value`, "REQUIRED", "must have a value")] : [],
  );

/** Errors travel in HTTP/2 trailers, whose size is limited. */
const maxProblems = 50;

function refuseCertified(problems: readonly FieldProblem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  throw new DomainError("CORRUPTED_DOCUMENT", {
    message: `${first.message}. Ask for it without tabs that show something, or send a copy that is not certified.`,
    details: problems.slice(0, maxProblems),
  });
}

function refuseAll(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalid(...problems.slice(0, maxProblems));
}

function withDueTimes(agreement: Agreement, now: Date): Agreement {
  const { expireEnabled, expireAfter, reminderEnabled, reminderDelay } = agreement.notification;
  return {
    ...agreement,
    expiresAt: expireEnabled ? daysAfter(now, expireAfter) : null,
    remindAt: reminderEnabled ? daysAfter(now, reminderDelay) : null,
  };
}

/** Checks that each tab is on an existing page of a document of the agreement. */
export function tabPlaceProblems(agreement: Agreement): readonly FieldProblem[] {
  const documents = new Map(agreement.documents.map((document) => [document.documentId, document]));
  return agreement.recipients.flatMap(({ tabs }, index) =>
    tabs.flatMap((tab, at) => placeProblems(tab, `recipients[${index}].tabs[${at}]`, documents)),
  );
}

function placeProblems(
  tab: Tab,
  field: string,
  documents: ReadonlyMap<string, AgreementDocument>,
): readonly FieldProblem[] {
  const document = documents.get(tab.documentId ?? "");
  if (document === undefined) {
    return [
      problem(`${field}.documentId`, "UNKNOWN_DOCUMENT", "must be the documentId of a document of the agreement"),
    ];
  }
  if (tab.type !== "radio-group") return spotProblems(tab, field, document);
  return tab.buttons.flatMap((button, index) => spotProblems(button, `${field}.buttons[${index}]`, document));
}

/**
 * Tabs with visible content on a certified document would break its certification. The problem names the tab,
 * the document and the lock.
 */
function certifiedProblems({ documents, recipients }: Agreement): readonly FieldProblem[] {
  const locks = new Map(documents.map(({ documentId, warnings }) => [documentId, lockOf(warnings)]));
  return recipients.flatMap(({ tabs }, index) =>
    tabs.flatMap((tab, at) => {
      const lock = locks.get(tab.documentId ?? "");
      if (lock === undefined || tab.conceal || shownNever.has(tab.type)) return [];
      const message = `Document ${tab.documentId} is certified and locked (${lock}): what a tab shows would break the signature`;
      return [problem(`recipients[${index}].tabs[${at}]`, "DOCUMENT_CERTIFIED", message)];
    }),
  );
}

/** Tabs for acting only, which draw nothing. */
const shownNever: ReadonlySet<Tab["type"]> = new Set(["approve", "decline", "note", "attachment"]);

type Spot = Pick<Tab, "page" | "x" | "y">;

function spotProblems({ page, x, y }: Spot, field: string, { pages }: AgreementDocument): readonly FieldProblem[] {
  const size = pages[page - 1];
  if (size === undefined) return [problem(`${field}.page`, "UNKNOWN_PAGE", `must be 1 to ${pages.length}`)];
  if (x >= 0 && y >= 0 && x <= size.width && y <= size.height) return [];
  return [
    problem(field, "TAB_OUT_OF_BOUNDS", `must be on page ${page}, which is ${size.width} by ${size.height} points`),
  ];
}
