import type { TabType } from "./tab.ts";

/**
 * Where the value of a tab comes from: the person fills it, adopts it (signature and initials), the service writes it
 * when they finish, or there is none.
 */
export type ValueSource = "person" | "adopted" | "service" | "none";

export const valueSources: { readonly [Type in TabType]: ValueSource } = {
  signature: "adopted",
  initials: "adopted",
  "date-signed": "service",
  "full-name": "service",
  "first-name": "service",
  "last-name": "service",
  email: "service",
  "agreement-id": "service",
  company: "person",
  title: "person",
  text: "person",
  number: "person",
  date: "person",
  checkbox: "person",
  "radio-group": "person",
  list: "person",
  attachment: "person",
  note: "none",
  approve: "none",
  decline: "none",
};
