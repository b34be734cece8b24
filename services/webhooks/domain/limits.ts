/** Of an organization: so many of each kind. */
export const maxEndpoints = 50;

/** Every key makes one more header and one more HMAC of every message. */
export const maxConnectSecrets = 10;

const hourMs = 60 * 60 * 1000;

/** How long the secret before the last rotation signs as well. */
export const overlapMs = 24 * hourMs;

/** How long a repeated request is answered as the first was. */
export const keyLifetimeMs = 24 * hourMs;

/** How long events, their deliveries and the attempts are kept. */
export const retentionMs = 30 * 24 * hourMs;
