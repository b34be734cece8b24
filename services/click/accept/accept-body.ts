import { readFileSync } from "node:fs";
import type { JsonObject } from "@bufbuild/protobuf";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Receipt } from "#api/receipts.ts";
import type { Caller } from "#platform/caller.ts";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { canonicalLocale } from "#platform/locale.ts";
import { isEmailAddress } from "#platform/mail/mail.ts";
import { schemaProblems } from "#platform/problems.ts";
import { blankMessage, isBlank, textPatterns } from "#platform/rpc/text-rules.ts";
import type { KeyHasher } from "../vault/subject-vault.ts";

export type Decision = "ACCEPT" | "DECLINE";

/** The known fields of a well-formed accept body; see accept_request.schema.json. */
export interface AcceptBody {
  readonly sessionId?: string | undefined;
  readonly templateId?: string | undefined;
  readonly templateSlug?: string | undefined;
  readonly userRef?: string | undefined;
  readonly locale?: string | undefined;
  readonly versionId?: string | undefined;
  readonly contentHash?: string | undefined;
  readonly renderToken?: string | undefined;
  readonly action?: Receipt["action"] | undefined;
  readonly decision?: Decision | undefined;
  readonly purposes?: readonly PurposeDecision[] | undefined;
  readonly presentation?: Presentation | undefined;
  readonly context?: ClaimedContext | undefined;
  readonly verification?: readonly VerificationClaim[] | undefined;
  readonly typedName?: string | undefined;
  /** The e-mail address that a copy goes to. */
  readonly copyTo?: string | undefined;
  /** Merge values of a GENERATED template. */
  readonly data?: JsonObject | undefined;
  readonly acceptedAt?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export interface PurposeDecision {
  readonly purpose: string;
  readonly granted: boolean;
}

export interface Presentation {
  readonly surface?: string | undefined;
  readonly wrapType?: string | undefined;
  readonly displayMode?: string | undefined;
  readonly noticeText?: string | undefined;
  readonly buttonText?: string | undefined;
  readonly checkboxText?: string | undefined;
  readonly checkboxInitiallyChecked?: boolean | undefined;
  readonly scrolledToEnd?: boolean | undefined;
  readonly displayedMs?: number | undefined;
  readonly documentsOpened?: readonly string[] | undefined;
  readonly viewport?: { readonly w?: number | undefined; readonly h?: number | undefined } | undefined;
  readonly screenshotHash?: string | undefined;
  readonly events?: readonly PresentationEvent[] | undefined;
}

export interface PresentationEvent {
  readonly type: string;
  readonly at?: string | undefined;
  readonly target?: string | undefined;
}

export interface ClaimedContext {
  readonly ip?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly pageUrl?: string | undefined;
  readonly pageTitle?: string | undefined;
  readonly referrer?: string | undefined;
  readonly acceptLanguage?: string | undefined;
  readonly timezone?: string | undefined;
  readonly gpc?: boolean | undefined;
}

export interface VerificationClaim {
  readonly method: string;
  readonly verifiedAt?: string | undefined;
  readonly reference?: string | undefined;
}

export type ParsedBody =
  | { readonly kind: "valid"; readonly body: AcceptBody }
  | { readonly kind: "invalid"; readonly problems: readonly FieldProblem[] };

export type ParseAcceptBody = (bytes: Uint8Array) => ParsedBody;

export const schemaFile = new URL("../../../proto/assent/click/v1/accept_request.schema.json", import.meta.url);

// Collecting every error of a huge hostile body would cost more than the body is worth.
const collectUpToBytes = 16_384;

let parser: ParseAcceptBody | undefined;

/** The parser of accept bodies. Its schema is compiled by the first who asks. */
export const acceptBodyParser = (): ParseAcceptBody => (parser ??= createParser());

/** Reports every problem of a body of usual size, and only the first of a large one. */
function createParser(): ParseAcceptBody {
  const schema = JSON.parse(readFileSync(schemaFile, "utf8")) as object;
  const isValid = new Ajv2020({ ...options, allErrors: false }).compile(schema);
  let collect: ValidateFunction | undefined;
  return (bytes) => {
    const value = parseJson(bytes);
    if (value === undefined) return invalid([{ field: "", code: "JSON", message: "must be JSON encoded in UTF-8" }]);
    if (!isValid(value)) {
      if (bytes.length > collectUpToBytes) return invalid(schemaProblems(isValid.errors, value));
      collect ??= new Ajv2020({ ...options, allErrors: true }).compile(schema);
      collect(value);
      return invalid(schemaProblems(collect.errors, value));
    }
    const body = value as AcceptBody;
    const problems = [...missingReferences(body), ...badTexts(body)];
    return problems.length > 0 ? invalid(problems) : { kind: "valid", body };
  };
}

const formats: Record<string, (text: string) => boolean> = {
  uuid: isUuid,
  "date-time": (text) => parseTimestamp(text) !== undefined,
  email: isEmailAddress,
  "language-tag": (text) => text.length <= 100 && canonicalLocale(text) !== undefined,
};

/** Whether the schema is valid is asked by a test: to ask takes ten times as long as to compile it. */
const options = { formats, validateSchema: false };

const utf8 = new TextDecoder("utf-8", { fatal: true });

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}

const invalid = (problems: readonly FieldProblem[]): ParsedBody => ({ kind: "invalid", problems });

function missingReferences(body: AcceptBody): FieldProblem[] {
  if (body.sessionId !== undefined) return [];
  if (body.templateId === undefined && body.templateSlug === undefined) {
    return [
      { field: "sessionId", code: "REQUIRED", message: "is required unless templateId or templateSlug is given" },
    ];
  }
  if (body.userRef === undefined) {
    return [{ field: "userRef", code: "REQUIRED", message: "is required without a session" }];
  }
  return [];
}

/** The text rules of the API contracts; see text-rules.ts. */
function badTexts({ userRef = "", typedName = "" }: AcceptBody): FieldProblem[] {
  const { forbidden, message } = textPatterns.line;
  const problems: FieldProblem[] = Object.entries({ userRef, typedName }).flatMap(([field, text]) =>
    forbidden.test(text) ? [{ field, code: "PATTERN", message }] : [],
  );
  if (isBlank(userRef)) problems.push({ field: "userRef", code: "PATTERN", message: blankMessage });
  return problems;
}

/** One incoming acceptance. */
export interface AcceptItem {
  readonly caller: Caller;
  /** The caller's network address and headers, as the gateway saw them. */
  readonly observed: { readonly ip: string; readonly userAgent: string };
  readonly idempotencyKey: string;
  /** Canonical JSON. */
  readonly bytes: Uint8Array;
  /** What a retry must match, if that is more than the acceptance itself. */
  readonly compared?: Uint8Array;
  /** Set when the acceptance also completes its session. */
  readonly completion?: { readonly reason: string | null };
}

/** A well-formed acceptance. */
export interface CheckedItem extends Omit<AcceptItem, "bytes" | "compared"> {
  readonly body: AcceptBody;
  readonly idempotencyHash: Buffer;
  readonly bodyHash: Buffer;
}

const keyPattern = /^[\x20-\x7e]{1,255}$/;

/** Runs the checks that need no look-up. Throws CLICK_IDEMPOTENCY_KEY_INVALID or CLICK_VALIDATION_FAILED. */
export function checkItem(item: AcceptItem, deps: { parse: ParseAcceptBody; keys: KeyHasher }): CheckedItem {
  const { bytes, compared = bytes, ...rest } = item;
  if (!keyPattern.test(item.idempotencyKey)) throw new DomainError("CLICK_IDEMPOTENCY_KEY_INVALID");
  const parsed = deps.parse(bytes);
  if (parsed.kind === "invalid") throw new DomainError("CLICK_VALIDATION_FAILED", { details: parsed.problems });
  const { orgId } = item.caller;
  return {
    ...rest,
    body: parsed.body,
    idempotencyHash: deps.keys.idempotencyHash(orgId, item.idempotencyKey),
    bodyHash: deps.keys.bodyHash(orgId, compared),
  };
}

const pattern = /^(\d{4})-(\d\d)-(\d\d)[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** Parses an RFC 3339 time; undefined for anything else, such as 30 February. */
export function parseTimestamp(text: string): Date | undefined {
  if (text.length > 40) return undefined;
  const match = pattern.exec(text);
  if (match === null) return undefined;
  // Date.parse rolls 30 February over to 1 March, so compare the parts.
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const time = new Date(text.toUpperCase());
  return Number.isNaN(time.getTime()) ? undefined : time;
}
