import { escapeHtml } from "#platform/escape-html.ts";

// Records as whoever they are about reads them: in words, what only programs need folded, what is empty left out.

/** More of a kind are folded. */
const fewParts = 3;
const fewLines = 10;
const maxNested = 200;

export function readable(value: unknown): string {
  if (Array.isArray(value)) return listOf(value);
  return isObject(value) ? membersOf(value) : said("", value);
}

/** So many of something under one line, when there are many. */
export const folded = (parts: readonly string[]): string =>
  parts.length > fewLines ? fold(`${parts.length} entries`, parts.join("")) : parts.join("");

const fold = (summary: string, body: string, isOpen = false): string =>
  `<details${isOpen ? " open" : ""}><summary>${escapeHtml(summary)}</summary>${body}</details>`;

function listOf(values: readonly unknown[]): string {
  if (!values.some(isObject)) return `<ul>${values.map((one) => `<li>${readable(one)}</li>`).join("")}</ul>`;
  const isOpen = values.length <= fewParts;
  return folded(values.map((one, index) => fold(headline(one) || `Entry ${index + 1}`, readable(one), isOpen)));
}

function membersOf(value: object): string {
  const members = Object.entries(value)
    .map(([name, one]) => [name, opened(name, one)] as const)
    .filter(([, one]) => !isEmpty(one));
  const list = (some: typeof members): string => {
    const lines = some.map(([name, one]) => {
      const wide = isObject(one) ? ' class="wide"' : "";
      return `<dt${wide}>${escapeHtml(label(name))}</dt><dd${wide}>${isObject(one) ? readable(one) : said(name, one)}</dd>`;
    });
    return some.length === 0 ? "" : `<dl>${lines.join("")}</dl>`;
  };
  const technical = list(members.filter(([name, one]) => isTechnical(name, one)));
  const others = list(members.filter(([name, one]) => !isTechnical(name, one)));
  return others + (technical === "" ? "" : fold("Technical details", technical));
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const isEmpty = (value: unknown): boolean =>
  value === null || value === "" || (isObject(value) && Object.keys(value).length === 0);

/** JSON that stands in a text, as far as nobody has nested it without end. */
function opened(name: string, value: unknown): unknown {
  if (typeof value !== "string" || !/^(details|metadata|data)$/.test(name)) return value;
  if (value.split(/[{[]/, maxNested).length === maxNested) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

const technicalNames =
  /(^|[a-z0-9])(Id|Guid|Hash|Url|Key)$|(^|_)(id|hash|url|key)$|^(id|path|sha256|alg|kid|jws|log|policy|sequence|revision|leafIndex)$/;
/** As long as a hash: no word is. */
const longestWord = 40;

const isTechnical = (name: string, value: unknown): boolean =>
  technicalNames.test(name) ||
  (typeof value === "string" && value.split(/\s/).some((word) => word.length > longestWord && !word.includes("@"))) ||
  (isObject(value) && !Array.isArray(value) && Object.entries(value).every(([one, part]) => isTechnical(one, part)));

const choiceNames = /^(action|status|decision|role|source|kind|type|templateType|assertedBy|what)$/;
const timePattern = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d(:\d\d)?)$/;
const moments = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });

const moment = (at: Date): string => `${moments.format(at)} UTC`;

/** A value that is neither a list nor has members. */
function said(name: string, value: unknown): string {
  const text = plain(name, value);
  return text === value || !isTime(value)
    ? escapeHtml(text)
    : `<time datetime="${escapeHtml(value)}">${escapeHtml(text)}</time>`;
}

function plain(name: string, value: unknown): string {
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (isTime(value)) return moment(new Date(value));
  const text = String(value);
  // `recipient.link-made` and `RECORDED`, which the product chose.
  return choiceNames.test(name) && /^[\w. -]+$/.test(text)
    ? capital(text.toLowerCase().replaceAll(/[._-]+/g, " "))
    : text;
}

const isTime = (value: unknown): value is string =>
  typeof value === "string" && timePattern.test(value) && !Number.isNaN(Date.parse(value));

const headlines = [
  ["occurredAt", "at", "acceptedAt"],
  ["templateName", "title", "name", "label", "subject", "purpose", "action", "templateSlug", "what"],
  ["value", "decision", "status"],
] as const;

/** What a record is known by. */
function headline(value: unknown): string {
  const members = new Map(Object.entries(value ?? {}));
  const parts = headlines.flatMap((names) => {
    const name = names.find((one) => !isObject(members.get(one)) && !isEmpty(members.get(one) ?? null));
    return name === undefined ? [] : [plain(name, members.get(name)).slice(0, 200)];
  });
  return parts.join(" · ");
}

const labels: Readonly<Record<string, string>> = {
  acts: "What was done",
  alg: "Algorithm",
  at: "When",
  by: "Done by the person",
  clientAcceptedAt: "Accepted, by the clock of the device",
  consentedAt: "Agreed to sign electronically",
  deliveredAt: "Opened",
  ip: "IP address",
  jws: "Signed receipt (JWS)",
  kid: "Key",
  locale: "Language",
  mentions: "Texts that name the address",
  occurredAt: "When",
  presentedAt: "Shown",
  reacceptBy: "To be accepted again by",
  sha256: "SHA-256",
  superseded: "Replaced by a later one",
  templateName: "Text",
  templateSlug: "Short name of the text",
  userAgent: "Browser or program",
  userRef: "Reference in the organization's systems",
  versionLabel: "Version",
};

/** `sentAt` as `Sent`, `receiptId` as `Receipt ID`. */
function label(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[ _]/);
  const spoken = words
    .filter((word) => word !== "guid")
    .map((word) => (/^(id|ip|url)$/.test(word) ? word.toUpperCase() : word));
  if (spoken.length > 1 && spoken.at(-1) === "at") spoken.pop();
  return (Object.hasOwn(labels, name) && labels[name]) || capital(spoken.join(" "));
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
