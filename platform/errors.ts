import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "#gen/google/rpc/error_details_pb.ts";

/** One errorCode of the catalogue: its gRPC code, HTTP status and default message. */
interface ErrorRow {
  readonly rpc: Code;
  readonly http: number;
  readonly message: string;
}

const row = (http: number, rpc: Code, message: string): ErrorRow => ({ http, rpc, message });

/**
 * Every errorCode of the product. A message says what is wrong and what to do about it. The codes are public
 * API: they are added, never renamed.
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
    "The token is malformed, unknown or revoked. Request a new token or check the API key.",
  ),
  TOKEN_EXPIRED: row(
    401,
    Code.Unauthenticated,
    "The access token has expired. Request a new one from the token endpoint.",
  ),
  INSUFFICIENT_SCOPE: row(
    403,
    Code.PermissionDenied,
    "The token lacks a scope that this operation requires. Request the scope at the token endpoint.",
  ),
  ORGANIZATION_SUSPENDED: row(
    403,
    Code.PermissionDenied,
    "The organization is suspended and can only read. Nothing was processed. Contact the operator of this installation.",
  ),
  TOO_MANY_CREDENTIALS: row(
    409,
    Code.FailedPrecondition,
    "The organization has reached its limit of API keys and OAuth clients. Revoke those you no longer use.",
  ),
  NOT_FOUND: row(404, Code.NotFound, "No such endpoint. Check the method and the path."),
  VALIDATION_FAILED: row(
    400,
    Code.InvalidArgument,
    "The request is invalid. Correct the fields named in details and try again.",
  ),
  PAYLOAD_TOO_LARGE: row(400, Code.InvalidArgument, "The request body exceeds this operation's size limit."),
  UNSUPPORTED_MEDIA_TYPE: row(
    415,
    Code.InvalidArgument,
    "Send the request body as application/json in UTF-8, without compression.",
  ),
  METHOD_NOT_ALLOWED: row(405, Code.Unimplemented, "This path does not support the method. See the Allow header."),
  RATE_LIMIT_EXCEEDED: row(
    429,
    Code.ResourceExhausted,
    "Too many requests. Wait the number of seconds in Retry-After, then try again.",
  ),
  INTERNAL_ERROR: row(
    500,
    Code.Internal,
    "Something went wrong on our side. Try again. If the problem persists, contact support and quote the requestId.",
  ),
  SERVICE_UNAVAILABLE: row(
    503,
    Code.Unavailable,
    "The service is temporarily unavailable. It is safe to retry the request after the time in Retry-After.",
  ),

  LOGIN_FAILED: row(
    401,
    Code.Unauthenticated,
    "The email address or password is incorrect. After 10 failed attempts the account is locked for 15 minutes.",
  ),
  LOGIN_CODE_INVALID: row(
    401,
    Code.Unauthenticated,
    "The code is incorrect or has already been used. Wait for the next code, or use a recovery code.",
  ),
  LOGIN_EXPIRED: row(401, Code.Unauthenticated, "The sign-in took too long. Sign in again."),
  SESSION_ENDED: row(401, Code.Unauthenticated, "Your session has ended. Sign in again."),
  CSRF_TOKEN_INVALID: row(
    403,
    Code.PermissionDenied,
    "The X-CSRF-Token header is missing or does not match the session, or the request comes from another site.",
  ),
  PASSWORD_WRONG: row(403, Code.PermissionDenied, "The current password is incorrect."),
  LINK_INVALID: row(
    400,
    Code.FailedPrecondition,
    "The link has expired, was already used, or was replaced by a newer one. Request a new link.",
  ),
  TOTP_CODE_INVALID: row(
    400,
    Code.FailedPrecondition,
    "The code is incorrect. Check that the clock of the authenticator's device is right.",
  ),
  TOTP_NOT_BEGUN: row(409, Code.Aborted, "No two-factor setup is in progress. Start again with a new secret."),
  TOTP_ALREADY_ENABLED: row(409, Code.Aborted, "Two-factor authentication is already on. Turn it off first."),
  TOTP_NOT_ENABLED: row(409, Code.Aborted, "Two-factor authentication is not on."),
  PASSKEY_REFUSED: row(
    401,
    Code.Unauthenticated,
    "The passkey was not accepted. Try again, use another passkey, or sign in with your password.",
  ),
  PASSKEY_NOT_ADDED: row(400, Code.FailedPrecondition, "The passkey was not added. Start again."),
  PASSKEY_EXISTS: row(409, Code.AlreadyExists, "This passkey has been added already."),
  PASSKEY_NOT_FOUND: row(404, Code.NotFound, "You have no passkey with this id."),
  USER_EXISTS: row(409, Code.AlreadyExists, "The organization already has a user with this email address."),
  USER_NOT_INVITED: row(409, Code.Aborted, "The user has already accepted the invitation."),
  USER_NOT_ACTIVE: row(
    409,
    Code.Aborted,
    "The user has not accepted the invitation yet and cannot be enabled or disabled. Remove the user instead.",
  ),
  LAST_OWNER: row(
    409,
    Code.Aborted,
    "The organization must keep at least one active owner. Make another user an owner first.",
  ),
  USER_NOT_FOUND: row(404, Code.NotFound, "There is no user with this id."),
  USER_SESSION_NOT_FOUND: row(404, Code.NotFound, "You have no session with this id."),
  API_KEY_NOT_FOUND: row(404, Code.NotFound, "There is no API key with this id."),
  CLIENT_NOT_FOUND: row(404, Code.NotFound, "There is no OAuth client with this id."),

  CLICK_VALIDATION_FAILED: row(
    400,
    Code.InvalidArgument,
    "The request is invalid. Correct the fields named in details and try again.",
  ),
  CLICK_PAYLOAD_TOO_LARGE: row(400, Code.InvalidArgument, "The request body exceeds this operation's size limit."),
  CLICK_IDEMPOTENCY_KEY_REQUIRED: row(
    400,
    Code.InvalidArgument,
    "The X-Idempotency-Key header is missing. Send a key that is unique to this acceptance and the same on every retry.",
  ),
  CLICK_IDEMPOTENCY_KEY_INVALID: row(
    400,
    Code.InvalidArgument,
    "Send the X-Idempotency-Key header once, with 1 to 255 printable ASCII characters.",
  ),
  CLICK_POLICY_FLAG_INVALID: row(400, Code.InvalidArgument, "A policy flag is unknown or has an invalid value."),
  CLICK_POLICY_FLAG_CONFLICT: row(400, Code.InvalidArgument, "The policy flags contradict each other."),
  CLICK_CONTENT_INVALID: row(
    400,
    Code.InvalidArgument,
    "The content violates a rule for published content. See details, or check it with validate-content.",
  ),
  CLICK_TEMPLATE_HAS_ACTIVE_DEPLOYMENTS: row(
    400,
    Code.FailedPrecondition,
    "The template has active deployments. Deactivate them first.",
  ),
  CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS: row(
    400,
    Code.FailedPrecondition,
    "Active deployments serve this version. Write its next text as its draft, or deactivate them first.",
  ),
  CLICK_VERSION_PUBLISHED: row(
    400,
    Code.FailedPrecondition,
    "A published version cannot be modified. Write its next text as its draft (PUT …/draft) and publish that.",
  ),
  CLICK_VERSION_ARCHIVED: row(400, Code.FailedPrecondition, "The version is archived. Create a new version instead."),
  CLICK_TEMPLATE_TYPE_LOCKED: row(
    400,
    Code.FailedPrecondition,
    "A template's type cannot change after its first publication.",
  ),
  CLICK_DEPLOYMENT_ACTIVE: row(400, Code.FailedPrecondition, "The deployment is active. Deactivate it first."),
  CLICK_ORIGIN_NOT_ALLOWED: row(
    403,
    Code.PermissionDenied,
    "This origin is not among the deployment's allowed origins.",
  ),
  CLICK_APPROVAL_NOT_ALLOWED: row(
    403,
    Code.PermissionDenied,
    "Only someone who is signed in, didn't write this text and didn't request its approval can decide on it.",
  ),
  CLICK_TEMPLATE_NOT_FOUND: row(404, Code.NotFound, "There is no template with this id."),
  CLICK_VERSION_NOT_FOUND: row(404, Code.NotFound, "There is no version with this id in this template."),
  CLICK_DRAFT_NOT_FOUND: row(404, Code.NotFound, "The version has no draft."),
  CLICK_SCHEDULE_NOT_FOUND: row(404, Code.NotFound, "No publication of the version is scheduled."),
  CLICK_SESSION_NOT_FOUND: row(404, Code.NotFound, "There is no session with this id."),
  CLICK_EVIDENCE_NOT_FOUND: row(404, Code.NotFound, "There is no evidence for a session with this id."),
  CLICK_RECEIPT_NOT_FOUND: row(404, Code.NotFound, "There is no receipt with this id."),
  CLICK_CHECKPOINT_NOT_FOUND: row(404, Code.NotFound, "The log has no checkpoint yet."),
  CLICK_LEAF_NOT_FOUND: row(404, Code.NotFound, "The log has no leaf with this index."),
  CLICK_TILE_NOT_FOUND: row(404, Code.NotFound, "The log has no tile with this name."),
  CLICK_LEAF_NOT_INTEGRATED: row(
    409,
    Code.Aborted,
    "The leaf is recorded, but no checkpoint covers it yet. Try again after the time in the receipt's integrateBy.",
  ),
  CLICK_DEPLOYMENT_NOT_FOUND: row(404, Code.NotFound, "There is no deployment with this id."),
  CLICK_FILE_NOT_FOUND: row(404, Code.NotFound, "The template has no file with this contentHash."),
  CLICK_SCREENSHOT_NOT_FOUND: row(404, Code.NotFound, "The deployment has no screenshot with this id."),
  CLICK_SCREENSHOT_IN_USE: row(
    409,
    Code.FailedPrecondition,
    "The deployment names this screenshot. Give it another screenshotId first.",
  ),
  CLICK_CAMPAIGN_NOT_FOUND: row(404, Code.NotFound, "There is no campaign with this id."),
  CLICK_CAMPAIGN_STARTED: row(
    409,
    Code.FailedPrecondition,
    "Only drafts can be deleted. Cancel the campaign if no one should be asked any more.",
  ),
  CLICK_CAMPAIGN_CLOSED: row(
    409,
    Code.FailedPrecondition,
    "The campaign has ended or was cancelled. One that has ended goes on when you give it a later dueAt.",
  ),
  CLICK_CAMPAIGN_EMPTY: row(
    409,
    Code.FailedPrecondition,
    "The campaign has no people. Add people before you start it.",
  ),
  CLICK_CAMPAIGN_FULL: row(
    409,
    Code.FailedPrecondition,
    "A campaign can have 1,000,000 people. No one was added. Use another campaign for the others.",
  ),
  CLICK_TOO_MANY_CAMPAIGNS: row(
    409,
    Code.FailedPrecondition,
    "The organization has 200 campaigns that are drafts or run. Delete or cancel one first.",
  ),
  CLICK_RENDER_NOT_FOUND: row(404, Code.NotFound, "Nothing is published to render here."),
  CLICK_TEMPLATE_SLUG_EXISTS: row(
    409,
    Code.AlreadyExists,
    "Another template already uses this slug. Choose a different one.",
  ),
  CLICK_VERSION_LOCALE_EXISTS: row(
    409,
    Code.AlreadyExists,
    "The template already has a version for this locale. Change that version, or its draft while it is published.",
  ),
  CLICK_TEMPLATE_ARCHIVED: row(
    409,
    Code.Aborted,
    "The template is archived. Restore it by setting its status to DRAFT.",
  ),
  CLICK_VERSION_CONFLICT: row(
    409,
    Code.Aborted,
    "The version or its draft has been changed since you read it. Read it again and retry.",
  ),
  CLICK_VERSION_SCHEDULED: row(
    409,
    Code.Aborted,
    "The publication of this text is scheduled. Cancel that (DELETE …/schedule) before you change or discard the text.",
  ),
  CLICK_APPROVAL_REQUIRED: row(
    409,
    Code.Aborted,
    "Your organization requires an approval before a text is published. Request one (POST …/approval-requests); another person has to give it.",
  ),
  CLICK_APPROVAL_NOT_REQUESTED: row(
    409,
    Code.Aborted,
    "No one has requested approval of this text, or it was refused. Request it first (POST …/approval-requests).",
  ),
  CLICK_VERSION_NOT_PUBLISHED: row(409, Code.Aborted, "No version is published. Publish a version first."),
  CLICK_VERSION_SUPERSEDED: row(
    409,
    Code.Aborted,
    "The text that was shown is no longer current. Show the current text and ask the user again.",
  ),
  CLICK_SESSION_EXPIRED: row(409, Code.Aborted, "The session has expired. Create a new session."),
  CLICK_SESSION_CLOSED: row(409, Code.Aborted, "The session is already closed. Create a new session."),
  CLICK_ALREADY_ACCEPTED: row(409, Code.Aborted, "This user has already accepted this revision."),
  CLICK_CONSENT_CONFLICT: row(
    409,
    Code.Aborted,
    "The consent state has been changed since you read it. Read it again and retry.",
  ),
  CLICK_LEGAL_HOLD: row(409, Code.Aborted, "The records are under a legal hold and cannot be erased."),
  CLICK_IDEMPOTENCY_KEY_REUSED: row(
    422,
    Code.FailedPrecondition,
    "The idempotency key was already used with a different body. Nothing was recorded. Use a new key for a new acceptance.",
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
  CLICK_USER_REF_MISMATCH: row(422, Code.FailedPrecondition, "The userRef differs from the session's userRef."),
  CLICK_PURPOSE_UNKNOWN: row(422, Code.FailedPrecondition, "No published consent template contains this purpose."),
  CLICK_RENDER_TOKEN_INVALID: row(
    422,
    Code.FailedPrecondition,
    "The render token is missing, expired, or belongs to another text. Render the text again.",
  ),
  CLICK_DATA_INVALID: row(422, Code.FailedPrecondition, "The merge data does not fit the template's variables."),
  CLICK_RATE_LIMITED: row(
    429,
    Code.ResourceExhausted,
    "Too many requests. The request was not processed. Wait the number of seconds in Retry-After, then try again.",
  ),

  // Sent in lower case without the GEN_ prefix, with details as an object; see the gateway's docgen dialect.
  ACCOUNT_NOT_FOUND: row(
    404,
    Code.NotFound,
    "The credential has no access to an account with this id. The account id is the id of the organization.",
  ),
  ENVELOPE_NOT_FOUND: row(404, Code.NotFound, "There is no agreement with this id."),
  ERASURE_NOT_FOUND: row(404, Code.NotFound, "There is no erasure with this id."),
  LEGAL_HOLD: row(409, Code.Aborted, "This is under a legal hold and cannot be deleted. Nothing was changed."),
  HOLDS_CHANGED: row(409, Code.Aborted, "A legal hold was set at the same time. Nothing was changed. Try again."),
  LEGAL_HOLD_NOT_FOUND: row(404, Code.NotFound, "There is no legal hold with this id."),
  TEMPLATE_NOT_FOUND: row(404, Code.NotFound, "There is no template with this id."),
  ENVELOPE_CANNOT_BE_MODIFIED: row(
    400,
    Code.FailedPrecondition,
    "The agreement has been sent, completed or voided. Only drafts can be modified.",
  ),
  ENVELOPE_CONFLICT: row(409, Code.Aborted, "It has been changed since you read it. Read it again and retry."),
  ENVELOPE_LOCKED: row(
    409,
    Code.Aborted,
    "The agreement is locked while its sender changes it. Send the token of the lock, or try again when the lock has ended.",
  ),
  ENVELOPE_NOT_LOCKED: row(404, Code.NotFound, "The agreement has no lock."),
  ENVELOPE_ALREADY_SENT: row(409, Code.Aborted, "The agreement has already been sent. Nothing was sent again."),
  INVALID_ENVELOPE_STATUS: row(400, Code.FailedPrecondition, "The agreement's status does not allow this operation."),
  DOCUMENTS_REQUIRED: row(400, Code.FailedPrecondition, "The agreement has no documents. Add one before sending."),
  RECIPIENTS_REQUIRED: row(
    400,
    Code.FailedPrecondition,
    "The agreement has no recipient who has to act. Add one before sending.",
  ),
  DOCUMENT_NOT_FOUND: row(404, Code.NotFound, "The agreement has no document with this id."),
  EXPORT_NOT_FOUND: row(404, Code.NotFound, "There is no export with this id, or it has no such part."),
  EXPORT_SCHEDULE_NOT_FOUND: row(404, Code.NotFound, "There is no export schedule with this id."),
  TOO_MANY_EXPORT_SCHEDULES: row(
    409,
    Code.FailedPrecondition,
    "The organization has reached its limit of export schedules. Delete or change one of them.",
  ),
  EXPORT_NOT_READY: row(
    409,
    Code.FailedPrecondition,
    "The export is still being made, or has failed. Read its status.",
  ),
  EXPORT_EXPIRED: row(
    410,
    Code.FailedPrecondition,
    "The files of the export were destroyed seven days after it was made. Request a new export.",
  ),
  DOCUMENT_ERASED: row(
    410,
    Code.FailedPrecondition,
    "The files of the agreement have been erased permanently. Their hashes and the audit trail are kept.",
  ),
  DOCUMENT_DAMAGED: row(
    500,
    Code.DataLoss,
    "The stored file is damaged and is not delivered. Quote the requestId to the operator of the installation, who can restore it from a backup.",
  ),
  ATTACHMENT_NOT_FOUND: row(404, Code.NotFound, "The agreement has no attachment with this id."),
  INVALID_DOCUMENT_FORMAT: row(
    400,
    Code.InvalidArgument,
    "The file type is not supported. Send a PDF, or HTML or plain text to be converted to PDF.",
  ),
  DOCUMENT_TOO_LARGE: row(400, Code.InvalidArgument, "The document is larger than 25 MB. Send a smaller file."),
  INVALID_BASE64: row(
    400,
    Code.InvalidArgument,
    "The document is not valid base64 (RFC 4648 §4, with padding). Encode the file again.",
  ),
  CORRUPTED_DOCUMENT: row(
    422,
    Code.FailedPrecondition,
    "The PDF cannot be processed: it is damaged, encrypted or too large when decompressed. Save it again and retry.",
  ),
  RECIPIENT_NOT_FOUND: row(404, Code.NotFound, "The agreement has no recipient with this id."),
  INVALID_EMAIL: row(400, Code.InvalidArgument, "A recipient's email address is invalid. See details."),
  DUPLICATE_RECIPIENT: row(
    400,
    Code.InvalidArgument,
    "Two signers have the same email address. Use distinct addresses or give each a clientUserId.",
  ),
  RECIPIENT_ALREADY_SIGNED: row(409, Code.Aborted, "The recipient has already signed and cannot be changed."),
  RECIPIENT_NOT_IN_SEQUENCE: row(
    400,
    Code.FailedPrecondition,
    "It is not the recipient's turn yet. Wait until everyone earlier in the routing order has finished.",
  ),
  RECIPIENT_NOT_EMBEDDED: row(
    400,
    Code.FailedPrecondition,
    "The recipient signs by email because it has no clientUserId. Set a clientUserId to sign in your application.",
  ),
  VIEW_URL_EXPIRED: row(
    400,
    Code.FailedPrecondition,
    "The link was already used or is older than 5 minutes. Request a new one.",
  ),
  INVALID_RETURN_URL: row(
    400,
    Code.InvalidArgument,
    "The returnUrl must be an absolute https URL of at most 470 characters.",
  ),
  VERIFICATION_REQUIRED: row(
    403,
    Code.PermissionDenied,
    "The session has not proved yet what the sender asks for. Pass the checks that the session lists, then try again.",
  ),
  VERIFICATION_LOCKED: row(
    403,
    Code.PermissionDenied,
    "The check failed too often and is locked. Only the sender can unlock it.",
  ),
  CONSENT_REQUIRED: row(
    400,
    Code.FailedPrecondition,
    "The person has not consented to electronic records yet. Record the consent first.",
  ),
  DOCUMENTS_NOT_OPENED: row(
    400,
    Code.FailedPrecondition,
    "The documents have not been loaded for this person yet. Load them first.",
  ),
  TAB_NOT_FOUND: row(404, Code.NotFound, "The recipient has no tab with this id."),
  ANCHOR_TAB_STRING_NOT_FOUND: row(
    400,
    Code.FailedPrecondition,
    "A tab's anchor text does not occur in any document. Nothing was sent. See details.",
  ),
  BULK_LIST_NOT_FOUND: row(404, Code.NotFound, "There is no bulk list with this id."),
  BULK_BATCH_NOT_FOUND: row(404, Code.NotFound, "There is no bulk batch with this id."),
  UPLOAD_NOT_FOUND: row(404, Code.NotFound, "There is no such upload, it was not committed, or its time is over."),
  UPLOAD_LIMIT_REACHED: row(
    409,
    Code.FailedPrecondition,
    "The organization has 100 uploads, or 100 MB in them. Delete uploads that you no longer need.",
  ),
  BRAND_NOT_FOUND: row(404, Code.NotFound, "There is no brand with this id."),
  BRAND_IMAGE_NOT_FOUND: row(404, Code.NotFound, "The brand has no such picture."),
  BRAND_NAME_EXISTS: row(409, Code.AlreadyExists, "Another brand has this name. Choose another name."),
  BRAND_LIMIT_REACHED: row(
    409,
    Code.FailedPrecondition,
    "The organization has 100 brands. Delete a brand that you no longer need.",
  ),
  SENDER_DOMAIN_NOT_FOUND: row(404, Code.NotFound, "There is no sender domain with this id."),
  SENDER_DOMAIN_EXISTS: row(409, Code.AlreadyExists, "The organization has this sender domain already."),
  SENDER_DOMAIN_TAKEN: row(
    409,
    Code.FailedPrecondition,
    "Another organization has verified this domain. It can be verified here once its records are gone there.",
  ),
  SENDER_DOMAIN_LIMIT_REACHED: row(
    409,
    Code.FailedPrecondition,
    "The organization has 10 sender domains. Delete one that you no longer need.",
  ),
  PAGE_HOST_NOT_FOUND: row(404, Code.NotFound, "There is no page host with this id."),
  PAGE_HOST_EXISTS: row(409, Code.AlreadyExists, "The organization has this page host already."),
  PAGE_HOST_TAKEN: row(
    409,
    Code.FailedPrecondition,
    "Another organization has verified this host. It can be verified here once its record is gone there.",
  ),
  PAGE_HOST_LIMIT_REACHED: row(
    409,
    Code.FailedPrecondition,
    "The organization has 10 page hosts. Delete one that you no longer need.",
  ),
  SUBSCRIPTION_NOT_FOUND: row(404, Code.NotFound, "There is no webhook configuration with this id."),
  WEBHOOK_ENDPOINT_NOT_FOUND: row(404, Code.NotFound, "There is no webhook endpoint with this id."),
  WEBHOOK_DELIVERY_NOT_FOUND: row(
    404,
    Code.NotFound,
    "There is no delivery with this id, or it has been deleted after its retention period.",
  ),
  WEBHOOK_ENDPOINT_DISABLED: row(
    409,
    Code.FailedPrecondition,
    "The endpoint is disabled. Enable it with PATCH, then try again.",
  ),
  WEBHOOK_ENDPOINT_LIMIT: row(
    409,
    Code.FailedPrecondition,
    "The organization has reached its limit of webhook endpoints. Delete an endpoint that you no longer need.",
  ),
  CONNECT_SECRET_NOT_FOUND: row(404, Code.NotFound, "There is no key with this id."),
  CONNECT_SECRET_LIMIT: row(
    409,
    Code.FailedPrecondition,
    "The organization has reached its limit of keys. Delete a key that you no longer need.",
  ),
  FOLDER_NOT_FOUND: row(404, Code.NotFound, "There is no folder with this id."),
  RANGE_NOT_SATISFIABLE: row(416, Code.OutOfRange, "The requested range is outside the file."),
  IDEMPOTENCY_KEY_REUSED: row(
    422,
    Code.FailedPrecondition,
    "The idempotency key was already used with a different request. Nothing was changed. Use a new key.",
  ),

  GEN_INVALID_REQUEST: row(
    400,
    Code.InvalidArgument,
    "The request is invalid. Correct the fields named in details and try again.",
  ),
  GEN_PAYLOAD_TOO_LARGE: row(400, Code.InvalidArgument, "The request body exceeds this operation's size limit."),
  GEN_TEMPLATE_NOT_FOUND: row(404, Code.NotFound, "There is no template with this id."),
  GEN_DOCUMENT_NOT_FOUND: row(404, Code.NotFound, "There is no document with this id, or the file has expired."),
  GEN_BATCH_NOT_FOUND: row(404, Code.NotFound, "There is no batch with this id."),
  GEN_ASSET_NOT_FOUND: row(404, Code.NotFound, "There is no asset with this id."),
  GEN_TEMPLATE_SLUG_EXISTS: row(
    409,
    Code.AlreadyExists,
    "Another template already uses this slug. Choose a different one.",
  ),
  GEN_TEMPLATE_NOT_PUBLISHED: row(409, Code.Aborted, "The template has no published version. Publish it first."),
  GEN_DOCUMENT_NOT_READY: row(
    409,
    Code.Aborted,
    "The document is not ready yet. Try again when its status is completed.",
  ),
  GEN_IDEMPOTENCY_CONFLICT: row(
    409,
    Code.Aborted,
    "The idempotency key was already used with a different body. Nothing was rendered. Use a new key for a new document.",
  ),
  GEN_INVALID_DATA: row(422, Code.FailedPrecondition, "The data does not fit the template. See details.path."),
  GEN_TEMPLATE_ERROR: row(422, Code.FailedPrecondition, "The template has an error. See details."),
  GEN_RANGE_NOT_SATISFIABLE: row(
    416,
    Code.OutOfRange,
    "The requested range is outside the file. See details.bytes for its size.",
  ),
  GEN_RATE_LIMITED: row(
    429,
    Code.ResourceExhausted,
    "The plan's document limit for this window has been reached. Wait the number of seconds in retryAfterSeconds, then try again.",
  ),
  GEN_RENDER_FAILED: row(
    500,
    Code.Internal,
    "Rendering the document exceeded the limit of time, memory or pages. See details.",
  ),
  GEN_BUSY: row(
    503,
    Code.Unavailable,
    "Too many documents are waiting to be rendered. The request was not counted. Try again after the time in Retry-After.",
  ),

  // Sent by the token endpoints in the format of RFC 6749 §5.2, never in our own.
  OAUTH_INVALID_REQUEST: row(400, Code.InvalidArgument, "The token request is malformed or is missing a parameter."),
  OAUTH_INVALID_CLIENT: row(401, Code.Unauthenticated, "The client is unknown or its secret is incorrect."),
  OAUTH_INVALID_SCOPE: row(400, Code.InvalidArgument, "This client is not allowed any of the requested scopes."),
  OAUTH_INVALID_GRANT: row(
    400,
    Code.InvalidArgument,
    "The assertion was rejected. Check its claims, the clock of the machine that signs it, and the client's registered keys.",
  ),
  OAUTH_UNSUPPORTED_GRANT_TYPE: row(
    400,
    Code.InvalidArgument,
    "Only the grant types client_credentials and urn:ietf:params:oauth:grant-type:jwt-bearer are supported.",
  ),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorCatalogue;

/** An invalid field of a request. `field` is a path such as `policyFlags.minAge`. */
export interface FieldProblem {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

export interface DomainErrorOptions {
  /** Replaces the default message. Must be safe to show to the caller. */
  readonly message?: string;
  readonly details?: readonly FieldProblem[];
  /** Safe extras for programs, such as `retryAfterSeconds`, which defaults to 1 for SERVICE_UNAVAILABLE. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An expected failure with a code of the catalogue. Any other thrown error is a bug. */
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

/**
 * Details travel in HTTP/2 trailers, whose size is limited (see rpc/status.ts). Applies to calls within one
 * process too.
 */
const maxProblems = 100;
const maxProblemBytes = 20_000;
const maxFieldLength = 200;
const maxProblemLength = 1_000;

/** The first problems of a request, at most maxProblems, each cut to a readable length. */
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

/** The domain of our ErrorInfo details, which distinguishes them from errors of proxies and libraries. */
const errorDomain = "assent";

/**
 * A domain error for the wire: the gRPC status of its row with a `google.rpc.ErrorInfo` (reason = errorCode), a
 * `google.rpc.RetryInfo` when it says when to retry, and a `google.rpc.BadRequest` for field problems.
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

/** Restores a domain error from the wire; undefined when the error is not one of ours. */
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
