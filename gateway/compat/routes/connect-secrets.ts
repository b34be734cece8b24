import { connectSecret } from "#api/compat-records.ts";
import { numberText } from "../../../views/compat/scalars.ts";
import { jsonReply } from "../../http/reply.ts";
import { required } from "../../routes/required.ts";
import { onBehalfOf, type Route } from "../../routes/route.ts";
import { listOf } from "../../routes/schema-parts.ts";
import { defineCompatRoute } from "../route.ts";
import { textsAnswer } from "../schema-parts.ts";
import { changeConnect, readConnect } from "./connect.ts";

const newSecretSchema = {
  ...connectSecret.schema,
  properties: {
    ...(connectSecret.schema.properties as object),
    secret: { type: "string", examples: ["MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="] },
  },
  required: ["keyId", "created", "secret"],
};

/** The keys with which messages are signed. */
export const compatConnectSecretRoutes: readonly Route[] = [
  defineCompatRoute({
    ...changeConnect,
    operationId: "compatCreateConnectSecret",
    method: "POST",
    path: "/connect/secret",
    summary: "Make a key that messages are signed with",
    description:
      "Every message has a signature for each key, X-DocuSign-Signature-1 with the oldest: Base64 of HMAC-SHA256 over the body; the characters of the secret are the key. The secret is shown here and never again. An account may have ten keys.",
    success: { status: 201, description: "The key.", schema: newSecretSchema },
    errors: ["CONNECT_SECRET_LIMIT"],
    call: (request, { webhooks }) => webhooks.createConnectSecret({}, onBehalfOf(request)),
    respond: ({ secret, value }) => jsonReply(201, { ...connectSecret.write(required(secret)), secret: value }),
  }),
  defineCompatRoute({
    ...readConnect,
    operationId: "compatListConnectSecrets",
    method: "GET",
    path: "/connect/secret",
    summary: "List the keys that messages are signed with",
    description: "The oldest first, without the secrets.",
    success: {
      status: 200,
      description: "The keys.",
      schema: textsAnswer({ totalRecords: "1" }, { secrets: listOf(connectSecret.schema) }, [
        "secrets",
        "totalRecords",
      ]),
    },
    errors: [],
    call: (request, { webhooks }) => webhooks.listConnectSecrets({}, onBehalfOf(request)),
    respond: ({ secrets }) =>
      jsonReply(200, { secrets: secrets.map(connectSecret.write), totalRecords: numberText(secrets.length) }),
  }),
  defineCompatRoute({
    ...changeConnect,
    operationId: "compatDeleteConnectSecret",
    method: "DELETE",
    path: "/connect/secret/{keyId}",
    summary: "Delete a key",
    description: "Messages are no longer signed with it; the numbers of later signatures go down by one.",
    notFound: { keyId: "CONNECT_SECRET_NOT_FOUND" },
    success: { status: 200, description: "It is gone.", schema: { type: "object" }, example: {} },
    errors: [],
    call: (request, { webhooks }) => {
      const { keyId = "" } = request.params as Readonly<Record<string, string>>;
      return webhooks.deleteConnectSecret({ id: keyId }, onBehalfOf(request));
    },
    respond: () => jsonReply(200, {}),
  }),
];
