import { DomainError, type FieldProblem } from "#platform/errors.ts";
import type { Agreement, JsonObject, Notification, Recipient } from "../agreement/agreement.ts";
import { type Change, changeTo, type DecisionContext, noChange, thenChange } from "../agreement/change.ts";
import type { RecipientDefinition } from "../agreement/definition.ts";
import { after, firstCharacters, invalid, problem, refuse, storable } from "../agreement/problems.ts";
import { auditNames, isActing } from "../agreement/recipients.ts";
import { daysAfter, invalidStatus, isOpen, withRecipientStatus } from "../agreement/transitions.ts";
import { withGiven } from "../create/given-members.ts";
import type { AnchorMatches } from "../create/place-tabs.ts";
import { afresh } from "../identity/checks.ts";
import { isOverdue } from "../send/end-agreement.ts";
import { followUpJobs } from "../send/follow-up-jobs.ts";
import { type ChangedPart, correctedMails, farewells } from "../send/mails.ts";
import { deliverWhenOpened } from "../send/open.ts";
import { routeOn } from "../send/route.ts";
import { requireComplete, withPlacedTabs } from "../send/send.ts";
import { isScheduled } from "../workflow/hold.ts";
import { findRecipient, requireUnsigned, withRecipientsPut } from "./edit-recipients.ts";
import { type ChangeTabs, changedTabs } from "./edit-tabs.ts";

/** What is to be otherwise in an agreement that has been sent. Members that are absent stay. */
export interface Corrections {
  /** Empty when none is given. */
  readonly reason: string;
  readonly texts: { readonly emailSubject?: string; readonly emailBlurb?: string };
  readonly notification: Partial<Notification>;
  /** By recipientId or UUID; removed before others are put. */
  readonly removeRecipientIds: readonly string[];
  /** Those with an existing recipientId change that recipient, and have no tabs. */
  readonly recipients: readonly RecipientDefinition[];
  /** Whether a recipientId that exists is an error. */
  readonly addsOnly?: boolean;
  readonly tabs: readonly ChangeTabs[];
}

/** What the corrections come to before their anchors are found. */
export interface Corrected {
  readonly agreement: Agreement;
  readonly recipientIds: readonly string[];
  readonly tabs: readonly (JsonObject & {
    readonly tabsAdded: readonly string[];
    readonly tabsChanged: readonly string[];
  })[];
}

/** UUIDs of recipients: whose open pages end, and whose links do as well. */
export interface EndedViews {
  readonly pagesOf: readonly string[];
  readonly linksOf: readonly string[];
}

/** Whether somebody still has to act, in time. */
export const isCorrectable = (agreement: Agreement, now: Date): boolean =>
  isOpen(agreement) && !isOverdue(agreement, now);

/** Throws INVALID_ENVELOPE_STATUS unless somebody still has to act, in time. */
export function requireCorrectable(agreement: Agreement, now: Date): void {
  if (!isCorrectable(agreement, now)) throw invalidStatus(agreement, "correct");
}

/** Applies corrections one after the other: removals, recipients, fields, then the rest. */
export function applyCorrections(agreement: Agreement, given: Corrections, context: DecisionContext): Corrected {
  requireCorrectable(agreement, context.now);
  const removed = new Set(requireUnsigned(agreement, given.removeRecipientIds));
  const left = { ...agreement, recipients: agreement.recipients.filter((one) => !removed.has(one)) };
  const put = putPeople(left, given, context);
  const fields = correctTabs({ ...agreement, recipients: put.recipients }, given.tabs, context);
  const { emailSubject, emailBlurb, notification } = withGiven(agreement, {
    ...{ ...given.texts, notification: given.notification, documents: [], recipients: [], customFields: [] },
  });
  const members = { emailSubject, emailBlurb, notification };
  const corrected = withTimes(agreement, { ...fields.agreement, ...members }, context.now);
  return { agreement: corrected, recipientIds: put.recipientIds, tabs: fields.tabs };
}

function putPeople(agreement: Agreement, { recipients: definitions, addsOnly }: Corrections, context: DecisionContext) {
  const changeExisting = addsOnly !== true;
  const existing = definitions.map(({ recipientId }) =>
    changeExisting ? findRecipient(agreement, recipientId) : undefined,
  );
  requireUnsigned(
    agreement,
    existing.flatMap((one) => one?.id ?? []),
  );
  refuse(existing.flatMap((one, index) => fixedProblems(one, definitions[index], `recipients[${index}]`)));
  const put = withRecipientsPut(agreement, { recipients: definitions, changeExisting }, context);
  const before = new Map(agreement.recipients.map((one) => [one.id, one]));
  const recipients = put.recipients.map((one) => settled(before.get(one.id), one, agreement, context));
  const asked = recipients.filter(({ recipientId }) => put.recipientIds.includes(recipientId));
  refuse(
    asked.flatMap(({ name, recipientId }) =>
      name.trim() === "" ? [nameless(put.recipientIds.indexOf(recipientId))] : [],
    ),
  );
  return { recipients, recipientIds: put.recipientIds };
}

const nameless = (index: number): FieldProblem => problem(`recipients[${index}].name`, "REQUIRED", "must not be empty");

function fixedProblems(
  before: Recipient | undefined,
  definition: RecipientDefinition | undefined,
  field: string,
): readonly FieldProblem[] {
  if (before === undefined || definition === undefined) return [];
  return [
    ...(definition.role === undefined || definition.role === before.role
      ? []
      : [problem(`${field}.role`, "IMMUTABLE", "cannot change; remove the recipient and add another one")]),
    ...(definition.tabs.length === 0
      ? []
      : [problem(`${field}.tabs`, "NOT_ALLOWED", "are corrected by the list of tabs; only new recipients bring some")]),
  ];
}

/**
 * Somebody else has an id of their own: links, sessions, progress and the trail of the former are never theirs. Whose turn
 * is put off is asked again when it comes.
 */
function settled(
  before: Recipient | undefined,
  one: Recipient,
  { currentRoutingOrder }: Agreement,
  context: DecisionContext,
) {
  if (before === undefined || before === one) return one;
  if (isSomebodyElse(before, one)) {
    return { ...unasked(one), id: context.newId(), verification: afresh(one.verification, context) };
  }
  if (!isActing(one) || one.routingOrder <= currentRoutingOrder) return one;
  return unasked(withRecipientStatus(one, "created", context.now));
}

const who = ["name", "email", "clientUserId", "hostName", "hostEmail"] as const;
const isSomebodyElse = (before: Recipient, one: Recipient): boolean => who.some((name) => before[name] !== one[name]);

const unasked = (recipient: Recipient): Recipient => ({
  ...recipient,
  status: "created",
  ...{ sentAt: null, deliveredAt: null, consentedAt: null, signature: null, initials: null },
  ...{ deliveryFailedAt: null, deliveryFailedReason: "" },
});

function correctTabs(agreement: Agreement, commands: readonly ChangeTabs[], context: DecisionContext) {
  let current = agreement;
  const tabs = commands.map((command, index) => {
    const [recipient] = requireUnsigned(current, [command.recipientId]);
    if (recipient === undefined) throw new DomainError("RECIPIENT_NOT_FOUND");
    const field = `tabs[${index}]`;
    refuse(command.change.flatMap((tab, at) => anchorProblems(tab, `${field}.change[${at}]`)));
    const { tabs: changed, ...details } = changedTabs(recipient, command, context, `${field}.add`);
    const placed = keepPlaces(recipient, { ...recipient, tabs: changed }, command);
    current = { ...current, recipients: current.recipients.map((one) => (one === recipient ? placed : one)) };
    return { ...auditNames(recipient), ...details };
  });
  return { agreement: current, tabs };
}

/** An anchor places a tab when it is sent, at every occurrence; afterwards the tab has a place of its own. */
const anchorProblems = (
  { anchor, buttons = [] }: ChangeTabs["change"][number],
  field: string,
): readonly FieldProblem[] =>
  (anchor ?? buttons.find((button) => button.anchor !== null)?.anchor ?? null) === null
    ? []
    : [problem(`${field}.anchor`, "IMMUTABLE", "cannot change once it is sent; remove the tab and add another one")];

function keepPlaces(before: Recipient, recipient: Recipient, { change }: ChangeTabs): Recipient {
  const given = new Map(change.map((tab) => [tab.tabId, tab]));
  const placed = new Map(before.tabs.map((tab) => [tab.tabId, tab]));
  const tabs = recipient.tabs.map((tab) => {
    const former = placed.get(tab.tabId);
    if (former === undefined || former === tab) return tab;
    return { ...tab, isPlaced: former.isPlaced, documentId: given.get(tab.tabId)?.documentId ?? former.documentId };
  });
  return { ...recipient, tabs };
}

const expiring = ["expireEnabled", "expireAfter", "expireWarn"] as const;
const reminding = ["reminderEnabled", "reminderDelay", "reminderFrequency"] as const;

/** It expires counted from sending, as before; reminders count from the correction. */
function withTimes(before: Agreement, corrected: Agreement, now: Date): Agreement {
  // What was sent for later has no times before it is sent.
  if (isScheduled(before)) return corrected;
  const { notification } = corrected;
  const isOther = (names: readonly (keyof Notification)[]) =>
    names.some((name) => before.notification[name] !== notification[name]);
  const expiresAt = isOther(expiring)
    ? notification.expireEnabled
      ? daysAfter(before.sentAt ?? now, notification.expireAfter)
      : null
    : before.expiresAt;
  if (expiresAt !== null && expiresAt <= now) {
    const message = "is counted from sending, and must not be over already";
    throw invalid(problem("notification.expireAfter", "OUT_OF_RANGE", message));
  }
  const remindAt = isOther(reminding)
    ? notification.reminderEnabled
      ? daysAfter(now, notification.reminderDelay)
      : null
    : before.remindAt;
  return { ...corrected, expiresAt, remindAt };
}

const maxReasonLength = 500;

/** Corrects an agreement that has been sent. Nothing happens when nothing is otherwise than before. */
export function correctAgreement(
  agreement: Agreement,
  given: Corrections,
  matches: AnchorMatches,
  context: DecisionContext,
): { readonly change: Change; readonly corrected: Corrected; readonly ended: EndedViews } {
  const corrected = applyCorrections(agreement, given, context);
  requireComplete(corrected.agreement);
  const placed = withPlacedTabs(corrected.agreement, matches, context);
  // Whoever is untouched stays the same object, which the store need not write.
  const recipients = placed.recipients.map((one, index) => {
    const unplaced = corrected.agreement.recipients[index];
    return unplaced?.tabs.every(({ isPlaced }) => isPlaced) === true ? unplaced : one;
  });
  const difference = differenceOf(agreement, { ...corrected.agreement, recipients }, corrected);
  if (difference === undefined) {
    return { change: noChange(agreement), corrected, ended: { pagesOf: [], linksOf: [] } };
  }
  const next = { ...corrected.agreement, recipients, modifiedAt: after(agreement.modifiedAt, context.now) };
  const reason = firstCharacters(storable(given.reason.trim()), maxReasonLength);
  const details = { ...difference.details, ...(reason === "" ? {} : { reason }) };
  const announced = changeTo(next, {
    audit: [{ action: "agreement.corrected", actor: context.actor, details }],
    events: [{ kind: "agreement.corrected" }],
    jobs: [
      ...followUpJobs.expiry(next),
      ...followUpJobs.expiryWarning(next),
      ...followUpJobs.reminder(next),
      ...farewells(next, difference.gone),
      ...correctedMails(agreement, next, difference.changesFor),
    ],
  });
  const acting = agreement.recipients.filter(isActing).map(({ id }) => id);
  const routed = thenChange(announced, (begun) => routeOn(begun, context));
  return {
    change: thenChange(routed, (begun) => deliverWhenOpened(begun, context)),
    corrected,
    ended: { pagesOf: difference.isVisible ? acting : [], linksOf: difference.gone.map(({ id }) => id) },
  };
}

interface Difference {
  readonly details: JsonObject;
  /** Those who take no part any more. */
  readonly gone: readonly Recipient[];
  /** What is otherwise for this recipient. */
  changesFor(recipient: Recipient): readonly ChangedPart[];
  /** Whether people see anything else than before. */
  readonly isVisible: boolean;
}

/** Values of messages and notes stay out of the trail, as those of drafts do: they can be personal. */
function differenceOf(before: Agreement, next: Agreement, { tabs }: Corrected): Difference | undefined {
  const known = new Map(before.recipients.map((one) => [one.id, one]));
  const still = new Map(next.recipients.map((one) => [one.id, one]));
  const gone = before.recipients.filter(({ id }) => !still.has(id));
  const come = next.recipients.filter(({ id }) => !known.has(id));
  const successors = new Map(come.map((one) => [one.recipientId, one]));
  const replaced = gone.flatMap((former) => {
    const by = successors.get(former.recipientId);
    return by === undefined ? [] : [{ former, by }];
  });
  const changed = next.recipients.flatMap((one) => {
    const names = changedNames(known.get(one.id), one);
    return names.length === 0 ? [] : [{ ...auditNames(one), changed: names }];
  });
  const members = (["emailSubject", "emailBlurb", "notification"] as const).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(next[name]),
  );
  const lists = {
    recipientsReplaced: replaced.map(({ former, by }) => ({ former: auditNames(former), by: auditNames(by) })),
    recipientsAdded: come.filter((one) => !replaced.some(({ by }) => by === one)).map(auditNames),
    recipientsRemoved: gone.filter((one) => !replaced.some(({ former }) => former === one)).map(auditNames),
    recipientsChanged: changed,
    tabs: tabs.filter(({ tabsAdded, tabsChanged, tabsRemoved }) =>
      [tabsAdded, tabsChanged, tabsRemoved as readonly string[]].some((ids) => ids.length > 0),
    ),
  };
  const filled = Object.entries(lists).filter(([, list]) => list.length > 0);
  if (filled.length === 0 && members.length === 0) return undefined;
  const details = { ...(members.length === 0 ? {} : { changed: members }), ...Object.fromEntries(filled) };
  const isReordered = changed.some((one) => one.changed.includes("routingOrder"));
  const isExpiryOther = before.expiresAt?.getTime() !== next.expiresAt?.getTime();
  const ofAll: readonly (readonly [ChangedPart, boolean])[] = [
    ["subject", members.includes("emailSubject")],
    ["message", members.includes("emailBlurb")],
    ["until", isExpiryOther],
    ["people", gone.length + come.length > 0],
    ["order", isReordered],
    ["fields", lists.tabs.length > 0],
  ];
  return {
    ...{ details, gone },
    changesFor: (one) => {
      const own = changed.find(({ recipientGuid }) => recipientGuid === one.id)?.changed ?? [];
      const parts = [
        ...ofAll.flatMap(([part, isOther]) => (isOther ? [part] : [])),
        ...own.flatMap((name) => ownParts[name] ?? []),
      ];
      return [...new Set(parts)];
    },
    isVisible: filled.length > 0 || isExpiryOther || members.some((name) => name !== "notification"),
  };
}

/** What only the recipient sees of it. */
const ownParts: { readonly [name in string]?: ChangedPart } = {
  ...{ emailSubject: "subject", emailBlurb: "message", note: "message", locale: "language" },
};

const told = [
  ...(["routingOrder", "note", "locale", "roleName", "emailSubject", "emailBlurb"] as const),
  ...(["verification", "excludedDocuments"] as const),
] as const;

const changedNames = (before: Recipient | undefined, one: Recipient): readonly string[] =>
  before === undefined || before === one
    ? []
    : told.filter((name) => JSON.stringify(before[name] ?? []) !== JSON.stringify(one[name] ?? []));
