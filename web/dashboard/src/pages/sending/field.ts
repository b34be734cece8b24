import type { TabProposal } from "#api/tabs.ts";
import { allOf, hasFields } from "./recipients.ts";
import { isNamed, kindOf } from "./tab-kinds.ts";
import type { Draft, Recipient, RecipientInput, Tab, TabType } from "./types.ts";

/** A tab while it is being placed. */
export interface Field {
  readonly key: string;
  readonly recipientId: string;
  readonly tab: Tab;
}

/** Where a box of a field is, in points. A group of radio buttons has a box for each of them. */
export interface Spot {
  readonly documentId: string;
  readonly page: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PageSize {
  readonly width: number;
  readonly height: number;
}

export const fieldsOf = (draft: Draft): Field[] =>
  allOf(draft.recipients)
    .filter(hasFields)
    .flatMap(({ recipientId, tabs }) => tabs.map((tab) => ({ key: crypto.randomUUID(), recipientId, tab })));

/** The recipients with the fields that they have now. */
export const withTabs = (recipients: readonly RecipientInput[], fields: readonly Field[]): RecipientInput[] =>
  recipients.map((recipient) => ({
    ...recipient,
    tabs: fields.filter(({ recipientId }) => recipientId === recipient.recipientId).map(({ tab }) => tab),
  }));

/** Fields at a text of the document have no place before the agreement is sent. */
export const isAnchored = ({ tab }: Field): boolean =>
  tab.anchor !== null || tab.buttons.some(({ anchor }) => anchor != null);

export function spotsOf({ tab }: Field): Spot[] {
  const { type, documentId } = tab;
  if (documentId === null) return [];
  const { width, height } = sizeOf(tab);
  const places = type === "radioGroup" ? tab.buttons : [tab];
  return places.map(({ page, x, y }) => ({ documentId, page: page ?? 1, x: x ?? 0, y: y ?? 0, width, height }));
}

const sizeOf = ({ type, width, height }: Tab): PageSize => ({
  width: width ?? kindOf(type).width,
  height: height ?? kindOf(type).height,
});

interface NewField {
  readonly type: TabType;
  readonly recipientId: string;
  readonly spot: Pick<Spot, "documentId" | "page" | "x" | "y">;
  /** Those that there are, for a label of its own. */
  readonly fields: readonly Field[];
}

export function newField({ type, recipientId, spot, fields }: NewField): Field {
  const { width, height, isRequired } = kindOf(type);
  const others = { anchor: null, locked: false, scale: null, condition: null, shared: false };
  const rules = { tooltip: null, maxLength: null, validationPattern: null, validationMessage: null };
  const isGroup = type === "radioGroup";
  const tab: Tab = {
    ...{ type, ...spot, width, height, required: isRequired, ...others, ...rules },
    label: isNamed(type) ? freeLabel(type, fields) : null,
    value: type === "checkbox" ? "false" : null,
    items: [],
    buttons: isGroup ? [1, 2].map((number) => ({ ...under(spot, number - 1), value: String(number) })) : [],
  };
  return { key: crypto.randomUUID(), recipientId, tab };
}

/** The field that a proposal becomes: that of the signer whom it names, or of somebody else. */
export function proposedField(
  { signer, label, ...given }: TabProposal & { readonly documentId: string },
  people: readonly Recipient[],
  fields: readonly Field[],
): Field | undefined {
  const signers = people.filter(({ role }) => role !== "approver");
  const person = signers[signer - 1] ?? signers[0] ?? people[0];
  if (person === undefined) return undefined;
  const { type, width, height, required } = given;
  const { tab, ...field } = newField({ type, recipientId: person.recipientId, spot: spotOf(given), fields });
  return { ...field, tab: { ...tab, width, height, required, ...(label === "" ? {} : { label }) } };
}

const spotOf = ({ documentId, page, x, y }: Pick<Spot, "documentId" | "page" | "x" | "y">) => ({
  documentId,
  page,
  x,
  y,
});

/** A new button below the last one. */
export function withButton({ tab }: Field): Tab {
  const last = tab.buttons.at(-1);
  const taken = new Set(tab.buttons.map(({ value }) => value));
  let number = tab.buttons.length + 1;
  while (taken.has(String(number))) number += 1;
  const from = { page: last?.page ?? tab.page ?? 1, x: last?.x ?? tab.x ?? 0, y: last?.y ?? tab.y ?? 0 };
  return { ...tab, buttons: [...tab.buttons, { ...under(from, last === undefined ? 0 : 1), value: String(number) }] };
}

const under = <Place extends { page: number; x: number; y: number }>({ page, x, y }: Place, steps: number) => ({
  page,
  x,
  y: y + steps * 22,
});

/** What somebody has called it, in the tooltip or the label; not the label that a new field gets by itself. */
export const nameOfField = ({ tab }: Field): string | undefined =>
  tab.tooltip || (new RegExp(`^${tab.type} \\d+$`).test(tab.label ?? "") ? undefined : tab.label) || undefined;

function freeLabel(type: TabType, fields: readonly Field[]): string {
  const taken = new Set(fields.map(({ tab }) => tab.label));
  let number = 1;
  while (taken.has(`${type} ${number}`)) number += 1;
  return `${type} ${number}`;
}

/** The same elsewhere on the page; it shares no value with the first. */
export function copyOf(field: Field, fields: readonly Field[]): Field {
  const { tab } = field;
  const down = (tab.height ?? kindOf(tab.type).height) + 6;
  const shifted = tab.buttons.map((button) => ({ ...button, x: (button.x ?? 0) + 40 }));
  const label = isNamed(tab.type) ? freeLabel(tab.type, fields) : tab.label;
  const y = tab.y === null ? null : tab.y + down;
  return { ...field, key: crypto.randomUUID(), tab: { ...tab, label, y, buttons: shifted } };
}

/** With one of its boxes somewhere else. */
export function placed(tab: Tab, index: number, { documentId, page, x, y, width, height }: Spot): Tab {
  if (tab.type !== "radioGroup") return { ...tab, documentId, page, x, y, width, height };
  // All buttons of a group are on one document.
  const buttons = tab.buttons.map((button, at) => (at === index ? { ...button, page, x, y } : button));
  return { ...tab, buttons, ...(documentId === tab.documentId ? {} : { documentId }) };
}

/** The fields that lie over this one, or below it. */
export function coveredBy(field: Field, fields: readonly Field[]): Field[] {
  if (isAnchored(field)) return [];
  const spots = spotsOf(field);
  return fields.filter(
    (other) =>
      other.key !== field.key &&
      !isAnchored(other) &&
      spotsOf(other).some((one) => spots.some((spot) => isOver(one, spot))),
  );
}

/** A hair's breadth is no overlap: fields that were placed side by side touch. */
const isOver = (a: Spot, b: Spot): boolean =>
  a.documentId === b.documentId &&
  a.page === b.page &&
  Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x) > hair &&
  Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y) > hair;

const hair = 0.5;

/** The place nearest to a spot where it covers no other field; the spot itself on a page that is full. */
export function freeSpot(spot: Spot, fields: readonly Field[], size: PageSize): Spot {
  const taken = fields.filter((field) => !isAnchored(field)).flatMap(spotsOf);
  const isFree = (one: Spot): boolean => !taken.some((other) => isOver(one, other));
  if (isFree(spot)) return spot;
  const others = taken.filter(({ documentId, page }) => documentId === spot.documentId && page === spot.page);
  // Right beside, above or below another field, or in line with the spot.
  const xs = [spot.x, ...others.flatMap((one) => [one.x + one.width + gap, one.x - spot.width - gap])];
  const ys = [spot.y, ...others.flatMap((one) => [one.y + one.height + gap, one.y - spot.height - gap])];
  const distance = (one: Spot): number => Math.hypot(one.x - spot.x, one.y - spot.y);
  const free = xs
    .flatMap((x) => ys.map((y) => ({ ...spot, x, y })))
    .filter((one) => one.x >= 0 && one.y >= 0 && one.x + one.width <= size.width && one.y + one.height <= size.height)
    .sort((a, b) => distance(a) - distance(b))
    .find(isFree);
  return free === undefined ? spot : within(free, size);
}

/** Points between fields that find their place by themselves. */
const gap = 6;

const smallest = 8;

/** Wholly on the page, in steps of a tenth of a point. */
export function within(spot: Spot, size: PageSize): Spot {
  const width = tenth(between(spot.width, smallest, size.width));
  const height = tenth(between(spot.height, smallest, size.height));
  const x = tenth(between(spot.x, 0, size.width - width));
  const y = tenth(between(spot.y, 0, size.height - height));
  return { ...spot, x, y, width, height };
}

const between = (value: number, least: number, most: number): number => Math.max(least, Math.min(value, most));
const tenth = (value: number): number => Math.floor(value * 10) / 10;
