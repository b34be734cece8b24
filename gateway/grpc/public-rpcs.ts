import { type DescMethod, type DescService, getOption, hasOption } from "@bufbuild/protobuf";
import { Budget, type PublicAccess, public_access } from "#gen/assent/access/v1/access_pb.ts";
import { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { OrganizationService } from "#gen/assent/auth/v1/organization_pb.ts";
import { PasskeyService } from "#gen/assent/auth/v1/passkeys_pb.ts";
import { LoginService, UserService } from "#gen/assent/auth/v1/users_pb.ts";
import { ClickService, EvidenceLogService } from "#gen/assent/click/v1/click_pb.ts";
import { DocgenService, RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import type { LimitGroup } from "../auth/organization-limits.ts";
import { isClientScope } from "../auth/principal.ts";

/** The services that calls are forwarded to. */
export type Backend = "auth" | "templates" | "click" | "docgen" | "sign" | "webhooks";

/** Every RPC service, by the process that implements it. */
export const backends: readonly (readonly [Backend, DescService])[] = [
  ["auth", TokenService],
  ["auth", LoginService],
  ["auth", UserService],
  ["auth", PasskeyService],
  ["auth", OrganizationService],
  ["templates", TemplatesService],
  ["click", ClickService],
  ["click", EvidenceLogService],
  ["docgen", DocgenService],
  ["docgen", RendererService],
  ["sign", SignService],
  ["sign", SigningService],
  ["webhooks", WebhooksService],
];

/** The permissions that an RPC requires; undefined for RPCs that are internal to the installation. */
export const publicAccess = (method: DescMethod): PublicAccess | undefined =>
  hasOption(method, public_access) ? getOption(method, public_access) : undefined;

const groups: Readonly<Record<Budget, LimitGroup | "plan" | undefined>> = {
  [Budget.UNSPECIFIED]: undefined,
  [Budget.ACCEPT]: "accept",
  [Budget.OTHER]: "other",
  [Budget.SIGN]: "sign",
  [Budget.PLAN]: "plan",
};

/** Throws when the proto declares no budget for the RPC. */
export function limitGroupOf({ budget, operation }: PublicAccess): LimitGroup | "plan" {
  const group = groups[budget];
  if (group === undefined) throw new Error(`the RPC for ${operation} names no budget`);
  return group;
}

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
