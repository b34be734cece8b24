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
    when: "The request is not valid HTTP, its path is no percent-encoded UTF-8, the header Host is missing, or Host, Authorization or Content-Type was sent more than once.",
  },
  {
    status: 404,
    code: "NOT_FOUND",
    when: "No operation has this path. Under /v1/gen/ and /batches as not_found in the body of document generation.",
  },
  {
    status: 405,
    code: "METHOD_NOT_ALLOWED",
    when: "The path has no such method. The header Allow lists those it has. Under /v1/gen/ and /batches as method_not_allowed in the body of document generation.",
  },
  { status: 408, code: "VALIDATION_FAILED", when: "The request took too long to arrive." },
  {
    status: 429,
    code: "RATE_LIMIT_EXCEEDED",
    when: "One network address sends far more than any client may, or keeps failing to authenticate. Wait for the seconds in Retry-After.",
  },
  {
    status: 429,
    code: "CLICK_RATE_LIMITED",
    when: "The same, under /v1/click/.",
  },
  {
    status: 429,
    code: "GEN_RATE_LIMITED",
    when: "The same, under /v1/gen/ and /batches, as rate_limited in the body of document generation.",
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
const description = `Records agreements: click-acceptance and consent with provable evidence (\`/v1/click\`), the templates that are agreed to, documents made from templates and data (\`/v1/gen\`), e-signature (\`/v1/sign\`, and \`/restapi/v2.1\` for integrations written for DocuSign), webhooks that tell of all that (\`/v1/webhooks\`), and how long all that is kept (\`/v1/privacy\`). This is version 1 of the interface, in version ${product.version} of Assent. Every request is scoped to the organization of its credential; what belongs to another organization does not exist for it.

## Credentials

Send \`Authorization: Bearer <credential>\`. A credential is an API key, which may do everything, or an access token of the token endpoint (\`/oauth2/token\`, also at \`/oauth/token\`), which may do what its scopes allow. Each operation names its scopes; where it names several, any one of them is enough. Operations without scopes need no credential.

People sign in to the dashboard instead: \`POST /v1/dashboard/login\` sets a cookie, and every operation takes it where there is no \`Authorization\` header. Their role says which scopes they have; the \`dashboard:\` scopes are for them alone. With the cookie, everything but GET and HEAD also needs the header \`X-CSRF-Token\` with the \`csrfToken\` of the session, and an \`Origin\`, when there is one, that is this installation's; else it is 403 with \`CSRF_TOKEN_INVALID\`. Now and then an answer replaces the cookie.

## Requests and answers

Bodies are JSON in UTF-8 (\`application/json\`), not compressed. Fields that are not known are ignored. Ids are UUIDs, times are RFC 3339 in UTC with milliseconds, hashes are \`sha256:\` and 64 hex digits. In answers nothing is left out: what is absent is null. New fields may be added to answers; a client ignores those it does not know. HEAD answers like GET, without the body.

Every answer has \`X-Request-Id\` (yours, if you sent one) and \`traceparent\` (W3C Trace Context).

## Limits

What needs a credential counts in a window of the client that calls: \`X-RateLimit-Limit\` requests are allowed in it, \`X-RateLimit-Remaining\` are left, and it resets at \`X-RateLimit-Reset\` (Unix time), in \`Retry-After\` seconds. A request beyond the limit is answered 429 and not processed: send it again after \`Retry-After\`. What generates documents (\`POST /v1/gen/documents\`, \`/batches\` and \`/v1/gen/batches\`) counts in the windows of the organization's plan instead, and the same headers tell of the one with less left. The other operations of document generation count requests like any other.

A body that is larger than its operation allows is 400 with \`PAYLOAD_TOO_LARGE\`, \`CLICK_PAYLOAD_TOO_LARGE\`, \`payload_too_large\` or, where it may carry documents, \`DOCUMENT_TOO_LARGE\`. While there is no room for another large one, of your organization or at all, it is 503.

## Errors

An error says its \`errorCode\` for programs, a \`message\` for people and the \`requestId\`; \`details\` lists bad fields. The token endpoint answers as RFC 6749 says instead. A 503 may be sent again after \`Retry-After\` seconds. Each operation lists its own errors.

Document generation (\`/v1/gen/…\` and \`/batches…\`) answers \`{ "code", "message", "details" }\` instead, with codes in lower case and \`details\` as an object, also at addresses and for methods that there are not; what is no proper request (400, 408 and 431 of the table below) has the body above.

\`\`\`json
{
  "errorCode": "CLICK_VALIDATION_FAILED",
  "message": "The request is invalid. Correct the fields named in details and try again.",
  "requestId": "01961234-5678-7abc-8def-0123456789ab",
  "details": [{ "field": "name", "code": "REQUIRED", "message": "is required" }]
}
\`\`\`

These can come from every address:

| Status | errorCode | When |
| --- | --- | --- |
${table}

## Sending again

What records something takes an \`X-Idempotency-Key\`. The same key with the same body answers what was recorded first, forever, with \`Idempotent-Replayed: true\`; with another body it is 422.`;

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
    Render: "Show a text: as JSON, as a page, as a fragment of HTML, or with a script in your own page.",
    Acceptances: "Record that a user accepted or declined, exactly once, and read the receipts.",
    Evidence: "Proof of an acceptance: bundles, signatures, and each organization's log with its proofs.",
    Consent: "What a user has consented to, purpose by purpose.",
    Campaigns: "Ask people to accept by a date, see who has, and remind the others.",
    Erasure: "Erase a user's personal data, and read records that are kept with restricted access.",
  },
  "E-signature": {
    Agreements: "Draft agreements, send them, follow their progress, and read their audit trails.",
    Recipients: "Who takes part in an agreement, and the tabs that each recipient fills in.",
    "Agreement documents": "The PDFs of an agreement, sealed once it is completed, and its certificate.",
    "Agreement templates": "What agreements are made from: documents, roles and tabs.",
    Brands: "How pages and mails look to recipients: logo, colors, sender, wording.",
    "Signing page": "What the page that people sign on calls. A link opens it and becomes a session.",
  },
  "Document generation": {
    "Document templates": "What documents are made from: restricted HTML or Markdown with placeholders, in versions.",
    Assets: "Images for document templates.",
    Documents: "Generate PDFs from templates and data, within the limits of your plan.",
    Batches: "Generate many documents at once and follow each one.",
  },
  Organization: {
    Webhooks:
      "Where events are sent, and the outcome of each delivery. The request that your server receives is described under `webhooks` in this document.",
    Privacy: "Retention periods, legal holds, and what remains of deleted agreements.",
    Dashboard: "People who sign in with a browser: their accounts, and how they manage their organization.",
  },
  "Compatible with DocuSign": {
    "Compatible envelopes":
      "The interface that is compatible with DocuSign's (`/restapi/v2.1`). Envelopes are agreements.",
    "Compatible recipients": "Who signs an envelope, with their tabs and custom fields.",
    "Compatible documents": "The documents of an envelope, its certificate and its archive.",
    "Compatible views": "Links that let a person sign, send or view.",
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
