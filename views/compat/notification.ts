import type { Notification } from "#gen/assent/sign/v1/agreement_pb.ts";
import { flagText, numberText, type Written } from "./scalars.ts";

/** The `Notification` object. Days are texts. */
export const notificationView = (notification: Notification | undefined): { readonly [name: string]: Written } => ({
  useAccountDefaults: "false",
  reminders: {
    reminderEnabled: flagText(notification?.reminderEnabled ?? false),
    reminderDelay: numberText(notification?.reminderDelay ?? 0),
    reminderFrequency: numberText(notification?.reminderFrequency ?? 0),
  },
  expirations: {
    expireEnabled: flagText(notification?.expireEnabled ?? true),
    expireAfter: numberText(notification?.expireAfter ?? usualDays),
    expireWarn: numberText(notification?.expireWarn ?? 0),
  },
});

const usualDays = 120;
