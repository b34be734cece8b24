import { DomainError } from "#platform/errors.ts";
import { defined } from "#platform/json-object.ts";
import { pageOf } from "../../../views/compat/page.ts";
import { compatTime } from "../../../views/compat/scalars.ts";
import { jsonReply } from "../../http/reply.ts";
import { describeCaller } from "../../routes/oauth-userinfo.ts";
import { defineRoute, type Route, type RouteRequest } from "../../routes/route.ts";
import { listOf } from "../../routes/schema-parts.ts";
import { compatDialect } from "../dialect.ts";
import { emailWorkflowId } from "../read/recipients.ts";
import { compatQuery, defineCompatRoute } from "../route.ts";
import { pageAnswer, sampleId, sampleTime, textsAnswer } from "../schema-parts.ts";

const base = { tag: "Compatible account", method: "GET", scopes: ["sign:read"], errors: ["INVALID_TOKEN"] } as const;

const emailWorkflow = {
  workflowId: emailWorkflowId,
  defaultName: "Email Authentication",
  defaultDescription: "The recipient enters a code that is emailed to them.",
  ownerType: "system",
  steps: [{ name: "email_code", type: "email" }],
  inputOptions: [],
};

const userSchema = textsAnswer(
  {
    userId: sampleId,
    userName: "Shop backend",
    userType: "CompanyUser",
    userStatus: "Active",
    email: "cl_0123456789abcdefghijkl@clients.invalid",
    createdDateTime: sampleTime,
    uri: `/users/${sampleId}`,
  },
  {},
  ["userId", "userName", "userType", "userStatus", "email"],
);

/** What the roles are called in the dashboard. */
const profiles = [
  { permissionProfileId: "owner", permissionProfileName: "Owner" },
  { permissionProfileId: "developer", permissionProfileName: "Developer" },
  { permissionProfileId: "viewer", permissionProfileName: "Viewer" },
] as const;

export const compatAccountRoutes: readonly Route[] = [
  defineCompatRoute({
    ...base,
    operationId: "compatGetAccount",
    path: "",
    summary: "Read the account",
    success: {
      status: 200,
      description: "The organization.",
      schema: textsAnswer(
        { accountIdGuid: sampleId, accountName: "Acme", isDefault: "true", suspensionStatus: "not_suspended" },
        {},
        ["accountIdGuid", "accountName"],
      ),
    },
    call: describeCaller,
    respond: ({ organizationName }, { caller }) =>
      jsonReply(200, {
        accountIdGuid: caller.orgId,
        accountName: organizationName,
        isDefault: "true",
        suspensionStatus: "not_suspended",
      }),
  }),
  defineCompatRoute({
    ...base,
    operationId: "compatListUsers",
    path: "/users",
    summary: "List the users",
    description: "There are no users: the list has one entry for the API key or OAuth client of the request.",
    query: compatQuery({ email: "Only with this address; without case." }),
    success: { status: 200, description: "One at most.", schema: pageAnswer("users", userSchema) },
    call: async (request, services) => {
      const user = userView(await describeCaller(request, services), request);
      const { email = "" } = request.query;
      return email === "" || email.toLowerCase() === user.email?.toLowerCase() ? [user] : [];
    },
    respond: (users) => jsonReply(200, { ...pageOf({ start: 0, size: users.length, total: users.length }), users }),
  }),
  defineCompatRoute({
    ...base,
    operationId: "compatGetUser",
    path: "/users/{userId}",
    summary: "Read a user",
    description: "The entry for the API key or OAuth client of the request.",
    texts: {
      userId: {
        schema: { type: "string", format: "uuid", description: "The id of the user.", examples: [sampleId] },
        names: "user",
        otherwise: "NOT_FOUND",
      },
    },
    success: { status: 200, description: "The user.", schema: userSchema },
    call: async (request, services) => {
      const user = userView(await describeCaller(request, services), request);
      if (request.params.userId.toLowerCase() !== user.userId) throw new DomainError("NOT_FOUND");
      return user;
    },
    respond: (user) => jsonReply(200, user),
  }),
  emptyList({
    operationId: "compatListGroups",
    path: "/groups",
    name: "groups",
    summary: "List the groups of users",
    description: "There are none.",
  }),
  defineCompatRoute({
    ...base,
    operationId: "compatListPermissionProfiles",
    path: "/permission_profiles",
    summary: "List the permission profiles",
    description:
      "The roles that users of the dashboard have. They cannot be created, changed or deleted; scopes decide what a credential can do.",
    errors: [],
    success: {
      status: 200,
      description: "The same for every account.",
      schema: pageAnswer(
        "permissionProfiles",
        textsAnswer(profiles[0], {}, ["permissionProfileId", "permissionProfileName"]),
      ),
    },
    call: async () => profiles,
    respond: (all) =>
      jsonReply(200, { ...pageOf({ start: 0, size: all.length, total: all.length }), permissionProfiles: all }),
  }),
  defineCompatRoute({
    ...base,
    operationId: "compatListIdentityVerification",
    path: "/identity_verification",
    summary: "List the ways to verify who signs",
    description:
      "The workflows that `identityVerification` of a recipient can name. There is one: a code by email, without input options.",
    errors: [],
    success: {
      status: 200,
      description: "The same for every account.",
      schema: textsAnswer({}, { identityVerification: listOf({ type: "object" }) }, ["identityVerification"]),
      example: { identityVerification: [emailWorkflow] },
    },
    call: async () => ({ identityVerification: [emailWorkflow] }),
    respond: (answer) => jsonReply(200, answer),
  }),
  defineRoute({
    operationId: "compatGetLoginInformation",
    method: "GET",
    path: "/restapi/v2.1/login_information",
    tag: base.tag,
    summary: "Find the account of a credential",
    description: "For older integrations; newer ones use `/oauth/userinfo`.",
    access: { scopes: base.scopes, limitGroup: "sign" },
    dialect: compatDialect,
    success: {
      status: 200,
      description: "The account, with its base URL.",
      schema: textsAnswer(
        {},
        {
          loginAccounts: listOf(
            textsAnswer(
              {
                name: "Acme",
                accountId: sampleId,
                accountIdGuid: sampleId,
                baseUrl: `https://api.example.com/restapi/v2.1/accounts/${sampleId}`,
                isDefault: "true",
                userName: "Shop backend",
                userId: sampleId,
                email: "cl_0123456789abcdefghijkl@clients.invalid",
              },
              {},
              ["accountId", "baseUrl", "isDefault"],
            ),
          ),
        },
        ["loginAccounts"],
      ),
    },
    errors: base.errors,
    call: describeCaller,
    respond: (described, request) => {
      const { caller } = request;
      const { userId, userName, email } = userView(described, request);
      const account = {
        name: described.organizationName,
        accountId: caller.orgId,
        accountIdGuid: caller.orgId,
        baseUrl: `${request.publicUrl()}/restapi/v2.1/accounts/${caller.orgId}`,
        isDefault: "true",
      };
      return jsonReply(200, { loginAccounts: [{ ...account, userId, userName, email }] });
    },
  }),
];

interface EmptyList {
  readonly operationId: string;
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  readonly description: string;
}

/** Integrations request these first, and can deal with an empty list. */
function emptyList({ name, ...row }: EmptyList): Route {
  return defineCompatRoute({
    ...base,
    ...row,
    errors: [],
    success: {
      status: 200,
      description: "Always empty.",
      schema: pageAnswer(name, { type: "object" }),
      example: { ...pageOf({ start: 0, size: 0, total: 0 }), [name]: [] },
    },
    call: async () => ({ ...pageOf({ start: 0, size: 0, total: 0 }), [name]: [] }),
    respond: (answer) => jsonReply(200, answer),
  });
}

type Described = Awaited<ReturnType<typeof describeCaller>>;

/** As in the user information: the organization's id, the name of the key or client, and a placeholder address. */
const userView = ({ name, createdAt }: Described, { caller }: Pick<RouteRequest, "caller">) => ({
  ...defined({ createdDateTime: compatTime(createdAt) }),
  userId: caller.orgId as string,
  userName: name,
  userType: "CompanyUser",
  userStatus: "Active",
  email: `${caller.clientId}@clients.invalid`,
  uri: `/users/${caller.orgId}`,
});
