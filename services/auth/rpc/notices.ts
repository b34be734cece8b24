import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import type { NoticeReaderSchema } from "#gen/assent/auth/v1/notices_pb.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { noOrigin } from "../domain/audit.ts";
import { makeStopToken, readStopToken, withoutNotices } from "../domain/notices.ts";
import type { User } from "../domain/user.ts";
import { auditEntry } from "../logins/audit-entry.ts";
import { addAudit } from "../store/audit-store.ts";
import { noteChange } from "../store/change-store.ts";
import { findUser, listApplicationReaders, listOwners, lockUser, updateUser } from "../store/user-store.ts";
import type { AuthDeps } from "./deps.ts";
import { toNoticesMessage, toOrgId } from "./messages.ts";

type Deps = Pick<AuthDeps, "people" | "keys" | "clock" | "newId">;
type Handlers = Pick<ServiceImpl<typeof TokenService>, "findNoticeReaders" | "stopNotices">;

const userPrefix = "user:";
const ownersName = "role:owner";

/** Who is told of what becomes of agreements, and how they end it from a mail. */
export const noticeReaders = (deps: Deps): Handlers => ({
  async findNoticeReaders({ organizationId, senderId }) {
    const orgId = toOrgId(organizationId);
    const userId = senderId.startsWith(userPrefix) ? senderId.slice(userPrefix.length) : undefined;
    const users = await withOrg(deps.people, orgId, async (tenant) => {
      if (senderId === ownersName) return listOwners(tenant);
      if (userId === undefined) return listApplicationReaders(tenant);
      const user = isUuid(userId) ? await findUser(tenant, userId) : undefined;
      return user?.status === "active" ? [user] : [];
    });
    return { readers: users.map((user) => readerMessage(deps, user)) };
  },
  async stopNotices({ token }) {
    const reader = readStopToken(deps.keys.noticeKey, token);
    if (reader === undefined) throw new DomainError("NOT_FOUND");
    await withOrg(deps.people, reader.orgId, async (tenant) => {
      const user = await lockUser(tenant, reader.userId);
      if (user === undefined) throw new DomainError("NOT_FOUND");
      const notices = withoutNotices(user.notices);
      if (notices === user.notices) return;
      await updateUser(tenant, user.id, { notices });
      const what = { action: "user.updated", actor: user, origin: noOrigin, details: { notices } } as const;
      await addAudit(tenant, auditEntry(deps, what));
      await noteChange(tenant.client, "user_changed", user.id, deps.clock.now());
    });
    return {};
  },
});

const readerMessage = ({ keys }: Deps, user: User): MessageInitShape<typeof NoticeReaderSchema> => ({
  ...{ userId: user.id, name: user.name, email: user.email, locale: user.locale, timeZone: user.timeZone },
  settings: toNoticesMessage(user.notices),
  stopToken: makeStopToken(keys.noticeKey, user.orgId, user.id),
});
