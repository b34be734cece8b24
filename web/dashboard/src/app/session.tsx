import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useMemo } from "react";
import type { Organization } from "#api/organizations.ts";
import type { SignedIn, User } from "#api/users.ts";
import { leaveSession, organizationKey, sessionKey } from "../api/begin-session.ts";
import { useApi } from "../api/client.ts";
import { ApiError } from "../api/errors.ts";
import { ErrorState, Loading } from "../ui/states.tsx";
import { useNavigate } from "./router.tsx";

/** Who is signed in. */
export interface Session {
  readonly user: User;
  readonly organization: Organization;
  readonly role: User["role"];
  readonly csrfToken: string;
  /** When it ends at the latest. */
  readonly expiresAt: string;
  can(scope: string): boolean;
  logOut(): Promise<void>;
  /** Reads the person and the organization again, after one of them was changed. */
  refresh(): Promise<void>;
}

const SessionContext = createContext<Session | undefined>(undefined);

/** Of pages for whoever is signed in. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error("no one is signed in here");
  return session;
}

interface Gate {
  readonly children: ReactNode;
  /** What is shown to those who are not signed in. */
  readonly otherwise: ReactNode;
}

/** Shows its pages to whoever is signed in. */
export function SessionGate({ children, otherwise }: Gate) {
  const api = useApi();
  const session = useQuery({
    queryKey: sessionKey,
    queryFn: () => nullWhenEnded(api.get<SignedIn>("/v1/dashboard/session")),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const organization = useQuery({
    queryKey: organizationKey,
    queryFn: () => api.get<Organization>("/v1/dashboard/organization"),
    enabled: Boolean(session.data),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (session.data === null) return otherwise;
  if (session.data && organization.data) {
    return (
      <SignedInProvider signedIn={session.data} organization={organization.data}>
        {children}
      </SignedInProvider>
    );
  }
  const failed = [session, organization].find(({ isError }) => isError);
  if (failed !== undefined) return <ErrorState error={failed.error} retry={() => void failed.refetch()} />;
  return <Loading />;
}

function SignedInProvider({
  signedIn,
  organization,
  children,
}: {
  readonly signedIn: SignedIn;
  readonly organization: Organization;
  readonly children: ReactNode;
}) {
  const api = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const session = useMemo<Session>(() => {
    const scopes = new Set(signedIn.scopes);
    return {
      user: signedIn.user,
      organization,
      role: signedIn.user.role,
      csrfToken: signedIn.csrfToken,
      expiresAt: signedIn.expiresAt,
      can: (scope) => scopes.has(scope),
      logOut: async () => {
        await nullWhenEnded(api.send("POST", "/v1/dashboard/logout"));
        navigate("/login", { replace: true });
        leaveSession(queries);
      },
      refresh: async () => {
        await Promise.all([sessionKey, organizationKey].map((queryKey) => queries.invalidateQueries({ queryKey })));
      },
    };
  }, [api, navigate, organization, queries, signedIn]);
  return <SessionContext value={session}>{children}</SessionContext>;
}

async function nullWhenEnded<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}
