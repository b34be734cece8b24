import { type DescField, type DescMessage, type MessageShape, ScalarType } from "@bufbuild/protobuf";
import type { FieldProblem } from "../errors.ts";

/**
 * What texts of requests may hold, said once for all contracts: a text is one line without control characters, unless its
 * name is here. A new field is a line until somebody decides otherwise.
 */
const severalLines = new Set([
  ...[
    "address",
    "change_summary",
    "checkbox_text",
    "condition_value",
    "consent_text",
    "description",
    "email_blurb",
    "footer_text",
    "intro",
  ],
  ...[
    "metadata",
    "note",
    "original_value",
    "purpose_texts",
    "reason",
    "text",
    "tooltip",
    "validation_message",
    "value",
  ],
]);

/** Nothing that is shown as it is: files, JSON, secrets, and what clients claim or were seen to send. */
const anything = new Set([
  ...["content", "data_json", "disclosures", "html", "jws", "public_key_pem", "string_value"],
  ...["metadata_json", "sample_data_json", "settings_json", "subscription_json"],
  ...["api_key", "assertion", "client_secret", "code", "current_password", "new_password", "password"],
  ...["pending_token", "render_token", "session_token", "token"],
  ...[
    "accept_language",
    "ip",
    "page_title",
    "page_url",
    "referrer",
    "request_id",
    "timezone",
    "traceparent",
    "user_agent",
  ],
]);

type Rule = "line" | "lines";

/** The one place that says what a text must not have. */
export const textPatterns: Readonly<Record<Rule, { readonly forbidden: RegExp; readonly message: string }>> = {
  line: { forbidden: /[\p{Cc}\u2028\u2029]/u, message: "must be one line without control characters" },
  lines: {
    forbidden: /[^\P{Cc}\t\n\r]/u,
    message: "must have no control characters other than tabs and line breaks",
  },
};

/**
 * Where something is recorded of a user, who is not called by blanks alone. Whoever was, before this was refused, is still
 * found and erased. And where a reason is demanded.
 */
const notBlank = new Set([
  ...["CreateSessionRequest", "AcceptRequest", "UpdateConsentStateRequest"].map(
    (message) => `assent.click.v1.${message}.user_ref`,
  ),
  "assent.click.v1.AddCampaignPeopleRequest.user_refs",
  "assent.sign.v1.SetLegalHoldRequest.reason",
]);
export const blankMessage = "must not be white space alone";
export const isBlank = (text: string): boolean => text !== "" && !/[^\s\p{Cf}]/u.test(text);

interface Check {
  readonly field: DescField;
  readonly rule: Rule | undefined;
  readonly within: readonly Check[] | undefined;
}

type Found = (problem: FieldProblem) => void;

/** Finds the texts of messages that break these rules. What there is to look at is worked out once for each type. */
export function createTextRules(): <D extends DescMessage>(desc: D, message: MessageShape<D>, found: Found) => void {
  const known = new Map<DescMessage, Check[]>();
  const checksOf = (desc: DescMessage): Check[] => {
    const ready = known.get(desc);
    if (ready !== undefined) return ready;
    const checks: Check[] = [];
    known.set(desc, checks);
    for (const field of desc.fields) {
      const rule = ruleOf(field);
      const within = field.message === undefined ? undefined : checksOf(field.message);
      // One that is still being worked out contains itself.
      if (rule !== undefined || (within !== undefined && (within.length > 0 || field.message === desc))) {
        checks.push({ field, rule, within });
      }
    }
    return checks;
  };
  return (desc, message, found) => look(checksOf(desc), message as unknown as Values, "", found);
}

function ruleOf({ name, scalar }: DescField): Rule | undefined {
  // What names something is answered by whoever has such a thing, or has none.
  if (scalar !== ScalarType.STRING || anything.has(name) || /(^|_)ids?(_or_slug)?$/.test(name)) return undefined;
  return severalLines.has(name) ? "lines" : "line";
}

type Values = Readonly<Record<string, unknown>>;

function look(checks: readonly Check[], message: Values, path: string, found: Found): void {
  for (const { field, rule, within } of checks) {
    const value = textOrMessage(message, field);
    if (value === undefined || value === "") continue;
    const at = path === "" ? field.jsonName : `${path}.${field.jsonName}`;
    for (const [place, one] of placesOf(field, value, at)) {
      if (typeof one === "string") judge(one, { field, rule, place }, found);
      else if (within !== undefined) look(within, one as Values, place, found);
    }
  }
}

function judge(
  text: string,
  { field, rule, place }: { readonly field: DescField; readonly rule: Rule | undefined; readonly place: string },
  found: Found,
): void {
  if (rule === undefined) return;
  const { forbidden, message } = textPatterns[rule];
  if (forbidden.test(text)) found({ field: place, code: "PATTERN", message });
  else if (isBlank(text) && notBlank.has(`${field.parent.typeName}.${field.name}`)) {
    found({ field: place, code: "PATTERN", message: blankMessage });
  }
}

function textOrMessage(message: Values, { oneof, localName }: DescField): unknown {
  if (oneof === undefined) return message[localName];
  const chosen = message[oneof.localName] as { readonly case?: string; readonly value?: unknown } | undefined;
  return chosen?.case === localName ? chosen.value : undefined;
}

function placesOf({ fieldKind }: DescField, value: unknown, at: string): (readonly [string, unknown])[] {
  if (fieldKind === "list") return (value as unknown[]).map((one, index) => [`${at}[${index}]`, one]);
  if (fieldKind === "map") {
    return Object.entries(value as object).map(([key, one]) => [`${at}[${JSON.stringify(key)}]`, one]);
  }
  return [[at, value]];
}
