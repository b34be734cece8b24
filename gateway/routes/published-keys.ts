import { clickDialect, standardDialect } from "../http/error-dialect.ts";
import { jsonReply } from "../http/reply.ts";
import { defineRoute, queryOf, type Route } from "./route.ts";
import { answer, anyText, count, dateTime, described, listOf, object, oneOf, uuid } from "./schema-parts.ts";
import type { Services } from "./services.ts";

const evidenceKey = object(
  {
    kty: oneOf("OKP"),
    crv: oneOf("Ed25519"),
    x: anyText,
    kid: described(anyText, "The RFC 7638 thumbprint."),
    alg: oneOf("EdDSA"),
    use: oneOf("sig"),
    purpose: oneOf("receipt", "render", "log"),
    nbf: described(count, "Signatures are good from then on, in seconds since 1970."),
    exp: described(count, "Signatures are good until then; absent while no successor is made."),
    revokedAt: described(dateTime, "Nothing that the key signed from then on is to be trusted."),
  },
  ["kty", "crv", "x", "kid", "alg", "use", "purpose", "nbf"],
);

const logEpoch = object(
  {
    logId: described(uuid, "The organization; zeros for the anchor log."),
    epoch: described(count, "2 or higher."),
    origin: described(anyText, "The name of the log in its checkpoints from then on."),
    firstIndex: described(count, "The first leaf of the epoch, which says what happened."),
    treeSize: described(count, "The size of the last checkpoint that the database had."),
    missing: described(
      object({ from: count, to: count }, ["from", "to"]),
      "What was signed before from one index on is missing, up to and without the other, as far as it is known.",
    ),
    formerCheckpoint: described(anyText, "The newest checkpoint that is known of before; empty when none is."),
    openedAt: dateTime,
  },
  ["logId", "epoch", "origin", "firstIndex", "treeSize", "missing", "formerCheckpoint", "openedAt"],
);

const keyId = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";
const publicKey = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
const receiptKey = {
  ...{ kty: "OKP", crv: "Ed25519", x: publicKey, kid: keyId, alg: "EdDSA", use: "sig" },
  ...{ purpose: "receipt", nbf: 1_795_190_400 },
};
const verifierKeys = [
  "agreements.example.com/click/log/anchor+b46e2a61+AddamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea",
  "agreements.example.com/click/log/01961234-5678-7abc-8def-0123456789ab+30b7e30f+AddamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea",
];

const ofLog = queryOf<{ log?: string }>({
  log: described(uuid, "An organization's id; adds the keys of its log. Any id has keys, known or not."),
});

/** Everybody verifies, so nobody has to say who asks. */
const base = { method: "GET", tag: "Evidence", access: "public", dialect: clickDialect, errors: [] } as const;

export const publishedKeyRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "getJwks",
    path: "/.well-known/jwks.json",
    tag: "Authentication",
    summary: "Read the public keys that verify access tokens, receipts and render tokens",
    description:
      "One key set for access tokens (ES256) and evidence (EdDSA). Use the key that a signature names in kid, and read the set again if it isn't there.",
    dialect: standardDialect,
    success: {
      status: 200,
      description:
        "A key set (RFC 7517). Evidence keys, which have a purpose, also say when their signatures are valid.",
      schema: answer({ keys: listOf({ type: "object" }) }),
      example: { keys: [receiptKey] },
    },
    call: async (_request, services) => {
      const [document, evidence] = await Promise.all([services.keys.document(), readIfPossible(services)]);
      const { keys } = JSON.parse(document) as { keys: readonly object[] };
      return { keys: [...keys, ...(evidence?.keys ?? [])], isComplete: evidence !== undefined };
    },
    respond: ({ keys, isComplete }) =>
      jsonReply(200, { keys }, { "Cache-Control": `public, max-age=${isComplete ? 300 : 5}` }),
  }),
  defineRoute({
    ...base,
    operationId: "getClickLogKeys",
    path: "/.well-known/click-log-keys",
    summary: "Read the verifier keys of the logs",
    description:
      "One verifier key (C2SP signed-note) per line: for the anchor log, then for the requested log, one for every key that the log was ever signed with.",
    query: ofLog,
    success: {
      status: 200,
      description: "The verifier keys.",
      contentType: "text/plain",
      textExamples: { "text/plain": verifierKeys.join("\n").concat("\n") },
    },
    call: (_request, { evidenceKeys }) => evidenceKeys.read(),
    respond: (published, { query }) => ({
      status: 200,
      body: published.verifierKeys(query.log).join("\n").concat("\n"),
      contentType: "text/plain; charset=utf-8",
      headers: lasting,
    }),
  }),
  defineRoute({
    ...base,
    operationId: "getClickKeys",
    path: "/.well-known/click-keys.json",
    summary: "Read all keys for verifying evidence",
    description: "The file of trusted keys for the offline verifier.",
    query: ofLog,
    success: {
      status: 200,
      description: "The keys.",
      schema: object(
        {
          keys: described(listOf(evidenceKey), "Of receipts and render tokens."),
          logKeys: described(
            listOf(anyText),
            "Verifier keys (C2SP signed-note) of the anchor log and the log asked for.",
          ),
          logSigningKeys: described(
            listOf(evidenceKey),
            "The keys behind logKeys, with when their signatures are good.",
          ),
          tsaCertificates: described(
            listOf(anyText),
            "PEM: where chains of time-stamping authorities must end; empty when the operator trusts none in particular.",
          ),
          epochs: described(
            listOf(logEpoch),
            "Epochs of the anchor log and the log asked for, after the first: absent unless the database was set back in time, or the witness of the logs was lost.",
          ),
        },
        ["keys", "logKeys", "logSigningKeys", "tsaCertificates"],
      ),
      example: {
        keys: [receiptKey],
        logKeys: verifierKeys,
        logSigningKeys: [{ ...receiptKey, purpose: "log" }],
        tsaCertificates: [],
      },
    },
    call: async ({ query }, { evidenceKeys }) => {
      const [published, epochs] = await Promise.all([evidenceKeys.read(), evidenceKeys.epochs(query.log)]);
      return { ...published, epochs };
    },
    respond: (published, { query }) =>
      jsonReply(
        200,
        {
          keys: published.keys,
          logKeys: published.verifierKeys(query.log),
          logSigningKeys: published.logKeys,
          tsaCertificates: published.tsaCertificates,
          ...(published.epochs.length === 0 ? {} : { epochs: published.epochs }),
        },
        lasting,
      ),
  }),
];

/** A new key is announced a day before it signs, unless an operator lets it take over at once. */
const lasting = { "Cache-Control": "public, max-age=60" };

/** Access tokens are verified with the same document, whether or not the click service can be reached. */
const readIfPossible = ({ evidenceKeys }: Services) => evidenceKeys.read().catch(() => undefined);
