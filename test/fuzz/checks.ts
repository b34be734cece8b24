import type { Asked, Contract } from "../support/contract.ts";
import type { FuzzOperation } from "./operations.ts";
import type { Plan } from "./plans.ts";
import type { FuzzRequest } from "./requests.ts";
import type { FuzzAnswer } from "./send.ts";
import type { Judge } from "./verdict.ts";

export interface CheckDeps {
  readonly contract: Contract;
  readonly judge: Judge;
  /** The operation that an address leads to, by its id. */
  readonly find: (asked: Asked) => { readonly operation: { readonly operationId: string } | undefined } | undefined;
  /** The organization that everything belongs to. */
  readonly organizationId: string;
}

/** Longer than any request takes that is not stuck. */
const slowMs = 10_000;

/** Everything that is wrong with an answer, whatever was asked. */
export function problemsOf(plan: Plan, request: FuzzRequest, answer: FuzzAnswer, deps: CheckDeps): string[] {
  const { operation } = plan;
  // What cannot be read as a request has reached no operation, and has no headers.
  const isRead = answer.status !== 431;
  const isPlanned = isRead && deps.find(request)?.operation?.operationId === operation.operationId;
  return [
    ...(answer.status >= 500 ? [`the status ${answer.status}`] : []),
    ...(answer.milliseconds > slowMs ? [`an answer after ${Math.round(answer.milliseconds)} ms`] : []),
    ...deps.contract.problems(request, answer),
    ...identityProblems(isRead ? request.headers : {}, answer),
    ...leakProblems(answer),
    ...(isPlanned ? [...codeProblems(operation, answer), ...credentialProblems(plan, request, answer, deps)] : []),
    ...(isPlanned ? shapeProblems(operation, request, answer, deps) : []),
  ];
}

function identityProblems(sent: FuzzRequest["headers"], { headers }: FuzzAnswer): string[] {
  const { "x-request-id": asked, traceparent } = sent;
  const id = headers.get("x-request-id") ?? "";
  const trace = headers.get("traceparent") ?? "";
  const isKept = asked === undefined || !/^[A-Za-z0-9._-]{1,128}$/.test(asked) || asked === id;
  const isOneTrace = traceparent === undefined || !/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/.test(traceparent);
  return [
    ...(/^[A-Za-z0-9._-]{1,128}$/.test(id) && isKept ? [] : [`the request id ${id} for ${asked}`]),
    ...(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(trace) ? [] : [`the traceparent ${trace}`]),
    ...(isOneTrace || trace.slice(3, 35) === traceparent.slice(3, 35) ? [] : [`another trace than ${traceparent}`]),
  ];
}

const inside =
  /\bat [\w.<>]+ \(|\.ts:\d+|node_modules|postgres(ql)?:\/\/|\bselect .{1,200} from click\.|ECONN|TypeError|SyntaxError/;

/** What an error must not tell of how the product is made. */
function leakProblems({ status, text }: FuzzAnswer): string[] {
  if (status < 400) return [];
  const message = /"(message|error_description)":"((?:[^"\\]|\\.)*)"/.exec(text)?.[2] ?? "";
  const found = inside.exec(message)?.[0];
  return found === undefined ? [] : [`an error that tells of the inside: ${found}`];
}

function codeProblems({ errorCodes, operationId }: FuzzOperation, { status, headers, text }: FuzzAnswer): string[] {
  // Pages for people have words instead; that they are declared is checked with the content type.
  if (status < 400 || headers.get("content-type")?.startsWith("text/html") === true) return [];
  const code = codeOf(text);
  if (code === undefined) return [`an error without a code: ${text.slice(0, 200)}`];
  const declared = errorCodes.get(status);
  // Before a request reaches its operation it may be refused as any other.
  const isGeneral = status === 400 && code === "VALIDATION_FAILED" && !text.includes('"details"');
  return declared?.has(code) === true || isGeneral ? [] : [`${operationId} does not declare ${status} ${code}`];
}

function codeOf(text: string): string | undefined {
  const { errorCode, code, error } = jsonOf(text) ?? {};
  const told = errorCode ?? code ?? error;
  return typeof told === "string" ? told : undefined;
}

function jsonOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return Object(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** What a credential opens, and what it does not. */
function credentialProblems(plan: Plan, request: FuzzRequest, answer: FuzzAnswer, deps: CheckDeps): string[] {
  const { operation, credential } = plan;
  const { status, text } = answer;
  const isTold = request.path.includes(deps.organizationId) || request.body?.includes(deps.organizationId) === true;
  if (credential === "foreign" && operation.isProtected && !isTold && text.includes(deps.organizationId)) {
    return ["a stranger is told of the organization"];
  }
  const isInvalid = ["none", "rubbish", "forged", "revoked"].includes(credential);
  const hasOther = operation.tokenParameter !== undefined && request.path.includes(`${operation.tokenParameter}=`);
  if (!operation.isProtected || hasOther) return [];
  if (isInvalid && status !== 401) return [`${status} instead of 401 for the credential '${credential}'`];
  if (!isInvalid && status === 401) return [`401 for the credential '${credential}'`];
  if (credential !== "readOnly")
    return status === 403 && codeOf(text) === "INSUFFICIENT_SCOPE" ? ["403 for a full scope"] : [];
  const isOpen = operation.scopes.length === 0 || operation.scopes.includes("click:read");
  return isOpen || status === 403 ? [] : [`${status} instead of 403 for click:read`];
}

/** Words in which the validation of a schema says what is wrong; rules that it cannot have say more. */
const shapeMessage =
  /^(is required|must (be (string|integer|number|boolean|object|array|null|one of|a UUID|a day|a date|a BCP|an absolute https URL without|[<>])|NOT |match ).*)$/;
/** The rules of a message between the services, such as string.max_len. */
const messageRule = /^[a-z_0-9]+\.[a-z_.]+$/;

interface FieldProblem {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

/** Document generation has them one level further down. */
function fieldProblemsIn(text: string): readonly FieldProblem[] {
  const { details } = jsonOf(text) ?? {};
  const list = Array.isArray(details) ? details : Object(details).fields;
  return Array.isArray(list) ? list : [];
}

/** What the document refuses is not accepted, and what it allows is not refused for its shape. */
function shapeProblems(operation: FuzzOperation, request: FuzzRequest, answer: FuzzAnswer, deps: CheckDeps): string[] {
  if (request.method !== operation.method) return [];
  const verdict = deps.judge.verdict(operation, request);
  const { status, text } = answer;
  if (verdict.kind === "misfits" && status < 400) return [`${status} although the document refuses it: ${verdict.why}`];
  if (verdict.kind !== "fits" || ![400, 413, 415].includes(status)) return [];
  if (status !== 400) return [`${status} although the document allows it`];
  // That interface takes values in many forms, which no schema says; it tells by itself what it cannot read.
  if (operation.path.startsWith("/restapi/")) return [];
  return fieldProblemsIn(text)
    .filter(
      ({ field, code, message }) =>
        messageRule.test(code) || (shapeMessage.test(message) && deps.judge.describesField(operation, field)),
    )
    .map(({ field, code, message }) => `the document allows it, and yet: ${field} ${code} (${message})`);
}
