const hourMs = 60 * 60 * 1000;

/** A reader that starts anew gets changes of this age: older than any living access token, whatever clocks say. */
export const firstReadMs = 2 * hourMs;

/** Changes are kept long enough for a reader that was cut off over a weekend to read on. */
export const changeRetentionMs = 7 * 24 * hourMs;

/** Revoked tokens are kept beyond their expiry, because a verifier's clock may be late. */
export const revokedTokenMarginMs = hourMs;
