import { scopeMeanings } from "#api/scopes.ts";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import { isoTime } from "../../views/scalars.ts";
import type { Scope } from "../auth/principal.ts";
import { standardDialect } from "../http/error-dialect.ts";
import { jsonReply } from "../http/reply.ts";
import { defineRoute, type Route, type RouteRequest } from "./route.ts";
import { answer, anyText, dateTime, described, example, flag, listOf, uuid } from "./schema-parts.ts";
import type { Services } from "./services.ts";

const account = answer({
  account_id: described(uuid, "The organization that the credential belongs to."),
  is_default: flag,
  account_name: example(anyText, "Acme"),
  base_uri: described(example(anyText, "https://api.example.com"), "The origin of the API, without a path."),
});

const userInfo = answer({
  sub: described(uuid, "The organization; what assertions of the JWT-bearer grant may have as sub."),
  name: described(example(anyText, "Shop backend"), "The name of the API key or the OAuth client."),
  given_name: described(example(anyText, "Shop backend"), "The same as name."),
  family_name: described(example(anyText, "Acme"), "The name of the organization."),
  created: described(dateTime, "When the API key or the OAuth client was made."),
  email: described(
    example(anyText, "cl_0123456789abcdefghijkl@clients.invalid"),
    "Stands for the id of the API key or the OAuth client. No one can be reached at it.",
  ),
  accounts: described(listOf(account), "Always exactly one."),
});

/** Where integrations of signing platforms find out which account they work for, and where its API is. */
export const userInfoRoute: Route = defineRoute({
  operationId: "getUserInfo",
  method: "GET",
  path: "/oauth/userinfo",
  tag: "Authentication",
  summary: "Find out whom a credential belongs to",
  description:
    "For API keys and access tokens; dashboard sessions are refused. There are no users: the names are those of the key or client.",
  access: { scopes: Object.keys(scopeMeanings) as Scope[], limitGroup: "sign" },
  dialect: standardDialect,
  success: { status: 200, description: "The key or client, and its organization.", schema: userInfo },
  errors: ["RATE_LIMIT_EXCEEDED"],
  call: describeCaller,
  respond: ({ name, createdAt, organizationName }, { caller, publicUrl }) =>
    jsonReply(200, {
      sub: caller.orgId,
      name,
      given_name: name,
      family_name: organizationName,
      created: isoTime(createdAt),
      email: `${caller.clientId}@clients.invalid`,
      accounts: [
        { account_id: caller.orgId, is_default: true, account_name: organizationName, base_uri: originOf(publicUrl()) },
      ],
    }),
});

/** Throws INVALID_TOKEN for sessions, and when there is nobody any more to whom the credential belongs. */
export async function describeCaller(
  { caller, user }: Pick<RouteRequest, "caller" | "user">,
  { tokens }: Pick<Services, "tokens">,
) {
  if (user !== undefined) {
    const message = "Send an API key or an access token. A session of the dashboard is neither.";
    throw new DomainError("INVALID_TOKEN", { message });
  }
  try {
    return await tokens.describeCaller({ organizationId: caller.orgId, clientId: caller.clientId });
  } catch (error) {
    // A credential of somebody who is not there any more, as after the restoration of an older database.
    if (fromConnectError(error)?.code === "NOT_FOUND") throw new DomainError("INVALID_TOKEN", { cause: error });
    throw error;
  }
}

/** Clients append the whole path to it. */
const originOf = (publicUrl: string): string => (URL.canParse(publicUrl) ? new URL(publicUrl).origin : "");
