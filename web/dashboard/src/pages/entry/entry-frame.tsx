import "./entry.css";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import type { SignedIn } from "#api/users.ts";
import type { LoginMethods } from "../../api/begin-session.ts";
import { beginSession } from "../../api/begin-session.ts";
import { useApi } from "../../api/client.ts";
import { Brand, ThemeChoice } from "../../app/layout.tsx";
import { useNavigate, useSearch } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { ButtonLink } from "../../ui/button.tsx";

interface EntryFrameProps {
  readonly title: string;
  readonly intro?: string;
  readonly children: ReactNode;
}

/** Around the pages of those who are not signed in. */
export function EntryFrame({ title, intro, children }: EntryFrameProps) {
  useEffect(() => {
    document.title = `${title} · Assent`;
  }, [title]);
  return (
    <div className="entry">
      <header>
        <Brand />
      </header>
      <main className="entry-card">
        <h1>{title}</h1>
        {intro && <p className="page-intro">{intro}</p>}
        {children}
      </main>
      <footer>
        <ThemeChoice />
      </footer>
    </div>
  );
}

/** The part of a mailed link after its #; removed from the address, so that it stays in no history. */
export function useLinkToken(): string {
  const [token] = useState(() => {
    const { hash, pathname, search } = window.location;
    if (hash.length > 1) window.history.replaceState(null, "", `${pathname}${search}`);
    return hash.slice(1);
  });
  return token;
}

export function LinkMissing({ canAsk = false }: { readonly canAsk?: boolean }) {
  const texts = useTexts("entry");
  return (
    <EntryFrame title={texts.linkMissingTitle} intro={texts.linkMissingText}>
      <ButtonLink to={canAsk ? "/forgot" : "/login"}>{canAsk ? texts.askForLink : texts.backToLogin}</ButtonLink>
    </EntryFrame>
  );
}

/** Continues as the person who has just signed in, on the page they wanted. */
export function useEnter(): (session: SignedIn) => void {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const next = useSearch().get("next") ?? "/";
  return useCallback(
    (session) => {
      beginSession(queries, session);
      navigate(next.startsWith("/") ? next : "/", { replace: true });
    },
    [queries, navigate, next],
  );
}

/** How people may sign in; undefined until that is known. If it cannot be read, the password is offered. */
export function useLoginMethods(): LoginMethods | undefined {
  const api = useApi();
  const methods = useQuery({
    queryKey: ["login-methods"],
    queryFn: () => api.get<LoginMethods>("/v1/dashboard/login/methods"),
    // The choice of organizations is different each time.
    gcTime: 0,
  });
  return methods.data;
}

/** Leads to the identity provider, if there is one. */
export function ProviderLogin({ methods }: { readonly methods: LoginMethods | undefined }) {
  const texts = useTexts("entry");
  const next = useSearch().get("next") ?? "";
  const provider = methods?.identityProvider;
  if (!provider) return null;
  return (
    <div className="entry-provider">
      <p className="entry-or">{texts.or}</p>
      <a className="button" href={providerUrl(provider.url, { next })}>
        <span>{texts.logInWith(provider.name)}</span>
      </a>
    </div>
  );
}

/** The choice for a person who may sign in to several organizations. */
export function ProviderOrganizations({ methods }: { readonly methods: LoginMethods }) {
  const next = useSearch().get("next") ?? "";
  const url = methods.identityProvider?.url ?? "";
  return (
    <div className="entry-choices">
      {methods.organizations.map(({ id, name }) => (
        <a key={id} className="button" href={providerUrl(url, { next, organizationId: id })}>
          <span>{name}</span>
        </a>
      ))}
    </div>
  );
}

function providerUrl(url: string, parameters: Readonly<Record<string, string>>): string {
  const filled = Object.entries(parameters).filter(([, value]) => value !== "");
  return filled.length === 0 ? url : `${url}?${new URLSearchParams(filled)}`;
}
