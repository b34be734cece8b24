/** Mails with a link of their own, and those that only tell of something. */
export type MailKind = LinkPurpose | PlainMailKind;
export type PlainMailKind = "lockout" | "endpoint-disabled" | "passkey-added" | "passkey-removed";

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

/** What a link is for. */
export type LinkPurpose = "invitation" | "reset";

export const linkLifetimeMs: Readonly<Record<LinkPurpose, number>> = { invitation: 7 * dayMs, reset: hourMs };

/** For how long news are worth a mail. */
export const plainLifetimeMs: Readonly<Record<PlainMailKind, number>> = {
  lockout: dayMs,
  "endpoint-disabled": 3 * dayMs,
  "passkey-added": 3 * dayMs,
  "passkey-removed": 3 * dayMs,
};

/** When the mail becomes useless. */
export const expiryOf = ({ kind, createdAt }: { readonly kind: MailKind; readonly createdAt: Date }): Date =>
  new Date(createdAt.getTime() + lifetimeMs[kind]);

const lifetimeMs: Readonly<Record<MailKind, number>> = { ...linkLifetimeMs, ...plainLifetimeMs };

/** Living reset links of a user at most: a mailbox is not to be filled by strangers. */
export const maxResetLinks = 3;

const pages: Readonly<Record<LinkPurpose, string>> = { invitation: "invitation", reset: "reset" };

/** The token is in the fragment, which browsers do not send to servers. */
export const linkUrl = (publicUrl: string, purpose: LinkPurpose, token: string): string =>
  `${publicUrl}/dashboard/${pages[purpose]}#${token}`;

/** Where the dashboard shows a webhook endpoint. */
export const endpointUrl = (publicUrl: string, endpointId: string): string =>
  `${publicUrl}/dashboard/webhooks/endpoints/${encodeURIComponent(endpointId)}`;

/** Where people change how they sign in. */
export const accountUrl = (publicUrl: string): string => `${publicUrl}/dashboard/account`;

/** How long a login waits for the second factor, and for how many wrong codes. */
export const challengeMs = 5 * 60_000;
export const maxChallengeFailures = 5;
