import type { CheckName, Finding } from "../src/finding.ts";
import type { Json } from "../src/json.ts";
import { at, items } from "../src/read.ts";
import { element } from "./element.ts";
import { checkTitles, recordTitle, statusLabels } from "./labels.ts";

/** All findings as one table, grouped by what they are about. On a phone its rows become cards, so roles are spelled out. */
export function findingsTable(bundle: Json, checks: readonly Finding[]): HTMLElement {
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
