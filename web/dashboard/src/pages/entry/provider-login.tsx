import { useQuery } from "@tanstack/react-query";
import { useApi } from "../../api/client.ts";
import type { LoginMethods } from "../../api/session-types.ts";
import { useSearch } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";

/** How people may log in; undefined while that is not known, and where it cannot be known there is the password. */
export function useLoginMethods(): LoginMethods | undefined {
  const api = useApi();
  const methods = useQuery({
    queryKey: ["login-methods"],
    queryFn: () => api.get<LoginMethods>("/v1/dashboard/login/methods"),
    // What was chosen from is another time something else.
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

/** Where somebody goes on who may log in to several organizations. */
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
