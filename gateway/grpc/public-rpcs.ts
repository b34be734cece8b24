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

/** The parts that a call is passed on to. */
export type Backend = "auth" | "templates" | "click" | "docgen" | "sign" | "webhooks";

/** Every service that processes of the installation call, by the part that offers it. */
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

/** What a program from outside needs for an RPC; undefined when it is for processes of the installation alone. */
export const publicAccess = (method: DescMethod): PublicAccess | undefined =>
  hasOption(method, public_access) ? getOption(method, public_access) : undefined;

const groups: Readonly<Record<Budget, LimitGroup | "plan" | undefined>> = {
  [Budget.UNSPECIFIED]: undefined,
  [Budget.ACCEPT]: "accept",
  [Budget.OTHER]: "other",
  [Budget.SIGN]: "sign",
  [Budget.PLAN]: "plan",
};

/** Throws when the contract does not say which budget pays. */
export function limitGroupOf({ budget, operation }: PublicAccess): LimitGroup | "plan" {
  const group = groups[budget];
  if (group === undefined) throw new Error(`the RPC for ${operation} names no budget`);
  return group;
}
