import type { Tab, TabType } from "./tab.ts";

interface TabDefaults {
  readonly width: number;
  readonly height: number;
  readonly required: boolean;
}

/** How large a tab is in points, and whether it has to be filled in, when nobody says. */
export const tabDefaults: Readonly<Record<TabType, TabDefaults>> = {
  signature: { width: 110, height: 35, required: true },
  initials: { width: 55, height: 35, required: true },
  "date-signed": { width: 100, height: 16, required: false },
  "full-name": { width: 100, height: 16, required: false },
  "first-name": { width: 100, height: 16, required: false },
  "last-name": { width: 100, height: 16, required: false },
  email: { width: 100, height: 16, required: false },
  company: { width: 100, height: 16, required: true },
  title: { width: 100, height: 16, required: true },
  text: { width: 100, height: 16, required: true },
  number: { width: 100, height: 16, required: true },
  date: { width: 100, height: 16, required: true },
  checkbox: { width: 12, height: 12, required: false },
  "radio-group": { width: 12, height: 12, required: true },
  list: { width: 100, height: 18, required: true },
  note: { width: 200, height: 40, required: false },
  approve: { width: 90, height: 25, required: false },
  decline: { width: 90, height: 25, required: false },
  attachment: { width: 30, height: 30, required: true },
  "agreement-id": { width: 100, height: 16, required: false },
};

/** What a tab is while nobody has said anything of it, and no type has. */
export const blankTab: Tab = {
  tabId: "",
  type: "text",
  label: "",
  documentId: null,
  page: 1,
  x: 0,
  y: 0,
  width: 0,
  height: 0,
  anchor: null,
  isPlaced: true,
  required: false,
  locked: false,
  value: "",
  originalValue: "",
  items: [],
  buttons: [],
  tooltip: "",
  name: "",
  maxLength: 0,
  validationPattern: "",
  validationMessage: "",
  scale: 1,
  conditionLabel: "",
  conditionValue: "",
  variant: "",
  style: null,
  shared: false,
  tabOrder: 0,
  conceal: false,
  status: "active",
};

/** A tab of a type of which nobody has said anything. */
export function defaultTab(type: TabType, tabId: string): Tab {
  const value = type === "checkbox" ? "false" : "";
  return { ...blankTab, ...tabDefaults[type], tabId, type, label: type, value };
}
