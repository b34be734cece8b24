import type { OrgId } from "#platform/ids.ts";

/** Whom a verified credential belongs to. */
export interface Principal {
  readonly orgId: OrgId;
  /** The OAuth client, or the id of the API key. */
  readonly clientId: string;
  readonly scopes: ReadonlySet<string>;
  /** The jti of an access token; undefined for an API key. */
  readonly tokenId: string | undefined;
}
