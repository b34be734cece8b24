import type { Transport } from "@connectrpc/connect";

/** Every secret that the tests of one system use, and every reference to a person: none may be in its logs. */
export interface SecretRegistry {
  /** Values by what they are; what is too short to be told from other text is left out. */
  readonly secrets: ReadonlyMap<string, string>;
  add(kind: string, value: string | undefined): void;
  /** Adds what stands under the name of a secret anywhere in a JSON value or a message. */
  addFrom(value: unknown): void;
}

export function createSecretRegistry(): SecretRegistry {
  const secrets = new Map<string, string>();
  const add = (kind: string, value: string | undefined): void => {
    if (value !== undefined && !secrets.has(value) && isTelling(kind, value)) secrets.set(value, kind);
  };
  const addFrom = (value: unknown, depth = 0): void => {
    if (typeof value === "string") add("token of an address", tokenIn(value));
    if (typeof value !== "object" || value === null || depth > 12) return;
    for (const [name, member] of Object.entries(value)) {
      if (typeof member === "string" && Object.hasOwn(kindOfName, name)) add(kindOfName[name] ?? name, member);
      addFrom(member, depth + 1);
    }
  };
  return { secrets, add, addFrom };
}

const kindOfName: Readonly<Record<string, string>> = {
  apiKey: "API key",
  clientSecret: "client secret",
  client_secret: "client secret",
  access_token: "access token",
  accessToken: "access token",
  renderToken: "render token",
  token: "token",
  assertion: "JWT assertion",
  client_assertion: "JWT assertion",
  secret: "webhook secret",
  userRef: "user reference",
  email: "e-mail address",
  password: "password",
  currentPassword: "password",
  newPassword: "password",
  csrfToken: "token against forgery",
  pendingToken: "pending token",
  sessionToken: "session token",
};

const namesOfPeople = ["user reference", "e-mail address", "idempotency key"];

/** References such as `u` or `buyer` are in many words, so they prove nothing. */
const isTelling = (kind: string, value: string): boolean =>
  namesOfPeople.includes(kind) ? value.length >= 6 && /[\d@]/.test(value) : value.length >= 16;

const tokenIn = (text: string): string | undefined => /(?:[?&]token=|\/signing\/)([\w.-]+)/.exec(text)?.[1];

const registries = new Map<string, SecretRegistry>();

/** Lets the requests that are sent to these addresses add what they carry. */
export function watchRequests(baseUrls: readonly string[], registry: SecretRegistry): void {
  for (const baseUrl of baseUrls) registries.set(baseUrl, registry);
}

export interface NotedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** To be called with every request and the body of its answer; does nothing for addresses that nobody watches. */
export function noteExchange(baseUrl: string, { path, headers, body }: NotedRequest, answered: unknown): void {
  const registry = registries.get(baseUrl);
  if (registry === undefined) return;
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() === "authorization") registry.add("credential", value.replace(/^\w+ /, ""));
    if (name.toLowerCase() === "x-idempotency-key") registry.add("idempotency key", value);
  }
  registry.add("user reference", userRefIn(path));
  for (const value of [path, body, answered]) registry.addFrom(value);
}

/** Of paths that name a person, such as those of consent and erasure. */
function userRefIn(path: string): string | undefined {
  const found = /^\/v1\/click\/(?:consent|users)\/([^/?]+)|[?&]userRef=([^&]+)/.exec(path);
  try {
    return found === null ? undefined : decodeURIComponent(found[1] ?? found[2] ?? "");
  } catch {
    return undefined;
  }
}

/** Adds what administrators are told and say: new keys, new secrets, tokens to revoke. */
export const noteAdmin = (transport: Transport, registry: SecretRegistry): Transport => ({
  stream: (...args) => transport.stream(...args),
  unary: async (...args) => {
    registry.addFrom(args[4]);
    const response = await transport.unary(...args);
    registry.addFrom(response.message);
    return response;
  },
});
