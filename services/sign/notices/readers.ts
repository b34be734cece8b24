import type { Client } from "@connectrpc/connect";
import type { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { NoticeDelivery, type NoticeReader as ReaderMessage } from "#gen/assent/auth/v1/notices_pb.ts";
import type { OrgId } from "#platform/ids.ts";
import type { NoticeKind } from "./notices.ts";

/** A user who is told. */
export interface NoticeReader {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  readonly locale: string;
  readonly timeZone: string;
  readonly isDaily: boolean;
  readonly stopToken: string;
  wants(kind: NoticeKind): boolean;
}

export interface NoticeReaders {
  /** Who is told of agreements of this sender. */
  ofSender(orgId: OrgId, senderId: string): Promise<readonly NoticeReader[]>;
  /** As the user is now; undefined once removed or disabled. */
  ofUser(orgId: OrgId, userId: string): Promise<NoticeReader | undefined>;
}

const timeoutMs = 2_000;

export function createNoticeReaders(tokens: Pick<Client<typeof TokenService>, "findNoticeReaders">): NoticeReaders {
  const ofSender = async (organizationId: OrgId, senderId: string): Promise<readonly NoticeReader[]> =>
    (await tokens.findNoticeReaders({ organizationId, senderId }, { timeoutMs })).readers.map(readerOf);
  return { ofSender, ofUser: async (orgId, userId) => (await ofSender(orgId, `user:${userId}`))[0] };
}

const readerOf = ({ settings, ...reader }: ReaderMessage): NoticeReader => ({
  ...reader,
  isDaily: settings?.delivery === NoticeDelivery.DAILY,
  // Both say that somebody cannot go on until the sender does something.
  wants: (kind) => settings?.[kind === "locked" ? "undelivered" : kind] === true,
});
