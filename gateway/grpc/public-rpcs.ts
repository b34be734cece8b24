import { type DescMethod, type DescService, getOption, hasOption } from "@bufbuild/protobuf";
import { Budget, type PublicAccess, public_access } from "#gen/assent/access/v1/access_pb.ts";
import { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { OrganizationService } from "#gen/assent/auth/v1/organization_pb.ts";
import { LoginService, UserService } from "#gen/assent/auth/v1/users_pb.ts";
import { ClickService, EvidenceLogService } from "#gen/assent/click/v1/click_pb.ts";
import { DocgenService, RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import type { LimitGroup } from "../auth/organization-limits.ts";

/** The services that calls are forwarded to. */
export type Backend = "auth" | "templates" | "click" | "docgen" | "sign" | "webhooks";

/** Every RPC service, by the process that implements it. */
export const backends: readonly (readonly [Backend, DescService])[] = [
  ["auth", TokenService],
  ["auth", LoginService],
  ["auth", UserService],
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
