import { readFileSync } from "node:fs";
import type { ErrorCode } from "#platform/errors.ts";

/** An answer that every address can give, before or instead of the operation there. */
interface GeneralAnswer {
  readonly status: number;
  readonly code: ErrorCode;
  readonly when: string;
}

export const generalAnswers: readonly GeneralAnswer[] = [
  {
    status: 400,
    code: "VALIDATION_FAILED",
    when: "The request is not valid HTTP, its path is not percent-encoded UTF-8, the Host header is missing, or Host, Authorization or Content-Type was sent more than once.",
  },
  {
    status: 404,
    code: "NOT_FOUND",
    when: "No operation has this path. Under /v1/gen/ and /batches: not_found, in the form of document generation.",
  },
  {
    status: 405,
    code: "METHOD_NOT_ALLOWED",
    when: "The path doesn't support this method. The Allow header lists those it supports. Under /v1/gen/ and /batches: method_not_allowed, in the form of document generation.",
  },
  { status: 408, code: "VALIDATION_FAILED", when: "The request took too long to arrive." },
  {
    status: 429,
    code: "RATE_LIMIT_EXCEEDED",
    when: "One network address sends far more than any client can, or keeps failing to authenticate. Wait for the seconds in Retry-After.",
  },
  {
    status: 429,
    code: "CLICK_RATE_LIMITED",
    when: "The same, under /v1/click/.",
  },
  {
    status: 429,
    code: "GEN_RATE_LIMITED",
    when: "The same, under /v1/gen/ and /batches: rate_limited, in the form of document generation.",
  },
  { status: 431, code: "PAYLOAD_TOO_LARGE", when: "The head of the request is larger than 16 KiB." },
];

/** What this installation says that it is. The version is that of the product; that of the interface is in its paths. */
export const product = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  readonly version: string;
  readonly description: string;
};

const table = generalAnswers.map(({ status, code, when }) => `| ${status} | \`${code}\` | ${when} |`).join("\n");

/** What holds for every operation, in Markdown. */
const description = `Assent records agreements: click-acceptance and consent with provable evidence (\`/v1/click\`), document generation (\`/v1/gen\`), e-signature (\`/v1/sign\`, and \`/restapi/v2.1\` for integrations written for DocuSign), webhooks (\`/v1/webhooks\`), and privacy (\`/v1/privacy\`). This is version 1 of the API, in version ${product.version} of Assent. Every request is limited to the organization of its credential: it can't see or change anything of another one.

## Credentials

Send \`Authorization: Bearer <credential>\`. A credential is an API key, which grants access to everything, or an access token from the token endpoint (\`/oauth2/token\`, also at \`/oauth/token\`), which grants what its scopes allow. Each operation names its scopes; if it names several, any one of them is enough. Operations without scopes need no credential.

People sign in to the dashboard instead: \`POST /v1/dashboard/login\` sets a cookie, and every operation takes it if there is no \`Authorization\` header. Their role determines their scopes; only people have the \`dashboard:\` scopes. With the cookie, all requests except GET and HEAD also need the header \`X-CSRF-Token\` with the session's \`csrfToken\`. Their \`Origin\`, if there is one, must be this installation's. Otherwise the response is 403 with \`CSRF_TOKEN_INVALID\`. Responses may replace the cookie.

## Requests and responses

Bodies are JSON in UTF-8 (\`application/json\`), uncompressed. Unknown fields are ignored. IDs are UUIDs, times are RFC 3339 in UTC with milliseconds, and hashes are \`sha256:\` and 64 hexadecimal digits. Responses leave nothing out: absent values are null. New fields may be added to responses, so ignore those you don't know. HEAD returns the headers of GET without the body.

Every response has \`X-Request-Id\` (yours, if you sent one) and \`traceparent\` (W3C Trace Context).

## Limits

Requests with a credential count in the calling client's window: \`X-RateLimit-Limit\` requests are allowed in it, \`X-RateLimit-Remaining\` are left, and it resets at \`X-RateLimit-Reset\` (Unix time), in \`Retry-After\` seconds. A request beyond the limit gets 429 and isn't processed: send it again after \`Retry-After\`. Generating documents (\`POST /v1/gen/documents\`, \`/batches\` and \`/v1/gen/batches\`) counts in the windows of the organization's plan instead, and the same headers describe the one with less left. All other operations of document generation count as requests.

A body that is too large for its operation gets 400 with \`PAYLOAD_TOO_LARGE\`, \`CLICK_PAYLOAD_TOO_LARGE\`, \`payload_too_large\` or, where it can contain documents, \`DOCUMENT_TOO_LARGE\`. If there is no room for another large body, of your organization or at all, you get 503.

## Errors

An error has an \`errorCode\` for programs, a \`message\` for people and the \`requestId\`; \`details\` lists invalid fields. The token endpoint responds as RFC 6749 defines instead. After a 503, you can send the request again after \`Retry-After\` seconds. Each operation lists its own errors.

Document generation (\`/v1/gen/…\` and \`/batches…\`) returns \`{ "code", "message", "details" }\` instead, with codes in lower case and \`details\` as an object, also for unknown addresses and methods. Malformed requests (400, 408 and 431 in the table below) get the body above.

\`\`\`json
{
  "errorCode": "CLICK_VALIDATION_FAILED",
  "message": "The request is invalid. Correct the fields named in details and try again.",
  "requestId": "01961234-5678-7abc-8def-0123456789ab",
  "details": [{ "field": "name", "code": "REQUIRED", "message": "is required" }]
}
\`\`\`

Every address can return these:

| Status | errorCode | When |
| --- | --- | --- |
${table}

## Retries

Operations that record something take an \`X-Idempotency-Key\`. The same key with the same body returns what was first recorded, forever, with \`Idempotent-Replayed: true\`. With another body you get 422.`;

export const info = {
  title: "Assent",
  version: product.version,
  summary: "Recording agreements, with evidence that proves itself.",
  description,
  license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
} as const;

/** The areas of the interface in the order of the reference: a group of tags, each with what its operations are about. */
export const tagGroups: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Access: {
    Authentication: "Access tokens, and the public keys that verify them.",
  },
  "Click acceptance": {
    Templates: "What users are asked to agree to. A template has a version for each locale, and statistics.",
    "Template versions":
      "The texts of a template, one version for each locale. Each publication is a revision, which never changes.",
    "Template configuration": "What each type of template allows, and what an acceptance must satisfy.",
    Deployments: "Where a template is shown, in which form, and on which origins.",
    Sessions: "One user being asked once. The session pins the text, so the user accepts exactly what was shown.",
    Render: "Show a text as JSON, a page, an HTML fragment, or with a script in your own page.",
    Acceptances: "Record that a user accepted or declined, exactly once, and read the receipts.",
    Evidence: "Proof of an acceptance: bundles, signatures, and each organization's log with its proofs.",
    Consent: "What a user has consented to, purpose by purpose.",
    Campaigns: "Ask people to accept by a date, see who has, and remind the others.",
    Erasure: "Erase a user's personal data, and read records that are kept with restricted access.",
  },
  "E-signature": {
    Agreements: "Draft agreements, send them, follow their progress, and read their audit trails.",
    "Agreement locks": "Keep an agreement as it is while you prepare a change.",
    Recipients: "The recipients of an agreement, and the tabs that each of them fills in.",
    "Agreement documents": "The PDFs of an agreement, sealed once it is completed, and its certificate.",
    "Agreement templates": "What agreements are made from: documents, roles and tabs.",
    Brands: "How pages and mails look to recipients: logo, colors, sender, wording.",
    "Signing page": "The requests of the signing page. A link opens it and starts a session.",
  },
  "Document generation": {
    "Document templates": "What documents are made from: restricted HTML or Markdown with placeholders, in versions.",
    Assets: "Images for document templates.",
    Documents: "Generate PDFs from templates and data, within the limits of your plan.",
    Batches: "Generate many documents at once and follow each one.",
  },
  Organization: {
    Webhooks:
      "Where events are sent, and the outcome of each delivery. The request that your server receives is described under `webhooks` in the OpenAPI document.",
    Privacy: "Retention periods, legal holds, and what remains of deleted agreements.",
    Dashboard: "For people who sign in with a browser: their accounts and the management of their organization.",
  },
  "Compatible with DocuSign": {
    "Compatible envelopes":
      "The interface that is compatible with DocuSign's (`/restapi/v2.1`). Envelopes are agreements.",
    "Compatible recipients": "Who signs an envelope, with their tabs and custom fields.",
    "Compatible documents": "The documents of an envelope, its certificate and its archive.",
    "Compatible views": "Links for signing, sending and viewing.",
    "Compatible templates": "What envelopes are made from.",
    "Compatible folders": "The folders of an account, including its recycle bin.",
    "Compatible bulk sending": "Send one envelope or template to everyone in a list.",
    "Compatible events": "Where events are sent, the keys that sign them, and the outcome of each delivery.",
    "Compatible account": "The account, and the one user that stands for a credential.",
  },
  Installation: {
    System: "The state of this installation, and this description.",
  },
};
