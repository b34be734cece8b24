import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { withOrgEm } from "#platform/db/orm.ts";
import { DomainError } from "#platform/errors.ts";
import { firstReadMs } from "../domain/retention.ts";
import { findCaller } from "../store/caller-store.ts";
import { listChanges as readChanges } from "../store/change-store.ts";
import type { AuthDeps } from "./deps.ts";
import { toChangeMessage, toOrgId } from "./messages.ts";

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
