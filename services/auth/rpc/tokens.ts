import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { withOrgEm } from "#platform/db/orm.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { refusedField } from "#platform/problems.ts";
import { signAccessToken, type TokenSubject, verifyAccessToken } from "../domain/access-token.ts";
import { isApiKeyId, looksLikeApiKey } from "../domain/api-key.ts";
import { proveAssertion, readAssertion } from "../domain/assertion.ts";
import { isClientId } from "../domain/oauth-client.ts";
import { grantScopes } from "../domain/scopes.ts";
import { tokenLifetimeSeconds } from "../domain/signing-key.ts";
import { type AdminContext, operatorAudit } from "../logins/audit-entry.ts";
import { firstReadMs, listChanges as readChanges } from "../store/change-store.ts";
import { findAssertingClient, verifyApiKey, verifyClient } from "../store/credential-lookup.ts";
import { revokeApiKey } from "../store/credential-store.ts";
import { ApiKeyEntity, type AuthTenant, OAuthClientEntity, OrganizationEntity } from "../store/orm.ts";
import { revokeAccessToken } from "../store/token-store.ts";
import type { AdminRpcs, AuthDeps, TokenRpcs } from "./deps.ts";
import { toChangeMessage, toOrgId } from "./messages.ts";

type IssueTokenDeps = IssueDeps & Pick<AuthDeps, "lookup" | "keys">;

export const issueToken = (deps: IssueTokenDeps): TokenRpcs<"issueToken"> => ({
  async issueToken(request) {
    const { clientId } = request;
    const client = await verifyClient(deps, clientId, request.clientSecret);
    if (client === undefined || client.isRevoked) throw new DomainError("OAUTH_INVALID_CLIENT");
    return issueFor(deps, { orgId: client.orgId, clientId, scopes: grantScopes(request.scopes, client.scopes) });
  },
});

type IssueTokenForAssertionDeps = IssueDeps & Pick<AuthDeps, "lookup">;

export const issueTokenForAssertion = (deps: IssueTokenForAssertionDeps): TokenRpcs<"issueTokenForAssertion"> => ({
  async issueTokenForAssertion(request) {
    const assertion = readAssertion(request.assertion);
    if (assertion === undefined) throw notAccepted();
    const { clientId } = assertion;
    const client = isClientId(clientId) ? await findAssertingClient(deps.lookup, clientId) : undefined;
    const proven = await proveAssertion(assertion, {
      keys: client?.keys ?? [],
      audiences: [...request.audiences, deps.issuer.issuer],
      now: deps.clock.now(),
    });
    if (client === undefined || client.isRevoked || proven === undefined) throw notAccepted();
    // There are no users: the organization is what integrations configure as the user to act for.
    if (proven.subject !== clientId && proven.subject.toLowerCase() !== client.orgId) throw notAccepted();
    const scopes = grantScopes(request.scopes, grantScopes(proven.scopes, client.scopes));
    return issueFor(deps, { orgId: client.orgId, clientId, scopes });
  },
});

const notAccepted = (): DomainError => new DomainError("OAUTH_INVALID_GRANT");

type IssueDeps = Pick<AuthDeps, "keyring" | "issuer" | "usage" | "clock" | "newId">;

/** The access token of a client that has proven who it is, in whichever way. */
async function issueFor(deps: IssueDeps, subject: Omit<TokenSubject, "tokenId">) {
  const accessToken = await signAccessToken(
    deps.issuer,
    await deps.keyring.signingKey(),
    { tokenId: deps.newId(), ...subject },
    deps.clock.now(),
  );
  deps.usage.note(subject.orgId, subject.clientId);
  return { accessToken, expiresIn: tokenLifetimeSeconds, scopes: [...subject.scopes] };
}

type RevokeTokenDeps = Pick<AuthDeps, "orm" | "lookup" | "keys" | "keyring" | "issuer" | "clock" | "newId">;

export const revokeToken = (deps: RevokeTokenDeps): AdminRpcs<"revokeToken"> => ({
  async revokeToken(request, context) {
    const isOurs = await (looksLikeApiKey(request.token)
      ? revokeByKeyValue(deps, request.token, context)
      : revokeByToken(deps, request.token));
    if (!isOurs) throw notOurs();
    return {};
  },
});

async function revokeByKeyValue(deps: RevokeTokenDeps, value: string, context: AdminContext): Promise<boolean> {
  const key = await verifyApiKey(deps, value);
  if (key === undefined) return false;
  const named = { keyId: key.keyId, now: deps.clock.now() };
  await withOrgEm(deps.orm, key.orgId, (tenant) => revokeApiKey(tenant, named, operatorAudit(deps, context)));
  return true;
}

async function revokeByToken(deps: RevokeTokenDeps, value: string): Promise<boolean> {
  const token = await verifyAccessToken(deps.issuer, await deps.keyring.jwks(), value);
  if (token === undefined) return false;
  await withOrgEm(deps.orm, token.orgId, (tenant) => revokeAccessToken(tenant, token, deps.clock.now()));
  return true;
}

const notOurs = (): DomainError =>
  refusedField("token", "UNKNOWN_TOKEN", "must be an access token or an API key of this platform");

export const getJwks = (deps: Pick<AuthDeps, "keyring">): TokenRpcs<"getJwks"> => ({
  async getJwks() {
    return { jwksJson: JSON.stringify(await deps.keyring.jwks()) };
  },
});

/** An API key, a client or a user, as it may know itself. */
interface Caller {
  readonly name: string;
  readonly createdAt: Date;
  readonly organizationName: string;
  readonly email: string;
  readonly locale: string;
  readonly timeZone: string;
}

/** Undefined when the organization has no key, client or user with this id. */
async function findCaller(tenant: AuthTenant, id: string): Promise<Caller | undefined> {
  const userId = userIdIn(id);
  const caller = userId === undefined ? await findKeyOrClient(tenant, id) : await findNamedUser(tenant, userId);
  const organization = await tenant.em.findOne(OrganizationEntity, { organizationId: tenant.orgId });
  if (!caller || organization === null) return undefined;
  const { name, createdAt } = caller;
  const own = "email" in caller ? caller : { email: "", locale: "", timeZone: "" };
  return {
    ...{ name, createdAt, organizationName: organization.name, email: own.email },
    locale: own.locale || organization.locale,
    timeZone: own.timeZone || organization.timeZone,
  };
}

type NamedUser = Omit<Caller, "organizationName">;

async function findNamedUser({ orgId, em }: AuthTenant, userId: string): Promise<NamedUser | undefined> {
  const sql = `select name, email, locale, time_zone as "timeZone", created_at as "createdAt" from auth.user_account
    where organization_id = ? and user_id = ?`;
  const [user] = await em.execute<NamedUser[]>(sql, [orgId, userId]);
  // MikroORM leaves times of its own statements as texts.
  return user && { ...user, createdAt: new Date(user.createdAt) };
}

/** As the gateway calls somebody who is logged in. */
const userPrefix = "user:";

function userIdIn(clientId: string): string | undefined {
  const id = clientId.startsWith(userPrefix) ? clientId.slice(userPrefix.length) : "";
  return isUuid(id) ? id : undefined;
}

async function findKeyOrClient({ orgId: organizationId, em }: AuthTenant, id: string) {
  if (isClientId(id)) return em.findOne(OAuthClientEntity, { organizationId, clientId: id });
  return isApiKeyId(id) ? em.findOne(ApiKeyEntity, { organizationId, keyId: id }) : null;
}

type DescribeCallerDeps = Pick<AuthDeps, "orm">;

export const describeCaller = (deps: DescribeCallerDeps): TokenRpcs<"describeCaller"> => ({
  async describeCaller(request) {
    const caller = await withOrgEm(deps.orm, toOrgId(request.organizationId), (tenant) =>
      findCaller(tenant, request.clientId),
    );
    if (caller === undefined) {
      const message = "The organization has no API key, OAuth client or user with this id.";
      throw new DomainError("NOT_FOUND", { message });
    }
    return { ...caller, createdAt: timestampFromDate(caller.createdAt) };
  },
});

type ListChangesDeps = Pick<AuthDeps, "lookup" | "clock">;

export const listChanges = (deps: ListChangesDeps): TokenRpcs<"listChanges"> => ({
  async listChanges(request) {
    const since = new Date(deps.clock.now().getTime() - firstReadMs);
    const changes = await readChanges(deps.lookup, request.afterCursor, since);
    return { changes: changes.map(toChangeMessage) };
  },
});
