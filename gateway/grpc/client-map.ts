import { type OrgId, parseOrgId } from "#platform/ids.ts";
import { isClientScope } from "../auth/principal.ts";

/** What a program that authenticates with a certificate may do. */
export interface MappedClient {
  /** Its name in evidence and audit trails. */
  readonly clientId: string;
  readonly organizations: readonly OrgId[];
  readonly scopes: ReadonlySet<string>;
}

/** Programs by a name in their certificates: a SPIFFE id or a DNS name. */
export type ClientMap = ReadonlyMap<string, MappedClient>;

const prefix = "service:";

/** The colon distinguishes programs with certificates from OAuth clients and keys. */
export const isMapped = ({ clientId }: { readonly clientId: string }): boolean => clientId.startsWith(prefix);

const isText = (value: unknown): value is string => typeof value === "string";

/** Reads GRPC_CLIENTS. Throws an error that names the first mistake. */
export function parseClientMap(text: string): ClientMap {
  if (text.trim() === "") return new Map();
  let entries: unknown;
  try {
    entries = JSON.parse(text);
  } catch {
    throw new Error("must be a JSON object");
  }
  if (typeof entries !== "object" || entries === null || Array.isArray(entries)) {
    throw new Error("must be a JSON object");
  }
  return new Map(Object.entries(entries).map(([name, entry]) => [name, readEntry(name, entry)]));
}

function readEntry(name: string, entry: unknown): MappedClient {
  const { client, organizations, scopes, ...unknown } = (entry ?? {}) as Record<string, unknown>;
  const wrong = (what: string) => new Error(`has ${what} for ${JSON.stringify(name)}`);
  const [more] = Object.keys(unknown);
  if (more !== undefined) throw wrong(`an unknown member ${JSON.stringify(more)}`);
  if (!isText(client) || !/^[a-z0-9][a-z0-9-]{0,59}$/.test(client)) {
    throw wrong("no client of 1 to 60 lower-case letters, digits and dashes");
  }
  const orgIds = (Array.isArray(organizations) ? organizations : []).map((id) =>
    isText(id) ? parseOrgId(id) : undefined,
  );
  if (orgIds.length === 0 || orgIds.includes(undefined)) throw wrong("no list of ids of organizations");
  const isScope = (scope: unknown): boolean => isText(scope) && isClientScope(scope);
  if (!Array.isArray(scopes) || scopes.length === 0 || !scopes.every(isScope)) throw wrong("no list of scopes");
  return { clientId: `${prefix}${client}`, organizations: orgIds as OrgId[], scopes: new Set(scopes) };
}
