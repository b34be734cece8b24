import type { CheckName, Status } from "../src/finding.ts";

/** What each check looks at, in a few words. */
export const checkTitles: Readonly<Record<CheckName, string>> = {
  BUNDLE_SIGNATURE: "Signature of the bundle",
  KEYS: "Origin of the keys",
  CONTENT_HASH: "The text",
  RENDER_HASH: "The text as it was shown",
  WORDS_HASH: "The words around it",
  DEPLOYMENT_HASH: "Where it was shown",
  TERMS_HASH: "The terms",
  POLICY_HASH: "The policy",
  POLICY: "The policy was met",
  SIGNATURE: "Signature of the record",
  KEY_VALIDITY: "The key was good",
  LEAF: "The record agrees",
  DISCLOSURES: "The person’s data",
  INCLUSION: "In the log",
  CHECKPOINT: "The log signed it",
  ANCHOR_INCLUSION: "In the anchor log",
  ANCHOR_CHECKPOINT: "The anchor log signed it",
  TIMESTAMP: "Time stamp",
  TIMESTAMP_TRUST: "Trust in the time stamp",
  COSIGNATURES: "Witnesses",
  RENDER_TOKEN: "Shown by the service",
};

export const statusLabels: Readonly<
  Record<Status, { readonly sign: string; readonly text: string; readonly name: string }>
> = {
  PASS: { sign: "✓", text: "Passed", name: "pass" },
  FAIL: { sign: "✕", text: "Failed", name: "fail" },
  "NOT PRESENT": { sign: "–", text: "Not present", name: "absent" },
  ERASED: { sign: "⌫", text: "Erased", name: "erased" },
};

const recordKinds: Readonly<Record<string, string>> = {
  "click.acceptance": "Acceptance",
  "click.decline": "Refusal",
  "click.session.completed": "End of the session",
};

export const recordTitle = (kind: string): string => recordKinds[kind] ?? "Record";
