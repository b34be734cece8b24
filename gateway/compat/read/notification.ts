import type { MessageInitShape } from "@bufbuild/protobuf";
import { defined } from "#api/spelling.ts";
import type { NotificationSchema } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { Reader } from "./reader.ts";

export type NotificationInit = MessageInitShape<typeof NotificationSchema>;

/** A `Notification` object; undefined when it asks for what is usual, or says nothing. */
export function readNotification(notification: Reader | undefined): NotificationInit | undefined {
  if (notification === undefined || notification.flag("useAccountDefaults") === true) return undefined;
  const reminders = notification.object("reminders");
  const expirations = notification.object("expirations");
  const found = defined({
    reminderEnabled: reminders?.flag("reminderEnabled"),
    reminderDelay: reminders?.integer("reminderDelay", days),
    reminderFrequency: reminders?.integer("reminderFrequency", days),
    expireEnabled: expirations?.flag("expireEnabled"),
    expireAfter: expirations?.integer("expireAfter", days),
    expireWarn: expirations?.integer("expireWarn", days),
  });
  return Object.keys(found).length === 0 ? undefined : found;
}

const days = { min: 0, max: 999 };
