import type { Agreement, Recipient } from "#api/agreements.ts";
import type { TabAnswer } from "#api/tabs.ts";
import type { Field } from "../sending/field.ts";
import { allOf, groupsOf, hasFields, lowestFree } from "../sending/recipients.ts";
import type { Draft, RecipientInput, Tab } from "../sending/types.ts";

/** What is to be otherwise in an agreement that was sent, while somebody writes it. */
export interface Correction {
  /** Those who have not finished, and new ones. */
  readonly people: readonly RecipientInput[];
  readonly subject: string;
  readonly message: string;
  readonly reminders: Agreement["reminders"];
  readonly expiration: Agreement["expiration"];
  /** Of everybody of `people`. */
  readonly fields: readonly Field[];
}

type Placed = Tab & Partial<Pick<TabAnswer, "tabId">>;

const isUnfinished = ({ status }: Recipient): boolean => status !== "completed" && status !== "declined";

const unfinished = ({ recipients }: Agreement): Recipient[] => allOf(recipients).filter(isUnfinished);

/** The agreement as it is. A text that a field was placed at matters no more once it has been sent. */
export function correctionOf(agreement: Agreement): Correction {
  const { emailSubject, emailBlurb, reminders, expiration } = agreement;
  const people = unfinished(agreement);
  const placed = (tab: TabAnswer): Placed => ({
    ...tab,
    anchor: null,
    buttons: tab.buttons.map((button) => ({ ...button, anchor: null })),
  });
  return {
    ...{ people, subject: emailSubject ?? "", message: emailBlurb ?? "", reminders, expiration },
    fields: people
      .filter(hasFields)
      .flatMap(({ recipientId, tabs }) => tabs.map((tab) => ({ key: tab.tabId, recipientId, tab: placed(tab) }))),
  };
}

/** Nobody new is called as somebody who has finished. */
export function withFreeIds(agreement: Agreement, people: readonly RecipientInput[]): RecipientInput[] {
  const finished = allOf(agreement.recipients).filter((one) => !isUnfinished(one));
  const taken = [...finished, ...people].map(({ recipientId }) => recipientId);
  return people.map((one) =>
    finished.some(({ recipientId }) => recipientId === one.recipientId)
      ? { ...one, recipientId: lowestFree(taken) }
      : one,
  );
}

/** What the editor of fields shows: those who have not finished, with their fields. */
export const draftWith = (agreement: Agreement, { people, fields }: Pick<Correction, "people" | "fields">): Draft => {
  const withTabs = people.map((one) => ({
    ...one,
    tabs: fields.filter(({ recipientId }) => recipientId === one.recipientId).map(({ tab }) => tab),
  }));
  const others = { carbonCopies: [], certifiedDeliveries: [] };
  const hosted = withTabs.filter(({ role }) => role === "inPersonSigner");
  const signers = withTabs.filter((one) => hasFields(one) && one.role !== "inPersonSigner");
  return { ...agreement, recipients: { signers, inPersonSigners: hosted, ...others } };
};

export interface FieldChanges {
  readonly recipientId: string;
  readonly add: readonly Tab[];
  readonly change: readonly (Partial<Tab> & { readonly tabId: string })[];
  readonly remove: readonly string[];
}

/** What becomes of the fields of those who are there already. A copy has the id of what it was copied from, and is new. */
export function fieldChanges(agreement: Agreement, { people, fields }: Correction): FieldChanges[] {
  const before = correctionOf(agreement).fields;
  const kept = new Set(unfinished(agreement).map(({ recipientId }) => recipientId));
  return people
    .filter((one) => kept.has(one.recipientId) && hasFields(one))
    .flatMap(({ recipientId }) => {
      const former = new Map(before.filter((one) => one.recipientId === recipientId).map(({ key, tab }) => [key, tab]));
      const add: Tab[] = [];
      const change: FieldChanges["change"][number][] = [];
      for (const { tab } of fields.filter((one) => one.recipientId === recipientId)) {
        const { tabId = "", ...members } = tab as Placed;
        const known = former.get(tabId);
        former.delete(tabId);
        if (known === undefined) add.push(members);
        else change.push(...otherMembers(known, members, tabId));
      }
      const remove = [...former.keys()];
      return add.length + change.length + remove.length === 0 ? [] : [{ recipientId, add, change, remove }];
    });
}

function otherMembers(before: Tab, after: Tab, tabId: string): FieldChanges["change"] {
  const names = (Object.keys(after) as (keyof Tab)[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  return names.length === 0 ? [] : [{ tabId, ...Object.fromEntries(names.map((name) => [name, after[name]])) }];
}

/** Those who are there no more. */
export const removedFrom = (agreement: Agreement, { people }: Pick<Correction, "people">): Recipient[] =>
  unfinished(agreement).filter((one) => !people.some(({ recipientId }) => recipientId === one.recipientId));

/** As the API takes it: all or nothing, and only if nobody has changed the agreement meanwhile. */
export function correctionBody(agreement: Agreement, wanted: Correction, reason: string): object {
  const { people, fields, subject, message, reminders, expiration } = wanted;
  const known = new Set(unfinished(agreement).map(({ recipientId }) => recipientId));
  const tabsOf = (id: string) => fields.filter(({ recipientId }) => recipientId === id).map(({ tab }) => tab);
  const put = people.map((one) => ({ ...one, tabs: known.has(one.recipientId) ? [] : tabsOf(one.recipientId) }));
  return {
    ...{
      ifModifiedAt: agreement.modifiedAt,
      emailSubject: subject.trim(),
      emailBlurb: message.trim(),
      reminders,
      expiration,
    },
    ...(reason.trim() === "" ? {} : { reason: reason.trim() }),
    removeRecipients: removedFrom(agreement, wanted).map(({ recipientId }) => recipientId),
    recipients: groupsOf(put),
    tabs: fieldChanges(agreement, wanted),
  };
}
