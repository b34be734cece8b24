import type { LoginAnswer, SignedIn } from "#api/users.ts";

/** Where the session is kept among the answers of the API; null when nobody is signed in. */
export const sessionKey = ["session"] as const;
export const organizationKey = ["organization"] as const;
/** True while the session has ended and the person is asked to sign in again on top of the page. */
export const endedKey = ["session-ended"] as const;

type Someone = { readonly user: Pick<SignedIn["user"], "id">; readonly organizationId: string };

/** Whether it is the same person for the same organization. */
export const isSamePerson = (one: Someone, other: Someone): boolean =>
  one.user.id === other.user.id && one.organizationId === other.organizationId;

/** What the sign-in page offers beside the password. */
export interface LoginMethods {
  readonly identityProvider: { readonly name: string; readonly url: string } | null;
  /** Where somebody may go on whom the provider has named. */
  readonly organizations: LoginAnswer["organizations"];
}
