/** Whom an identity provider has named. */
export interface NamedPerson {
  readonly issuer: string;
  readonly subject: string;
  /** As addresses are compared; undefined unless the provider has verified it. */
  readonly emailKey: string | undefined;
}

/** What is known of a user. */
export interface UserIdentity {
  readonly issuer: string | null;
  readonly subject: string | null;
  readonly emailKey: string;
}

/**
 * Whether the person is the user. Once somebody has come as a person of the provider the user stays that person: an
 * address may be given to somebody else there, a subject never is. Another provider is one that took the place of the
 * first, whose subjects mean nothing any more.
 */
export function identityOf(user: UserIdentity, person: NamedPerson): "same" | "new" | "other" {
  if (user.issuer === person.issuer) return user.subject === person.subject ? "same" : "other";
  return person.emailKey !== undefined && person.emailKey === user.emailKey ? "new" : "other";
}
