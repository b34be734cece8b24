import type { Credential } from "../access/credentials.tsx";

export interface Client extends Credential {
  readonly scopes: readonly string[];
}

export interface ClientWithSecret extends Client {
  readonly clientSecret: string;
}
