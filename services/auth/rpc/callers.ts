import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { withOrgEm } from "#platform/db/orm.ts";
import { DomainError } from "#platform/errors.ts";
import { isApiKeyId } from "../domain/api-key.ts";
import { isClientId } from "../domain/oauth-client.ts";
import { firstReadMs } from "../domain/retention.ts";
import { listChanges as readChanges } from "../store/change-store.ts";
import { ApiKeyEntity, type AuthTenant, OAuthClientEntity, OrganizationEntity } from "../store/orm.ts";
import type { AuthDeps } from "./deps.ts";
import { toChangeMessage, toOrgId } from "./messages.ts";

/** An API key or a client, as it may know itself. */
interface Caller {
  readonly name: string;
  readonly createdAt: Date;
  readonly organizationName: string;
}

/** Undefined when the organization has neither a key nor a client with this id. */
async function findCaller(tenant: AuthTenant, id: string): Promise<Caller | undefined> {
  const caller = await findKeyOrClient(tenant, id);
  const organization = await tenant.em.findOne(OrganizationEntity, { organizationId: tenant.orgId });
  if (caller === null || organization === null) return undefined;
  return { name: caller.name, createdAt: caller.createdAt, organizationName: organization.name };
}

async function findKeyOrClient({ orgId: organizationId, em }: AuthTenant, id: string) {
  if (isClientId(id)) return em.findOne(OAuthClientEntity, { organizationId, clientId: id });
  return isApiKeyId(id) ? em.findOne(ApiKeyEntity, { organizationId, keyId: id }) : null;
}

type DescribeCallerDeps = Pick<AuthDeps, "orm">;

export const describeCaller = (deps: DescribeCallerDeps): Pick<ServiceImpl<typeof TokenService>, "describeCaller"> => ({
  async describeCaller(request) {
    const caller = await withOrgEm(deps.orm, toOrgId(request.organizationId), (tenant) =>
      findCaller(tenant, request.clientId),
    );
    if (caller === undefined) {
      throw new DomainError("NOT_FOUND", { message: "The organization has no API key or OAuth client with this id." });
    }
    const { name, createdAt, organizationName } = caller;
    return { name, createdAt: timestampFromDate(createdAt), organizationName };
  },
});

type ListChangesDeps = Pick<AuthDeps, "lookup" | "clock">;

export const listChanges = (deps: ListChangesDeps): Pick<ServiceImpl<typeof TokenService>, "listChanges"> => ({
  async listChanges(request) {
    const since = new Date(deps.clock.now().getTime() - firstReadMs);
    const changes = await readChanges(deps.lookup, request.afterCursor, since);
    return { changes: changes.map(toChangeMessage) };
  },
});
