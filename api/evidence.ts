import { anyObject, choice, count, described, flag, hash, type Kind, list, orNull, text, time, uuid } from "./kinds.ts";
import { anchorCheckpointExample, checkpointExample, inclusionExample } from "./log.ts";
import { type AnswerOf, readOnly } from "./members.ts";
import { receipt } from "./receipts.ts";
import { part, written } from "./written.ts";

const logId = "01961234-5678-7abc-8def-0123456789ab";
const { auditPath, leafIndex, treeSize } = inclusionExample;
const base64 = described(text(), "Base64 (RFC 4648 §4).");
const merkleHash = described(text(), "32 bytes in Base64 (RFC 4648 §4).");
/** An object whose members are not promised. */
const some = anyObject as Kind<object>;
const anything: Kind<unknown> = { at: () => ({ schema: () => ({}) }) };

const place = written({
  logId: readOnly(uuid),
  origin: readOnly(text(), { description: "The name of the log in its checkpoints." }),
  leafIndex: readOnly(count),
  treeSize: readOnly(count, { onDemand: true }),
  auditPath: readOnly(list(merkleHash), {
    onDemand: true,
    description: "From the leaf's sibling up to a child of the root.",
  }),
  checkpoint: readOnly(text(), {
    onDemand: true,
    description: "The signed checkpoint of this size (C2SP tlog-checkpoint).",
  }),
  status: readOnly(choice("PENDING"), {
    onDemand: true,
    description: "Present while no checkpoint covers the leaf; there is no proof yet.",
  }),
  integrateBy: readOnly(time, {
    onDemand: true,
    description: "While PENDING: a checkpoint published by this time covers it.",
  }),
});

const anchor = written({
  status: readOnly(choice("ANCHORED", "PENDING"), {
    description: "Also PENDING while a time stamp is still to come.",
  }),
  anchorIndex: readOnly(count, { onDemand: true, description: "Its leaf is the SHA-256 of the log's checkpoint." }),
  treeSize: readOnly(count, { onDemand: true }),
  auditPath: readOnly(list(merkleHash), { onDemand: true }),
  checkpoint: readOnly(text(), { onDemand: true, description: "The signed checkpoint of the anchor log." }),
  timestampToken: readOnly(orNull(text()), {
    onDemand: true,
    description: "RFC 3161, over the anchor's checkpoint; Base64 of the DER.",
  }),
  tsaName: readOnly(orNull(text()), { onDemand: true }),
  cosignatures: readOnly(list(text()), { onDemand: true }),
});

const inLog = readOnly(orNull(part(place)), {
  description: "Proves that the log holds the leaf.",
  example: {
    logId,
    origin: `agreements.example.com/click/log/${logId}`,
    leafIndex,
    treeSize,
    auditPath,
    checkpoint: checkpointExample,
  },
});
const disclosures = readOnly(list(text()), {
  description: "Disclosures that prove the personal values the leaf commits to (RFC 9901).",
});
const receiptJws = { description: "Compact JWS (RFC 7515) over the leaf." } as const;
const leafData = { description: "The exact bytes that were signed." } as const;

const record = written({
  recordId: readOnly(uuid),
  kind: readOnly(text(), { example: "click.acceptance" }),
  leafData: readOnly(base64, leafData),
  leafHash: readOnly(hash),
  receiptJws: readOnly(text(), receiptJws),
  disclosures,
  log: inLog,
});

const integrity = written({
  contentHash: readOnly(hash),
  leafData: readOnly(orNull(base64), leafData),
  leafHash: readOnly(orNull(hash)),
  receiptJws: readOnly(orNull(text()), receiptJws),
  disclosures,
  log: inLog,
  anchor: readOnly(orNull(part(anchor)), {
    description: "Proves that the anchor log holds the checkpoint, and since when.",
    example: {
      status: "ANCHORED",
      anchorIndex: 1,
      treeSize,
      auditPath,
      checkpoint: anchorCheckpointExample,
      timestampToken: null,
      tsaName: null,
      cosignatures: [],
    },
  }),
  records: readOnly(list(part(record)), {
    description: "All leaves of the session, in log order; the one the bundle is about is above.",
  }),
  keys: readOnly(list(some), {
    description: "The public keys of all signatures, as at /.well-known/click-keys.json.",
  }),
  logKeys: readOnly(list(text())),
});

const timelineEntry = written({
  at: readOnly(orNull(time)),
  serverAt: readOnly(time),
  type: readOnly(text(), { example: "ACCEPTED" }),
  actor: readOnly(choice("USER", "BACKEND", "SYSTEM")),
  source: readOnly(choice("SERVER", "CLIENT"), {
    description:
      "SERVER: the service observed or did it, at serverAt. CLIENT: the page or the sender reported it; the service observed only the time.",
  }),
  detail: readOnly(orNull(text())),
});

const policyCheck = written({
  flag: readOnly(text(), { example: "requireScroll" }),
  required: readOnly(anything, { example: true }),
  observed: readOnly(anything, { example: true }),
  source: readOnly(choice("SERVER", "CLIENT"), {
    description: "SERVER: the service observed it. CLIENT: the sender of the acceptance or the page reported it.",
  }),
  ok: readOnly(flag),
});

const subject = written({
  userRef: readOnly(orNull(text())),
  verification: readOnly(list(some)),
  typedName: readOnly(orNull(text())),
  erased: readOnly(flag, { description: "Personal data was erased: it is null or empty here.", example: false }),
  restricted: readOnly(flag, {
    description: "Personal data is shown to administrators only (GDPR art. 18).",
    example: false,
  }),
});

const agreement = written({
  template: readOnly(some),
  version: readOnly(some),
  content: readOnly(text()),
  contentType: readOnly(text(), { example: "text/html; charset=utf-8" }),
  contentHash: readOnly(hash),
  rendered: readOnly(orNull(text()), { description: "The HTML as it was served." }),
  renderHash: readOnly(orNull(hash)),
  data: readOnly(orNull(some)),
  linkedDocuments: readOnly(list(some)),
  pdf: readOnly(
    part(written({ hash: readOnly(hash), size: readOnly(count), pages: readOnly(count), content: readOnly(base64) })),
    { onDemand: true, description: "For a text that is a PDF: the file that was shown." },
  ),
});

const context = written({
  claimed: readOnly(orNull(some), {
    description: "The end user's context as reported by the sender of the acceptance.",
  }),
  observed: readOnly(orNull(some), { description: "The sender's context as the service observed it." }),
  metadata: readOnly(some, { description: "Of the acceptance." }),
  session: readOnly(orNull(some), {
    description: "The end user's context as reported when the session was created.",
  }),
});

const statement = written({
  process: readOnly(text()),
  assertedBy: readOnly(orNull(choice("BACKEND", "WIDGET"))),
  proves: readOnly(list(text())),
  limitations: readOnly(list(text())),
});

const signature = written({ alg: readOnly(choice("EdDSA")), kid: readOnly(text()), jws: readOnly(text()) });

const delivery = written({
  channel: readOnly(choice("EMAIL")),
  receiptId: readOnly(uuid),
  to: readOnly(orNull(text()), {
    description: "The masked address; the full one is disclosed as `copyTo`. Null if personal data isn't shown.",
    example: "a…@example.com",
  }),
  status: readOnly(choice("WAITING", "SENT", "REFUSED", "FAILED", "CANCELLED"), {
    description:
      "SENT: the mail server accepted it. REFUSED: it knows no such mailbox. FAILED: it couldn't be sent for three days, for example because there is no mail server; until then it is WAITING. CANCELLED: the person was erased or restricted before.",
  }),
  requestedAt: readOnly(time),
  at: readOnly(orNull(time), { description: "When the status was reached; null while it waits." }),
  attempts: readOnly(count),
  messageId: readOnly(orNull(text())),
  documentHash: readOnly(orNull(hash), {
    description: "SHA-256 of the PDF that was sent; null if none was, for example because the text can't be printed.",
  }),
});

/** The evidence bundle of a session. */
export const evidence = written(
  {
    bundleVersion: readOnly(count, { example: 1 }),
    bundleId: readOnly(uuid),
    generatedAt: readOnly(time),
    organizationId: readOnly(uuid),
    sessionId: readOnly(uuid),
    disclosed: readOnly(flag, { description: "False if you asked to leave out personal data." }),
    session: readOnly(some, { description: "The session, without its render token." }),
    receipts: readOnly(list(part(receipt))),
    subject: readOnly(part(subject)),
    agreement: readOnly(part(agreement)),
    presentation: readOnly(some, {
      description:
        "Where, when and how the text was shown. The service produced `deployment`, `renderedAt` and `rendering`; the members listed in `claimed` were reported by the sender of the acceptance.",
    }),
    policy: readOnly(
      part(written({ flags: readOnly(some), hash: readOnly(hash), checks: readOnly(list(part(policyCheck))) })),
    ),
    context: readOnly(part(context)),
    earlier: readOnly(list(some), { description: "Earlier acceptances of the session." }),
    timeline: readOnly(list(part(timelineEntry))),
    consents: readOnly(list(some)),
    delivery: readOnly(list(part(delivery)), {
      description: "Copies emailed to the person, one for each acceptance that asked for it.",
    }),
    after: readOnly(some, { description: "Withdrawals and later acceptances." }),
    integrity: readOnly(part(integrity), { description: "Everything needed to verify the bundle offline." }),
    statement: readOnly(part(statement)),
    bundleSignature: readOnly(part(signature), {
      description: "A signature over the SHA-256 of the bundle without this member, in canonical form (RFC 8785).",
    }),
  },
  "Everything that proves what was shown, to whom, and what was decided.",
);

export type Evidence = AnswerOf<typeof evidence.table>;
export type TimelineEntry = AnswerOf<typeof timelineEntry.table>;
