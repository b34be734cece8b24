import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  NoticeDelivery,
  type NoticeSettingsSchema,
  type NoticeSettings as SettingsMessage,
} from "#gen/assent/auth/v1/notices_pb.ts";
import { noticesText, parseNotices } from "../domain/notices.ts";

const deliveries = { immediate: NoticeDelivery.IMMEDIATE, daily: NoticeDelivery.DAILY } as const;

export function toNoticesMessage(text: string): MessageInitShape<typeof NoticeSettingsSchema> {
  const { delivery, ...flags } = parseNotices(text);
  return { ...flags, delivery: deliveries[delivery] };
}

export const noticesOf = (settings: SettingsMessage): string =>
  noticesText({ ...settings, delivery: settings.delivery === NoticeDelivery.DAILY ? "daily" : "immediate" });
