import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import Provider, { type Adapter, type AdapterPayload, type Configuration } from "oidc-provider";

/** Who is signed in at the provider. */
export interface ProviderPerson {
  readonly subject: string;
  readonly email: string;
  readonly isVerified: boolean;
}

export interface TestProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who the next browser is taken for, without being asked; undefined for one who cancels. */
  person: ProviderPerson | undefined;
  /** From now on the client may be led back to this address. */
  serve(redirectUri: string): void;
  stop(): Promise<void>;
}

/** A provider of OpenID Connect as people have them, in which somebody is signed in already. */
export async function startIdentityProvider(): Promise<TestProvider> {
  let listener: RequestListener = (_req, res) => res.writeHead(503).end();
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const key = { ...(await exportJWK(privateKey)), alg: "RS256", use: "sig" };
  const server = createServer((req, res) => listener(req, res));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: TestProvider = {
    issuer,
    clientId: "assent",
    clientSecret: "a secret of the test",
    person: undefined,
    serve: (redirectUri) => {
      listener = listenerOf(provider, redirectUri, key);
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}

function listenerOf(settings: TestProvider, redirectUri: string, key: JWK): RequestListener {
  const { issuer, clientId, clientSecret } = settings;
  const client = { client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] };
  const provider = new Provider(issuer, { ...configuration(settings), clients: [client], jwks: { keys: [key] } });
  const handle = provider.callback();
  return (req, res) => {
    if (req.url?.startsWith("/interaction/") !== true) {
      void handle(req, res);
      return;
    }
    const { person } = settings;
    const result =
      person === undefined ? { error: "access_denied" } : { login: { accountId: person.subject, remember: false } };
    void provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false });
  };
}

const ttlSeconds = 600;

const configuration = (settings: TestProvider): Configuration => ({
  adapter: createMemory(),
  claims: { openid: ["sub"], email: ["email", "email_verified"] },
  cookies: { keys: ["of the test"] },
  features: { devInteractions: { enabled: false } },
  findAccount: (_context, accountId) => ({
    accountId,
    claims: () => ({
      sub: accountId,
      email: settings.person?.email,
      email_verified: settings.person?.isVerified ?? false,
    }),
  }),
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  // Nobody is asked whether the client may know the address.
  loadExistingGrant: async ({ oidc }) => {
    const grant = new oidc.provider.Grant({
      accountId: oidc.session?.accountId ?? "",
      clientId: oidc.client?.clientId ?? "",
    });
    grant.addOIDCScope("openid email profile");
    await grant.save();
    return grant;
  },
  pkce: { required: () => true },
  // Whatever the provider keeps is gone with the test.
  ttl: Object.fromEntries(
    ["AccessToken", "AuthorizationCode", "Grant", "IdToken", "Interaction", "Session"].map((name) => [
      name,
      ttlSeconds,
    ]),
  ),
});

/** Keeps everything for as long as the test runs. */
function createMemory(): (name: string) => Adapter {
  const kept = new Map<string, AdapterPayload>();
  const where = (matches: (payload: AdapterPayload) => boolean) => [...kept.values()].find(matches);
  return (name) => ({
    upsert: async (id, payload) => void kept.set(`${name} ${id}`, payload),
    find: async (id) => kept.get(`${name} ${id}`),
    findByUid: async (uid) => where((payload) => payload.uid === uid),
    findByUserCode: async (userCode) => where((payload) => payload.userCode === userCode),
    consume: async (id) => {
      const payload = kept.get(`${name} ${id}`);
      if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000);
    },
    destroy: async (id) => void kept.delete(`${name} ${id}`),
    revokeByGrantId: async (grantId) => {
      for (const [id, payload] of kept) if (payload.grantId === grantId) kept.delete(id);
    },
  });
}
