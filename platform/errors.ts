import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "#gen/google/rpc/error_details_pb.ts";

/** One row of the catalogue: how an errorCode travels over gRPC and over HTTP, and what it says by default. */
interface ErrorRow {
  readonly rpc: Code;
  readonly http: number;
  readonly message: string;
}

const row = (http: number, rpc: Code, message: string): ErrorRow => ({ http, rpc, message });

/**
 * Every errorCode of the product. A message says what was wrong and what to do about it.
 * The codes are part of the public API: rows are added, never renamed.
 */
export const errorCatalogue = {
  UNAUTHORIZED: row(
    401,
    Code.Unauthenticated,
    "The Authorization header is missing or is not of the form 'Bearer <token>'. Send an API key or an access token.",
  ),
  INVALID_TOKEN: row(
    401,
    Code.Unauthenticated,
    "The token is malformed, unknown or revoked. Get a new token or check the API key.",
  ),
  TOKEN_EXPIRED: row(401, Code.Unauthenticated, "The access token has expired. Get a new one from the token endpoint."),
  INSUFFICIENT_SCOPE: row(
    403,
    Code.PermissionDenied,
    "The token lacks a scope that this operation needs. Ask for the scope at the token endpoint.",
  ),
  NOT_FOUND: row(404, Code.NotFound, "There is nothing at this address. Check the method and the path."),
  VALIDATION_FAILED: row(
    400,
    Code.InvalidArgument,
    "The request is not valid. See details, correct the fields and send it again.",
  ),
  PAYLOAD_TOO_LARGE: row(400, Code.InvalidArgument, "The body is larger than this operation allows."),
  UNSUPPORTED_MEDIA_TYPE: row(
    415,
    Code.InvalidArgument,
    "The body must be sent as application/json, encoded in UTF-8 and not compressed.",
  ),
  METHOD_NOT_ALLOWED: row(405, Code.Unimplemented, "This path does not support the method. See the Allow header."),
  RATE_LIMIT_EXCEEDED: row(
    429,
    Code.ResourceExhausted,
    "Too many requests in this window. Wait for the seconds given in Retry-After and send the request again.",
  ),
  INTERNAL_ERROR: row(
    500,
    Code.Internal,
    "Something went wrong on our side. Nothing needs to be changed in the request; try again or quote the requestId.",
  ),
  SERVICE_UNAVAILABLE: row(
    503,
    Code.Unavailable,
    "The service is temporarily not able to answer. The request is safe to send again after Retry-After.",
  ),

  LOGIN_FAILED: row(
    401,
    Code.Unauthenticated,
    "The e-mail address or the password is wrong. After 10 failures a user is locked for 15 minutes.",
  ),
  LOGIN_CODE_INVALID: row(
    401,
    Code.Unauthenticated,
    "The code is wrong or was used before. Wait for the next one, or use a recovery code.",
  ),
  LOGIN_EXPIRED: row(401, Code.Unauthenticated, "The login was not finished in time. Begin it again."),
  SESSION_ENDED: row(401, Code.Unauthenticated, "The session has ended. Log in again."),
  CSRF_TOKEN_INVALID: row(
    403,
    Code.PermissionDenied,
    "The header X-CSRF-Token is missing or is not that of the session, or the request comes from another site.",
  ),
  PASSWORD_WRONG: row(403, Code.PermissionDenied, "The current password is wrong."),
  LINK_INVALID: row(
    400,
    Code.FailedPrecondition,
    "The link has been used, replaced by a newer one, or has expired. Ask for another one.",
  ),
  TOTP_CODE_INVALID: row(400, Code.FailedPrecondition, "The code is wrong. Check the time of the authenticator."),
  TOTP_NOT_BEGUN: row(409, Code.Aborted, "There is no second factor to confirm. Begin with a new secret."),
  TOTP_ALREADY_ENABLED: row(409, Code.Aborted, "The second factor is on already. Switch it off first."),
  TOTP_NOT_ENABLED: row(409, Code.Aborted, "The second factor is not on."),
  USER_EXISTS: row(409, Code.AlreadyExists, "The organization has a user with this e-mail address already."),
  USER_NOT_INVITED: row(409, Code.Aborted, "The user has accepted the invitation already."),
  USER_NOT_ACTIVE: row(
    409,
    Code.Aborted,
    "The user has not accepted the invitation yet, so can be neither enabled nor disabled. Remove the user instead.",
  ),
  LAST_OWNER: row(
    409,
    Code.Aborted,
    "The organization would have no active owner left. Make somebody else an owner first.",
  ),
  USER_NOT_FOUND: row(404, Code.NotFound, "There is no user with this id."),
  USER_SESSION_NOT_FOUND: row(404, Code.NotFound, "You have no session with this id."),
  API_KEY_NOT_FOUND: row(404, Code.NotFound, "There is no API key with this id."),
  CLIENT_NOT_FOUND: row(404, Code.NotFound, "There is no OAuth client with this id."),

  CLICK_VALIDATION_FAILED: row(
    400,
    Code.InvalidArgument,
    "The request is not valid. See details, correct the fields and send it again.",
  ),
  CLICK_PAYLOAD_TOO_LARGE: row(400, Code.InvalidArgument, "The body is larger than this operation allows."),
  CLICK_IDEMPOTENCY_KEY_REQUIRED: row(
    400,
    Code.InvalidArgument,
    "The header X-Idempotency-Key is missing. Send a key that is unique to this acceptance and the same on every retry.",
  ),
  CLICK_IDEMPOTENCY_KEY_INVALID: row(
    400,
    Code.InvalidArgument,
    "The header X-Idempotency-Key must have 1 to 255 printable ASCII characters and be sent once.",
  ),
  CLICK_POLICY_FLAG_INVALID: row(400, Code.InvalidArgument, "A policy flag is unknown or has a bad value."),
  CLICK_POLICY_FLAG_CONFLICT: row(400, Code.InvalidArgument, "The policy flags contradict each other."),
  CLICK_CONTENT_INVALID: row(
    400,
    Code.InvalidArgument,
    "The content breaks a rule for published content. See details and validate-content.",
  ),
  CLICK_TEMPLATE_HAS_ACTIVE_DEPLOYMENTS: row(
    400,
    Code.FailedPrecondition,
    "The template has active deployments. Deactivate them first.",
  ),
  CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS: row(
    400,
    Code.FailedPrecondition,
    "The version is served by active deployments. Deactivate them or publish another version first.",
  ),
  CLICK_VERSION_PUBLISHED: row(
    400,
    Code.FailedPrecondition,
    "A published version cannot be modified. Unpublish it or make a new version.",
  ),
  CLICK_VERSION_ARCHIVED: row(400, Code.FailedPrecondition, "The version is archived. Make a new version instead."),
  CLICK_TEMPLATE_TYPE_LOCKED: row(
    400,
    Code.FailedPrecondition,
    "The type of a template cannot change after its first publication.",
  ),
  CLICK_DEPLOYMENT_ACTIVE: row(400, Code.FailedPrecondition, "The deployment is active. Deactivate it first."),
  CLICK_ORIGIN_NOT_ALLOWED: row(
    403,
    Code.PermissionDenied,
    "This origin is not among the deployment's allowed origins.",
  ),
  CLICK_TEMPLATE_NOT_FOUND: row(404, Code.NotFound, "There is no template with this id."),
  CLICK_VERSION_NOT_FOUND: row(404, Code.NotFound, "There is no version with this id in this template."),
  CLICK_SESSION_NOT_FOUND: row(404, Code.NotFound, "There is no session with this id."),
  CLICK_EVIDENCE_NOT_FOUND: row(404, Code.NotFound, "There is no evidence for a session with this id."),
  CLICK_RECEIPT_NOT_FOUND: row(404, Code.NotFound, "There is no receipt with this id."),
  CLICK_CHECKPOINT_NOT_FOUND: row(404, Code.NotFound, "The log has no checkpoint yet."),
  CLICK_LEAF_NOT_FOUND: row(404, Code.NotFound, "The log has no leaf with this index."),
  CLICK_TILE_NOT_FOUND: row(404, Code.NotFound, "The log has no such tile."),
  CLICK_LEAF_NOT_INTEGRATED: row(
    409,
    Code.Aborted,
    "The leaf is recorded, but no checkpoint covers it yet. Ask again after the time that its receipt promises (integrateBy).",
  ),
  CLICK_DEPLOYMENT_NOT_FOUND: row(404, Code.NotFound, "There is no deployment with this id."),
  CLICK_RENDER_NOT_FOUND: row(404, Code.NotFound, "There is nothing published to render at this address."),
  CLICK_TEMPLATE_SLUG_EXISTS: row(409, Code.AlreadyExists, "Another template has this slug. Choose another slug."),
  CLICK_VERSION_LOCALE_EXISTS: row(
    409,
    Code.AlreadyExists,
    "The template already has a version for this locale. Update or archive that version.",
  ),
  CLICK_TEMPLATE_ARCHIVED: row(
    409,
    Code.Aborted,
    "The template is archived. Restore it by setting its status to DRAFT.",
  ),
  CLICK_VERSION_CONFLICT: row(409, Code.Aborted, "The version has changed meanwhile. Read it and try again."),
  CLICK_VERSION_NOT_PUBLISHED: row(
    409,
    Code.Aborted,
    "Nothing is published that could be shown. Publish a version first.",
  ),
  CLICK_VERSION_SUPERSEDED: row(
    409,
    Code.Aborted,
    "The text that was shown is no longer the current one. Show the current text and ask again.",
  ),
  CLICK_SESSION_EXPIRED: row(409, Code.Aborted, "The session has expired. Create a new session."),
  CLICK_SESSION_CLOSED: row(409, Code.Aborted, "The session is already closed. Create a new session."),
  CLICK_ALREADY_ACCEPTED: row(409, Code.Aborted, "This user has already accepted this revision."),
  CLICK_CONSENT_CONFLICT: row(409, Code.Aborted, "The consent state has changed meanwhile. Read it and try again."),
  CLICK_LEGAL_HOLD: row(409, Code.Aborted, "The records are under legal hold and cannot be erased."),
  CLICK_IDEMPOTENCY_KEY_REUSED: row(
    422,
    Code.FailedPrecondition,
    "The idempotency key was used before with a different body. Nothing was recorded; use a new key for a new acceptance.",
  ),
  CLICK_POLICY_NOT_SATISFIED: row(
    422,
    Code.FailedPrecondition,
    "The acceptance does not satisfy the template's policy.",
  ),
  CLICK_VERIFICATION_REQUIRED: row(
    422,
    Code.FailedPrecondition,
    "The acceptance lacks a verification that the template requires.",
  ),
  CLICK_USER_REF_MISMATCH: row(422, Code.FailedPrecondition, "userRef differs from the session's userRef."),
  CLICK_PURPOSE_UNKNOWN: row(422, Code.FailedPrecondition, "The purpose is not one of a published consent template."),
  CLICK_RENDER_TOKEN_INVALID: row(
    422,
    Code.FailedPrecondition,
    "The render token is missing, expired, or belongs to another text. Render the text again.",
  ),
  CLICK_DATA_INVALID: row(422, Code.FailedPrecondition, "The merge data does not fit the template's variables."),
  CLICK_RATE_LIMITED: row(
    429,
    Code.ResourceExhausted,
    "Too many requests in this window. The request was not processed; send it again after the seconds in Retry-After.",
  ),

  // Answered in lower case and without GEN_, with details as an object; see the gateway's dialect of generation.
  ACCOUNT_NOT_FOUND: row(
    404,
    Code.NotFound,
    "There is no account with this id that the credential may act for. The account id is the id of the organization.",
  ),
  ENVELOPE_NOT_FOUND: row(404, Code.NotFound, "There is no agreement with this id."),
  TEMPLATE_NOT_FOUND: row(404, Code.NotFound, "There is no template with this id."),
  ENVELOPE_CANNOT_BE_MODIFIED: row(
    400,
    Code.FailedPrecondition,
    "The agreement has been sent, completed or voided. Only drafts can be modified.",
  ),
  ENVELOPE_CONFLICT: row(409, Code.Aborted, "The draft has changed meanwhile. Read it and try again."),
  ENVELOPE_ALREADY_SENT: row(409, Code.Aborted, "The agreement has been sent already. Nothing was sent again."),
  INVALID_ENVELOPE_STATUS: row(
    400,
    Code.FailedPrecondition,
    "The agreement is in a state that does not allow this. Read it to see its status.",
  ),
  DOCUMENTS_REQUIRED: row(400, Code.FailedPrecondition, "The agreement has no documents. Add one before sending it."),
  RECIPIENTS_REQUIRED: row(
    400,
    Code.FailedPrecondition,
    "The agreement has no recipient who has to act. Add one before sending it.",
  ),
  DOCUMENT_NOT_FOUND: row(404, Code.NotFound, "The agreement has no document with this id."),
  ATTACHMENT_NOT_FOUND: row(404, Code.NotFound, "The agreement has no attachment with this id."),
  INVALID_DOCUMENT_FORMAT: row(
    400,
    Code.InvalidArgument,
    "The file is of a type that is not supported. Send a PDF, or HTML or plain text to be converted.",
  ),
  DOCUMENT_TOO_LARGE: row(400, Code.InvalidArgument, "The document is larger than 25 MB. Send a smaller file."),
  INVALID_BASE64: row(
    400,
    Code.InvalidArgument,
    "The document is not valid base64 (RFC 4648 §4, with padding). Encode the bytes of the file again.",
  ),
  CORRUPTED_DOCUMENT: row(
    422,
    Code.FailedPrecondition,
    "The PDF cannot be processed: it is damaged, encrypted or unreasonably large when unpacked. Save it again and retry.",
  ),
  RECIPIENT_NOT_FOUND: row(404, Code.NotFound, "The agreement has no such recipient."),
  INVALID_EMAIL: row(400, Code.InvalidArgument, "The e-mail address of a recipient is not valid. See details."),
  DUPLICATE_RECIPIENT: row(
    400,
    Code.InvalidArgument,
    "The same e-mail address was given to two signers. Use distinct addresses or a clientUserId.",
  ),
  RECIPIENT_ALREADY_SIGNED: row(409, Code.Aborted, "The recipient has completed signing and cannot be changed."),
  RECIPIENT_NOT_IN_SEQUENCE: row(
    400,
    Code.FailedPrecondition,
    "It is not the recipient's turn yet. Wait until those of the routing orders before have finished.",
  ),
  RECIPIENT_NOT_EMBEDDED: row(
    400,
    Code.FailedPrecondition,
    "The recipient has no clientUserId, so signs from the e-mail. Give a clientUserId to sign in your application.",
  ),
  VIEW_URL_EXPIRED: row(
    400,
    Code.FailedPrecondition,
    "The link has been used or is older than 5 minutes. Ask for a new one.",
  ),
  INVALID_RETURN_URL: row(
    400,
    Code.InvalidArgument,
    "The returnUrl must be an absolute https URL of at most 470 characters.",
  ),
  CONSENT_REQUIRED: row(
    400,
    Code.FailedPrecondition,
    "The person has not consented to electronic records yet. Record the consent first.",
  ),
  DOCUMENTS_NOT_OPENED: row(
    400,
    Code.FailedPrecondition,
    "The person has not been sent the documents yet. Load them first.",
  ),
  TAB_NOT_FOUND: row(404, Code.NotFound, "The recipient has no tab with this id."),
  ANCHOR_TAB_STRING_NOT_FOUND: row(
    400,
    Code.FailedPrecondition,
    "A tab is anchored to a text that occurs in no document. See details; nothing was sent.",
  ),
  BULK_LIST_NOT_FOUND: row(404, Code.NotFound, "There is no bulk list with this id."),
  BULK_BATCH_NOT_FOUND: row(404, Code.NotFound, "There is no bulk batch with this id."),
  SUBSCRIPTION_NOT_FOUND: row(404, Code.NotFound, "There is no configuration with this id."),
  WEBHOOK_ENDPOINT_NOT_FOUND: row(404, Code.NotFound, "There is no webhook endpoint with this id."),
  WEBHOOK_DELIVERY_NOT_FOUND: row(404, Code.NotFound, "There is no delivery with this id, or it is no longer kept."),
  WEBHOOK_ENDPOINT_DISABLED: row(
    409,
    Code.FailedPrecondition,
    "The endpoint is disabled. Enable it with PATCH and send the request again.",
  ),
  WEBHOOK_ENDPOINT_LIMIT: row(
    409,
    Code.FailedPrecondition,
    "The organization has as many webhook endpoints as it may have. Delete one that is not used.",
  ),
  CONNECT_SECRET_NOT_FOUND: row(404, Code.NotFound, "There is no key with this id."),
  CONNECT_SECRET_LIMIT: row(
    409,
    Code.FailedPrecondition,
    "The organization has as many keys as it may have. Delete one that is not used.",
  ),
  FOLDER_NOT_FOUND: row(404, Code.NotFound, "There is no folder with this id."),
  RANGE_NOT_SATISFIABLE: row(416, Code.OutOfRange, "There is nothing at the place that Range asks for."),
  IDEMPOTENCY_KEY_REUSED: row(
    422,
    Code.FailedPrecondition,
    "The idempotency key was used before with a different request. Nothing was changed; use a new key.",
  ),

  GEN_INVALID_REQUEST: row(
    400,
    Code.InvalidArgument,
    "The request is not valid. See details, correct the fields and send it again.",
  ),
  GEN_PAYLOAD_TOO_LARGE: row(400, Code.InvalidArgument, "The body is larger than this operation allows."),
  GEN_TEMPLATE_NOT_FOUND: row(404, Code.NotFound, "There is no template with this id."),
  GEN_DOCUMENT_NOT_FOUND: row(404, Code.NotFound, "There is no document with this id, or its bytes have expired."),
  GEN_BATCH_NOT_FOUND: row(404, Code.NotFound, "There is no batch with this id."),
  GEN_ASSET_NOT_FOUND: row(404, Code.NotFound, "There is no asset with this id."),
  GEN_TEMPLATE_SLUG_EXISTS: row(409, Code.AlreadyExists, "Another template has this slug. Choose another slug."),
  GEN_TEMPLATE_NOT_PUBLISHED: row(409, Code.Aborted, "The template has no published version. Publish it first."),
  GEN_DOCUMENT_NOT_READY: row(
    409,
    Code.Aborted,
    "The document is not finished. Ask again when its status is completed.",
  ),
  GEN_IDEMPOTENCY_CONFLICT: row(
    409,
    Code.Aborted,
    "The idempotency key was used before with a different body. Nothing was rendered; use a new key for a new document.",
  ),
  GEN_INVALID_DATA: row(422, Code.FailedPrecondition, "The data does not fit the template. See details.path."),
  GEN_TEMPLATE_ERROR: row(422, Code.FailedPrecondition, "The template has an error. See details."),
  GEN_RANGE_NOT_SATISFIABLE: row(
    416,
    Code.OutOfRange,
    "There is nothing at the place that Range asks for. See details.bytes for the size.",
  ),
  GEN_RATE_LIMITED: row(
    429,
    Code.ResourceExhausted,
    "The plan's documents of this window are used up. Wait for the seconds in retryAfterSeconds and send it again.",
  ),
  GEN_RENDER_FAILED: row(
    500,
    Code.Internal,
    "The document could not be rendered within the limits of time, memory and pages. See details.",
  ),
  GEN_BUSY: row(
    503,
    Code.Unavailable,
    "Too many documents are waiting to be rendered. Nothing was counted; send the request again after Retry-After.",
  ),

  // Answered by the token endpoints in the form of RFC 6749 §5.2, never in ours.
  OAUTH_INVALID_REQUEST: row(400, Code.InvalidArgument, "The token request is malformed or lacks a parameter."),
  OAUTH_INVALID_CLIENT: row(401, Code.Unauthenticated, "The client is unknown or its secret is wrong."),
  OAUTH_INVALID_SCOPE: row(400, Code.InvalidArgument, "None of the requested scopes is allowed for this client."),
  OAUTH_INVALID_GRANT: row(
    400,
    Code.InvalidArgument,
    "The assertion is not accepted. Check its claims, the time on the machine that signs it, and the client's registered keys.",
  ),
  OAUTH_UNSUPPORTED_GRANT_TYPE: row(
    400,
    Code.InvalidArgument,
    "Only the grant types client_credentials and urn:ietf:params:oauth:grant-type:jwt-bearer are supported.",
  ),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorCatalogue;

/** One bad field of a request. `field` is a path such as `policyFlags.minAge`. */
export interface FieldProblem {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

export interface DomainErrorOptions {
  /** Replaces the default message of the code. Must be safe to show to the caller. */
  readonly message?: string;
  readonly details?: readonly FieldProblem[];
  /** Safe extras for machines, such as `retryAfterSeconds`, which is a second for SERVICE_UNAVAILABLE unless it is said. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An expected failure with a code of the catalogue. Anything else that is thrown is a defect. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly FieldProblem[];
  readonly metadata: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, options: DomainErrorOptions = {}) {
    const { details = [], metadata = code === "SERVICE_UNAVAILABLE" ? { retryAfterSeconds: "1" } : {} } = options;
    const listed = listable(details);
    const message = options.message ?? errorCatalogue[code].message;
    const isCut = listed.length < details.length;
    super(isCut ? `${message} Only ${listed.length} of ${details.length} problems are listed.` : message, {
      cause: options.cause,
    });
    this.name = "DomainError";
    this.code = code;
    this.details = listed;
    this.metadata = isCut ? { ...metadata, problems: String(details.length) } : metadata;
  }
}

/** They travel in HTTP/2 trailers, which have little room: see rpc/status.ts. The same without a wire. */
const maxProblems = 100;
const maxProblemBytes = 20_000;
const maxFieldLength = 200;
const maxProblemLength = 1_000;

/** The first problems of a request, as many as an answer may have, none of them longer than anybody reads. */
function listable(details: readonly FieldProblem[]): readonly FieldProblem[] {
  const listed: FieldProblem[] = [];
  let bytes = 0;
  for (const { field, code, message } of details.slice(0, maxProblems)) {
    const short = { field: field.slice(0, maxFieldLength), code, message: message.slice(0, maxProblemLength) };
    bytes += new TextEncoder().encode(short.field + short.code + short.message).length;
    if (bytes > maxProblemBytes) break;
    listed.push(short);
  }
  return listed;
}

export const isErrorCode = (value: string): value is ErrorCode => Object.hasOwn(errorCatalogue, value);

/** The domain of our ErrorInfo details; tells our errors from those of proxies and libraries. */
const errorDomain = "assent";

/**
 * The wire form of a domain error: the gRPC status of its row with one `google.rpc.ErrorInfo`
 * (reason = errorCode), one `google.rpc.RetryInfo` when it says when to send it again, and for validation one
 * `google.rpc.BadRequest`.
 */
export function toConnectError(error: DomainError): ConnectError {
  const info = { reason: error.code, domain: errorDomain, metadata: { ...error.metadata } };
  const wire = new ConnectError(
    error.message,
    errorCatalogue[error.code].rpc,
    undefined,
    [{ desc: ErrorInfoSchema, value: info }],
    error.cause,
  );
  const seconds = Number(error.metadata.retryAfterSeconds);
  if (Number.isSafeInteger(seconds) && seconds > 0) {
    const retryDelay = { seconds: BigInt(seconds) };
    wire.details.push({ desc: RetryInfoSchema, value: { retryDelay } });
  }
  if (error.details.length > 0) {
    const fieldViolations = error.details.map((d) => ({ field: d.field, reason: d.code, description: d.message }));
    wire.details.push({ desc: BadRequestSchema, value: create(BadRequestSchema, { fieldViolations }) });
  }
  return wire;
}

/** Reads a domain error back from the wire; undefined when the error is not one of ours. */
export function fromConnectError(error: unknown): DomainError | undefined {
  if (error instanceof DomainError) return error;
  if (!(error instanceof ConnectError)) return undefined;
  const info = error.findDetails(ErrorInfoSchema).find((detail) => detail.domain === errorDomain);
  if (info === undefined || !isErrorCode(info.reason)) return undefined;
  const details = error
    .findDetails(BadRequestSchema)
    .flatMap((bad) => bad.fieldViolations)
    .map((v) => ({ field: v.field, code: v.reason, message: v.description }));
  return new DomainError(info.reason, { message: error.rawMessage, details, metadata: info.metadata, cause: error });
}
