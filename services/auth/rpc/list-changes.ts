import type { ServiceImpl } from "@connectrpc/connect";
import type { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { firstReadMs } from "../domain/retention.ts";
import { listChanges as readChanges } from "../store/change-store.ts";
import type { AuthDeps } from "./deps.ts";
import { toChangeMessage } from "./messages.ts";

type Deps = Pick<AuthDeps, "lookup" | "clock">;

export const listChanges = (deps: Deps): Pick<ServiceImpl<typeof TokenService>, "listChanges"> => ({
  async listChanges(request) {
    const since = new Date(deps.clock.now().getTime() - firstReadMs);
    const changes = await readChanges(deps.lookup, request.afterCursor, since);
    return { changes: changes.map(toChangeMessage) };
  },
});
