import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { findCaller } from "../store/caller-store.ts";
import type { AuthDeps } from "./deps.ts";
import { toOrgId } from "./messages.ts";

type Deps = Pick<AuthDeps, "orm">;

export const describeCaller = (deps: Deps): Pick<ServiceImpl<typeof TokenService>, "describeCaller"> => ({
  async describeCaller(request) {
    const caller = await findCaller(deps.orm, toOrgId(request.organizationId), request.clientId);
    if (caller === undefined) {
      throw new DomainError("NOT_FOUND", { message: "The organization has no API key or OAuth client with this id." });
    }
    const { name, createdAt, organizationName } = caller;
    return { name, createdAt: timestampFromDate(createdAt), organizationName };
  },
});
