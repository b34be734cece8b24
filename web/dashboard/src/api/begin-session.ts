import type { QueryClient } from "@tanstack/react-query";
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
  readonly passkeys: boolean;
  readonly identityProvider: { readonly name: string; readonly url: string } | null;
  /** Where somebody may go on whom the provider has named. */
  readonly organizations: LoginAnswer["organizations"];
}

/** What begins the names of texts that are not saved yet, in the storage of the tab; the person's id follows. */
export const unsavedKey = "assent-unsaved";

/**
 * Continues as another person, or as nobody, and drops all data that was read before. The session itself is replaced
 * and not removed, because observers of it, such as the language of the pages, would not notice a new one in its place.
 */
export function beginSession(queries: QueryClient, session: SignedIn | null): void {
  // What is still being read of the session before must not come in place of this one.
  void queries.cancelQueries({ queryKey: sessionKey });
  // First of all, so that requests that wait for the person from before see who it is now, and are not sent.
  queries.setQueryData(sessionKey, session);
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  queries.getMutationCache().clear();
  dropUnsaved(session?.user.id);
}

const leavingChannel = "assent-leaving";

/** Continues as nobody, in all tabs: other than a session that has ended by itself, it leaves nothing on their pages. */
export function leaveSession(queries: QueryClient): void {
  beginSession(queries, null);
  const channel = new BroadcastChannel(leavingChannel);
  channel.postMessage(null);
  channel.close();
}

/** Leaves the session when it was left in another tab. Returns what stops it. */
export function leaveWithOthers(queries: QueryClient): () => void {
  const channel = new BroadcastChannel(leavingChannel);
  channel.addEventListener("message", () => {
    if (queries.getQueryData(sessionKey)) beginSession(queries, null);
  });
  return () => channel.close();
}

/** Whoever signs in again after their session has ended finds what they wrote; nobody else does. */
function dropUnsaved(exceptOf: string | undefined): void {
  try {
    for (const name of Object.keys(sessionStorage)) {
      const [kind, owner] = name.split("/");
      if (kind === unsavedKey && owner !== exceptOf) sessionStorage.removeItem(name);
    }
  } catch {
    // The browser stores nothing.
  }
}
