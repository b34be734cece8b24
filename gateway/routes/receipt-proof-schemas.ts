import type { JsonSchema } from "#api/kinds.ts";

import { answer, count, dateTime, described, example, flag, hash, oneOf, uuid } from "./schema-parts.ts";

const log = described(
  answer({
    logId: described(uuid, "Your organization."),
    origin: example(
      { type: "string", description: "The name of the log in its checkpoints." },
      "agreements.example.com/click/log/01961234-5678-7abc-8def-0123456789ab",
    ),
    leafIndex: example(described(count, "Its place in the log, from 0 on."), 1042),
    leafHash: hash,
    integrateBy: example(
      described(dateTime, "A checkpoint that is published by then covers it."),
      "2026-11-20T17:01:00.123Z",
    ),
  }),
  "Where the log holds it. Proofs are at /v1/click/log.",
);

const signature = described(
  answer({
    alg: oneOf("EdDSA"),
    kid: example(
      { type: "string", description: "The key, at /.well-known/jwks.json." },
      "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
    ),
    jws: example(
      { type: "string", description: "Compact JWS (RFC 7515); its payload is the leaf." },
      "eyJhbGciOiJFZERTQSIsImtpZCI6ImtQcktfcW14VldhWVZBOXd3QkY2SXVvM3ZWeno3VHhIQ1R3WEJ5Z3JTNGsiLCJ0eXAiOiJjbGljay1yZWNlaXB0K2p3cyJ9.eyJ2IjoxfQ.c2lnbmF0dXJl",
    ),
  }),
  "The leaf as we signed it.",
);

/** What every receipt says of itself at its end. */
export const receiptProof: Readonly<Record<string, JsonSchema>> = {
  erased: example(described(flag, "What was personal in it has been erased."), false),
  restricted: example(described(flag, "What is personal in it is shown to administrators only (GDPR art. 18)."), false),
  log,
  signature,
};
