import type { CheckName, Finding, Status } from "../src/finding.ts";
import { isObject, type Json } from "../src/json.ts";
import { at, items } from "../src/read.ts";
import type { Verification } from "../src/verify-bundle.ts";
import { byId, element } from "./element.ts";

const signs: Readonly<Record<Verdict["name"], string>> = { genuine: "✓", unproven: "!", failed: "✕" };

/** Shows the result of the checks and moves the focus to it. */
export function showResult(bundle: Json, verification: Verification): void {
  const verdict = verdictOf(verification);
  const result = byId("result");
  result.replaceChildren(
    verdictBanner(verdict),
    factsOf(bundle),
    element("h2", { id: "checks-title" }, "All checks"),
    findingsTable(bundle, verification.checks),
  );
  result.hidden = false;
  byId("verdict").focus();
}

function verdictBanner({ name, title, text, reasons }: Verdict): HTMLElement {
  const listed = reasons.map(({ check, message }) =>
    element("li", {}, element("strong", {}, `${checkTitles[check]}: `), message),
  );
  return element(
    "div",
    { class: `verdict ${name}` },
    element("span", { class: "sign", "aria-hidden": "true" }, signs[name]),
    element(
      "div",
      {},
      element("h2", { id: "verdict", tabindex: "-1" }, title),
      element("p", {}, text),
      listed.length === 0 ? undefined : element("ul", {}, ...listed),
    ),
  );
}

/** What the checks come to, for people. */
interface Verdict {
  readonly name: "genuine" | "unproven" | "failed";
  readonly title: string;
  readonly text: string;
  /** The reason, when not everything passed. */
  readonly reasons: readonly Finding[];
}

function verdictOf({ ok, checks }: Verification): Verdict {
  const failed = checks.filter(({ status }) => status === "FAIL");
  if (!ok) {
    const count = failed.length === 1 ? "One check" : `${failed.length} checks`;
    return {
      name: "failed",
      title: "Do not rely on this bundle",
      text: `${count} of ${checks.length} failed.`,
      reasons: failed,
    };
  }
  const withoutKeys = checks.some(({ check, status }) => check === "KEYS" && status === "NOT PRESENT");
  if (withoutKeys) {
    return {
      name: "unproven",
      title: "It agrees with itself, but nothing proves who made it",
      text: "Every check passed with the keys inside the bundle. A forger brings keys too: verify again with the keys of the installation.",
      reasons: [],
    };
  }
  return { name: "genuine", title: "Genuine", text: summary(checks), reasons: [] };
}

function summary(checks: readonly Finding[]): string {
  const count = (status: Status): number => checks.filter((finding) => finding.status === status).length;
  const parts = [
    `Nothing failed: ${count("PASS")} checks passed`,
    ...(count("NOT PRESENT") > 0 ? [`${count("NOT PRESENT")} had nothing to check`] : []),
    ...(count("ERASED") > 0 ? [`${count("ERASED")} concern data that was erased`] : []),
  ];
  const origin = checks.find(({ check }) => check === "BUNDLE_SIGNATURE")?.message ?? "";
  return `${origin} ${parts.join(", ")}.`;
}

/** What the bundle tells, for whoever wants to know what was verified. */
function factsOf(bundle: Json): HTMLElement {
  const facts = element("dl", { class: "facts" });
  for (const [name, value] of rows(bundle)) {
    if (value !== "") facts.append(element("div", {}, element("dt", {}, name), element("dd", {}, value)));
  }
  const text = at(bundle, "agreement.rendered") ?? at(bundle, "agreement.content");
  const shown = typeof text === "string" ? [textOf(text)] : [];
  return element(
    "section",
    { "aria-labelledby": "facts-title" },
    element("h2", { id: "facts-title" }, "What it says"),
    facts,
    ...shown,
  );
}

function rows(bundle: Json): [string, string][] {
  const receipt = items(at(bundle, "receipts")).at(-1) ?? null;
  const decision = at(receipt, "decision");
  return [
    [
      "Agreement",
      joined(" · ", at(bundle, "agreement.template.name"), version(bundle), at(bundle, "agreement.version.locale")),
    ],
    ["With", joined("", at(bundle, "agreement.template.counterparty.legalName"))],
    ["Outcome", decision === null ? "Nothing was accepted" : decision === "DECLINE" ? "Declined" : "Accepted"],
    ["By", person(bundle, receipt)],
    ["At", readable(at(receipt, "acceptedAt"))],
    ["Receipt", joined("", at(receipt, "receiptId"))],
    ["Organization", joined("", at(bundle, "organizationId"))],
    ["Bundle made at", readable(at(bundle, "generatedAt"))],
  ];
}

const version = (bundle: Json): Json => {
  const label = at(bundle, "agreement.version.label");
  return label === null || label === "" ? null : `version ${String(label)}`;
};

function person(bundle: Json, receipt: Json): string {
  const user = at(receipt, "userRef") ?? at(bundle, "subject.userRef");
  if (typeof user === "string") return user;
  const holders = [receipt, at(bundle, "subject")].filter(isObject);
  if (holders.some((one) => at(one, "erased") === true)) return "erased";
  return receipt === null ? "" : "not disclosed";
}

const readable = (time: Json): string =>
  typeof time === "string" ? time.replace(/^([0-9-]{10})T([0-9:.]+)Z$/, "$1 $2 UTC") : "";

const joined = (separator: string, ...values: readonly Json[]): string =>
  values.filter((value) => typeof value === "string" || typeof value === "number").join(separator);

/** Shows the text as source code: rendering what an unverified bundle holds would not be safe. */
const textOf = (text: string): HTMLElement =>
  element(
    "details",
    {},
    element("summary", {}, "The text, as source"),
    element("pre", { tabindex: "0", "aria-label": "The text, as source" }, text),
  );

/** All findings as one table, grouped by what they are about. On a phone its rows become cards, so roles are spelled out. */
function findingsTable(bundle: Json, checks: readonly Finding[]): HTMLElement {
  const head = element(
    "tr",
    { role: "row" },
    ...["Check", "Result", "What was found"].map((name) => columnHeader(name)),
  );
  return element(
    "table",
    { role: "table", "aria-labelledby": "checks-title" },
    element("thead", { role: "rowgroup" }, head),
    ...groupsOf(bundle, checks).map(group),
  );
}

const columnHeader = (name: string): HTMLElement => element("th", { role: "columnheader", scope: "col" }, name);

interface Group {
  readonly title: string;
  /** Names the record among others of its kind. */
  readonly id: string | undefined;
  readonly findings: readonly Finding[];
}

const anchorChecks: readonly CheckName[] = [
  "ANCHOR_INCLUSION",
  "ANCHOR_CHECKPOINT",
  "TIMESTAMP",
  "TIMESTAMP_TRUST",
  "COSIGNATURES",
];

function groupsOf(bundle: Json, checks: readonly Finding[]): Group[] {
  const isAnchor = ({ check }: Finding): boolean => anchorChecks.includes(check);
  const records = [...new Set(checks.flatMap(({ record }) => (record === undefined ? [] : [record])))];
  const kinds = new Map(items(at(bundle, "integrity.records")).map((one) => [at(one, "recordId"), at(one, "kind")]));
  return [
    {
      title: "The bundle",
      id: undefined,
      findings: checks.filter((one) => one.record === undefined && !isAnchor(one)),
    },
    ...records.map((id) => ({
      title: recordTitle(String(kinds.get(id))),
      id,
      findings: checks.filter(({ record }) => record === id),
    })),
    { title: "Anchor and time", id: undefined, findings: checks.filter(isAnchor) },
  ].filter(({ findings }) => findings.length > 0);
}

function group({ title, id, findings }: Group): HTMLElement {
  const name = id === undefined ? [title] : [`${title} `, element("span", { class: "id" }, id)];
  const header = element("th", { role: "rowheader", scope: "rowgroup", colspan: "3", class: "group-title" }, ...name);
  return element(
    "tbody",
    { role: "rowgroup" },
    element("tr", { role: "row", class: "group" }, header),
    ...findings.map(row),
  );
}

const row = ({ check, status, message }: Finding): HTMLElement =>
  element(
    "tr",
    { role: "row", class: statusLabels[status].name },
    element("th", { role: "rowheader", scope: "row", class: "check" }, checkTitles[check], element("code", {}, check)),
    element("td", { role: "cell", class: "found" }, badge(status)),
    element("td", { role: "cell", class: "found message" }, message),
  );

function badge(status: Finding["status"]): HTMLElement {
  const { sign, text, name } = statusLabels[status];
  return element("span", { class: `badge ${name}` }, element("span", { "aria-hidden": "true" }, sign), ` ${text}`);
}

/** What each check looks at, in a few words. */
const checkTitles: Readonly<Record<CheckName, string>> = {
  BUNDLE_SIGNATURE: "Signature of the bundle",
  KEYS: "Origin of the keys",
  CONTENT_HASH: "The text",
  PDF_HASH: "The document",
  RENDER_HASH: "The text as it was shown",
  WORDS_HASH: "The words around it",
  CHANGES: "What had changed",
  DEPLOYMENT_HASH: "Where it was shown",
  SCREENSHOT_HASH: "The picture of it",
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

const statusLabels: Readonly<Record<Status, { readonly sign: string; readonly text: string; readonly name: string }>> =
  {
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

const recordTitle = (kind: string): string => recordKinds[kind] ?? "Record";
