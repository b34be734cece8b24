import type { Adopted } from "#api/ceremony.ts";
import type { TabToFill as Tab } from "#api/tabs.ts";
import type { TabValue } from "./api.ts";

/** What the person has put in so far. */
export interface Fields {
  /** All fields, in the order in which a person goes through them. */
  readonly tabs: readonly Tab[];
  valueOf(tab: Tab): string;
  /** Fields of one name share their value. */
  set(tab: Tab, value: string): void;
  /** Whether what it depends on has been chosen. */
  isShown(tab: Tab): boolean;
  isDone(tab: Tab): boolean;
  required(): { readonly done: number; readonly total: number };
  /** The first required field after this one that is not done, from the beginning when there is none after it. */
  nextAfter(tabId: string | undefined): Tab | undefined;
  values(): TabValue[];
  /** What was saved in another tab or on another device. Signatures are shown anew, as another one may be adopted. */
  restore(saved: readonly Tab[]): void;
  signature: Adopted | null;
  initials: Adopted | null;
  /** Called after every change, with the fields whose values are others now. */
  onChange: (changed: readonly Tab[]) => void;
  /** Called before that when the person has changed them here. */
  onEdit: (changed: readonly Tab[]) => void;
}

/** Types that the service fills in by itself, or that show something only. */
const passive = new Set(["date-signed", "full-name", "first-name", "last-name", "email", "agreement-id", "note"]);

/** Buttons that end the ceremony, one way or the other; they have no value. */
const actions = new Set(["approve", "decline"]);

export const isPassive = ({ type }: Tab): boolean => passive.has(type);

export const isSignature = ({ type }: Tab): boolean => type === "signature" || type === "initials";

/** What a click on a signature field means. */
const signedValue = "signed";

export function createFields(
  tabs: readonly Tab[],
  documentIds: readonly string[],
  saved: Pick<Fields, "signature" | "initials"> = { signature: null, initials: null },
): Fields {
  const ordered = [...tabs].sort((a, b) => {
    const [one, other] = [placeOf(a), placeOf(b)];
    return (
      (a.tabOrder || Number.MAX_SAFE_INTEGER) - (b.tabOrder || Number.MAX_SAFE_INTEGER) ||
      documentIds.indexOf(a.documentId) - documentIds.indexOf(b.documentId) ||
      one.page - other.page ||
      one.y - other.y ||
      one.x - other.x
    );
  });
  const values = new Map(ordered.map((tab) => [tab.tabId, tab.value]));
  const sharing = (tab: Tab): Tab[] =>
    isShared(tab) ? ordered.filter((one) => isShared(one) && one.label === tab.label && one.type === tab.type) : [tab];

  const fields: Fields = {
    tabs: ordered,
    signature: saved.signature,
    initials: saved.initials,
    onChange: () => undefined,
    onEdit: () => undefined,
    valueOf: (tab) => values.get(tab.tabId) ?? "",
    set: (tab, value) => {
      const changed = sharing(tab);
      for (const one of changed) values.set(one.tabId, value);
      fields.onEdit(changed);
      fields.onChange(changed);
    },
    isShown: (tab) => isShown(tab, ordered, values),
    isDone: (tab) => {
      const value = values.get(tab.tabId) ?? "";
      return tab.type === "checkbox" ? value === "true" : value !== "";
    },
    required: () => {
      const wanted = ordered.filter((tab) => isWanted(tab) && fields.isShown(tab));
      return { done: wanted.filter(fields.isDone).length, total: wanted.length };
    },
    nextAfter: (tabId) => {
      const open = (tab: Tab): boolean => isWanted(tab) && fields.isShown(tab) && !fields.isDone(tab);
      const at = ordered.findIndex((tab) => tab.tabId === tabId);
      return ordered.slice(at + 1).find(open) ?? ordered.find(open);
    },
    values: () =>
      ordered
        .filter((tab) => !isPassive(tab) && !actions.has(tab.type) && !tab.locked && fields.isShown(tab))
        .map(({ tabId }) => ({ tabId, value: values.get(tabId) ?? "" })),
    restore: (saved) => {
      const others = new Map(saved.map(({ tabId, value }) => [tabId, value]));
      const isOther = ({ tabId }: Tab): boolean => (others.get(tabId) ?? "") !== values.get(tabId);
      const changed = ordered.filter(isOther);
      for (const { tabId } of changed) values.set(tabId, others.get(tabId) ?? "");
      fields.onChange(changed);
    },
  };
  return fields;
}

/** Radio groups have no place of their own, but each of their buttons has. */
const placeOf = (tab: Tab): { page: number; x: number; y: number } => tab.buttons[0] ?? tab;

const isWanted = (tab: Tab): boolean => tab.required && !tab.locked && !isPassive(tab) && !actions.has(tab.type);

/** Fields of one name share their value, except signatures. A field whose label is just its type was not named at all. */
const isShared = (tab: Tab): boolean => !isSignature(tab) && !tab.locked && tab.label !== tab.type;

/** The same rules as in the service: what depends on something that is not shown is not shown either. */
function isShown(
  tab: Tab,
  all: readonly Tab[],
  values: ReadonlyMap<string, string>,
  asked: ReadonlySet<Tab> = new Set(),
): boolean {
  if (asked.has(tab)) return false;
  const parents = tab.conditionLabel === "" ? [] : all.filter(({ label }) => label === tab.conditionLabel);
  const within = new Set([...asked, tab]);
  const holds = (parent: Tab): boolean =>
    isMet(tab, parent, values.get(parent.tabId) ?? "") && isShown(parent, all, values, within);
  return parents.length === 0 || parents.some(holds);
}

/** Conditions of senders write "on" for a checked box. */
const isMet = ({ conditionValue }: Tab, { type }: Tab, value: string): boolean =>
  type === "checkbox"
    ? (value === "true") === ["on", "true", "x"].includes(conditionValue.toLowerCase())
    : value === conditionValue;

export const sign = (fields: Fields, tab: Tab): void => fields.set(tab, signedValue);
