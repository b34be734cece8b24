import type { TabType } from "./types.ts";

interface TabKind {
  /** In points, as the API makes them when nothing else is said. */
  readonly width: number;
  readonly height: number;
  readonly isRequired: boolean;
  /** Whether the recipient may be made to fill it in, or to leave it. */
  readonly mayBeRequired: boolean;
  /** What else can be said of it. */
  readonly has: readonly ("label" | "value" | "maxLength" | "pattern" | "items" | "buttons" | "locked")[];
}

const service = { width: 100, height: 16, isRequired: false, mayBeRequired: false, has: [] } as const;
const person = { width: 100, height: 16, isRequired: true, mayBeRequired: true } as const;

const kinds: Readonly<Record<TabType, TabKind>> = {
  signature: { width: 110, height: 35, isRequired: true, mayBeRequired: true, has: [] },
  initials: { width: 55, height: 35, isRequired: true, mayBeRequired: true, has: [] },
  dateSigned: service,
  fullName: service,
  firstName: service,
  lastName: service,
  email: service,
  company: { ...person, has: ["label", "value"] },
  title: { ...person, has: ["label", "value"] },
  text: { ...person, has: ["label", "value", "maxLength", "pattern", "locked"] },
  number: { ...person, has: ["label", "value", "locked"] },
  date: { ...person, has: ["label", "value", "locked"] },
  checkbox: { width: 12, height: 12, isRequired: false, mayBeRequired: true, has: ["label"] },
  radioGroup: { width: 12, height: 12, isRequired: true, mayBeRequired: true, has: ["label", "buttons"] },
  list: { width: 100, height: 18, isRequired: true, mayBeRequired: true, has: ["label", "items"] },
  attachment: { width: 30, height: 30, isRequired: true, mayBeRequired: true, has: ["label"] },
  note: { width: 200, height: 40, isRequired: false, mayBeRequired: false, has: ["value"] },
  approve: { width: 90, height: 25, isRequired: false, mayBeRequired: false, has: [] },
  decline: { width: 90, height: 25, isRequired: false, mayBeRequired: false, has: [] },
  agreementId: service,
};

export const kindOf = (type: TabType): TabKind => kinds[type];

/** Fields with one label share what is entered, so that only those get one that somebody fills in. */
export const isNamed = (type: TabType): boolean => kinds[type].has.includes("label");
