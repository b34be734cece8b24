import type { JsonObject } from "@bufbuild/protobuf";
import type { JsonSchema } from "#api/kinds.ts";
import { anchorCheckpointExample, checkpointExample, inclusionExample } from "./log-schemas.ts";
import { receiptSchema } from "./receipt-schemas.ts";

import {
  answer,
  anyObject,
  anyText,
  count,
  dateTime,
  described,
  flag,
  hash,
  listOf,
  object,
  oneOf,
  orNull,
  text,
  uuid,
} from "./schema-parts.ts";

const example = (schema: JsonSchema, value: unknown): JsonSchema => ({ ...schema, examples: [value] });

const base64 = described(anyText, "Base64 (RFC 4648 §4).");
const merkleHash = described(anyText, "32 bytes in Base64 (RFC 4648 §4).");
const logId = "01961234-5678-7abc-8def-0123456789ab";
const { auditPath, treeSize } = inclusionExample;

const log = example(
  described(
    {
      ...object(
        {
          logId: uuid,
          origin: described(anyText, "The name of the log in its checkpoints."),
          leafIndex: count,
          treeSize: count,
          auditPath: described(listOf(merkleHash), "From the leaf's sibling up to a child of the root."),
          checkpoint: described(anyText, "The signed checkpoint of this size (C2SP tlog-checkpoint)."),
          status: described(oneOf("PENDING"), "There while no checkpoint covers the leaf; then there is no proof."),
          integrateBy: described(dateTime, "While it is PENDING: a checkpoint that is published by then covers it."),
        },
        ["logId", "origin", "leafIndex"],
      ),
      type: ["object", "null"],
    },
    "Proves that the log holds the leaf.",
  ),
  {
    logId,
    origin: `agreements.example.com/click/log/${logId}`,
    leafIndex: inclusionExample.leafIndex,
    treeSize,
    auditPath,
    checkpoint: checkpointExample,
  },
);

const anchor = example(
  described(
    {
      ...object(
        {
          status: described(oneOf("ANCHORED", "PENDING"), "PENDING as well while a time stamp is still to come."),
          anchorIndex: described(count, "Its leaf is the SHA-256 of the log's checkpoint."),
          treeSize: count,
          auditPath: listOf(merkleHash),
          checkpoint: described(anyText, "The signed checkpoint of the anchor log."),
          timestampToken: orNull(described(anyText, "RFC 3161, over the anchor's checkpoint; Base64 of the DER.")),
          tsaName: orNull(anyText),
          cosignatures: listOf(anyText),
        },
        ["status"],
      ),
      type: ["object", "null"],
    },
    "Proves that the anchor log holds the checkpoint, and since when.",
  ),
  {
    status: "ANCHORED",
    anchorIndex: 1,
    treeSize,
    auditPath,
    checkpoint: anchorCheckpointExample,
    timestampToken: null,
    tsaName: null,
    cosignatures: [],
  },
);

const provenLeaf = {
  leafData: described(base64, "The exact bytes that were signed."),
  leafHash: hash,
  receiptJws: described(anyText, "Compact JWS (RFC 7515) over the leaf."),
  disclosures: described(listOf(anyText), "What proves the personal values that the leaf commits to (RFC 9901)."),
  log,
};

const integrity = answer({
  contentHash: hash,
  ...Object.fromEntries(
    Object.entries(provenLeaf).map(([name, schema]) => [name, name === "disclosures" ? schema : orNull(schema)]),
  ),
  anchor,
  records: described(
    listOf(answer({ recordId: uuid, kind: example(anyText, "click.acceptance"), ...provenLeaf })),
    "All leaves of the session in the order of the log; above are those of the one that the bundle is about.",
  ),
  keys: described(listOf(anyObject), "The public keys of all signatures, as at /.well-known/click-keys.json."),
  logKeys: listOf(anyText),
});

const timelineEntry = answer({
  at: orNull(dateTime),
  serverAt: dateTime,
  type: example(anyText, "ACCEPTED"),
  actor: oneOf("USER", "BACKEND", "SYSTEM"),
  source: described(
    oneOf("SERVER", "CLIENT"),
    "SERVER: the service saw or did it itself, at serverAt. CLIENT: the page or the sender said so, and the service saw only when.",
  ),
  detail: orNull(anyText),
});

const policyCheck = answer({
  flag: example(anyText, "requireScroll"),
  required: example({}, true),
  observed: example({}, true),
  source: described(
    oneOf("SERVER", "CLIENT"),
    "SERVER: the service saw it itself. CLIENT: the sender of the acceptance says so, or the page did.",
  ),
  ok: flag,
});

export const evidenceSchema: JsonSchema = {
  ...answer({
    bundleVersion: example(count, 1),
    bundleId: uuid,
    generatedAt: dateTime,
    organizationId: uuid,
    sessionId: uuid,
    disclosed: described(flag, "False when what is personal was left out on request."),
    session: described(anyObject, "The session without what lets it be rendered."),
    receipts: listOf(receiptSchema),
    subject: answer({
      userRef: orNull(anyText),
      verification: listOf(anyObject),
      typedName: orNull(anyText),
      erased: example(described(flag, "What is personal was erased: it is null or empty here."), false),
      restricted: example(described(flag, "What is personal is shown to administrators only (GDPR art. 18)."), false),
    }),
    agreement: answer({
      template: anyObject,
      version: anyObject,
      content: anyText,
      contentType: example(anyText, "text/html; charset=utf-8"),
      contentHash: hash,
      rendered: described(orNull(anyText), "The HTML as it was handed out to be displayed."),
      renderHash: orNull(hash),
      data: orNull(anyObject),
      linkedDocuments: listOf(anyObject),
    }),
    presentation: described(
      anyObject,
      "Where, when and how the text was shown. `deployment`, `renderedAt` and `rendering` are what the service has done itself; the members that `claimed` lists are what the sender of the acceptance says.",
    ),
    policy: answer({ flags: anyObject, hash, checks: listOf(policyCheck) }),
    context: answer({
      claimed: described(orNull(anyObject), "The end user's side as the sender of the acceptance tells it."),
      observed: described(orNull(anyObject), "The sender's side as it was seen."),
      metadata: described(anyObject, "Of the acceptance."),
      session: described(orNull(anyObject), "The end user's side as it was told when the session was created."),
    }),
    earlier: described(listOf(anyObject), "What was kept of the acceptances before the last one."),
    timeline: listOf(timelineEntry),
    consents: listOf(anyObject),
    delivery: listOf(anyObject),
    after: described(anyObject, "Withdrawals and later acceptances."),
    integrity: described(integrity, "What proves it all without asking us."),
    statement: answer({
      process: anyText,
      assertedBy: orNull(oneOf("BACKEND", "WIDGET")),
      proves: listOf(anyText),
      limitations: listOf(anyText),
    }),
    bundleSignature: described(
      answer({ alg: oneOf("EdDSA"), kid: anyText, jws: anyText }),
      "Over the SHA-256 of the bundle without this member in canonical form (RFC 8785).",
    ),
  }),
  description: "Everything that proves what was shown, to whom, and what was decided.",
};

export interface EvidenceQuery {
  readonly format?: "json" | "pdf" | "zip";
  readonly disclose?: "all" | "none";
}

export const evidenceQuery = {
  format: described(
    oneOf("json", "pdf", "zip"),
    "json when absent. zip: the bundle with its parts as files; pdf: for people, with the bundle attached.",
  ),
  disclose: described(oneOf("all", "none"), "none leaves out what is personal; all proofs still hold."),
};

export interface VerifyReceiptBody {
  readonly receipt?: JsonObject;
  readonly jws?: string;
  readonly disclosures?: readonly string[] | null;
}

export const verifyReceiptSchema: JsonSchema = {
  ...object(
    {
      receipt: described(anyObject, "A receipt as it was answered."),
      jws: text(1, 65_536, "Its signature.jws alone."),
      disclosures: described(
        orNull({ ...listOf(text(1, 400_000)), maxItems: 64 }),
        "Disclosures from an evidence bundle (RFC 9901), to be checked against the record.",
      ),
    },
    [],
  ),
  description: "Exactly one of receipt and jws is required.",
  oneOf: [{ required: ["receipt"] }, { required: ["jws"] }],
};

export const verificationResultSchema: JsonSchema = answer({
  valid: described(flag, "Every check that was made has passed."),
  checks: described(
    listOf(
      answer({
        check: oneOf(
          ...["FORM", "SIGNATURE", "KEY_VALIDITY", "LEAF", "ORGANIZATION", "DISCLOSURES", "RECORDED", "INCLUSION"],
        ),
        ok: flag,
        message: example(anyText, "It is a receipt with a signature."),
      }),
    ),
    "The checks that were made. After one that leaves nothing to rely on, no others are.",
  ),
});
