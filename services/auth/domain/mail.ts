import { type LinkPurpose, linkLifetimeMs } from "./link.ts";

/** Mails with a link of their own, and those that only tell of something. */
export type MailKind = LinkPurpose | PlainMailKind;
export type PlainMailKind = "lockout" | "endpoint-disabled";

const dayMs = 24 * 60 * 60_000;

/** For how long news are worth a mail. */
export const plainLifetimeMs: Readonly<Record<PlainMailKind, number>> = {
  lockout: dayMs,
  "endpoint-disabled": 3 * dayMs,
};

/** When the mail becomes useless. */
export const expiryOf = ({ kind, createdAt }: { readonly kind: MailKind; readonly createdAt: Date }): Date =>
  new Date(createdAt.getTime() + lifetimeMs[kind]);

const lifetimeMs: Readonly<Record<MailKind, number>> = { ...linkLifetimeMs, ...plainLifetimeMs };
