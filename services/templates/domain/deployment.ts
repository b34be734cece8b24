import { randomInt } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import { canonicalJson } from "#platform/canonical-json.ts";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import type { StatedPolicyFlags } from "./policy-flags.ts";
import { problem, refuse } from "./problems.ts";
import type { Version } from "./version.ts";

export const environments = ["TEST", "LIVE"] as const;
export const surfaces = ["WEB", "IOS", "ANDROID", "API", "KIOSK"] as const;
export const displayModes = ["INLINE", "MODAL", "LINK", "FULL_PAGE"] as const;
export const wrapTypes = ["CLICKWRAP", "SCROLLWRAP", "SIGN_IN_WRAP"] as const;

export type Environment = (typeof environments)[number];
export type Surface = (typeof surfaces)[number];
export type DisplayMode = (typeof displayModes)[number];
export type WrapType = (typeof wrapTypes)[number];
export type DeploymentStatus = "DRAFT" | "ACTIVE" | "INACTIVE";

/** One placement of a template: where it is shown, by whom, in which form, and which version it serves. */
export interface Deployment {
  organizationId: string;
  id: string;
  templateId: string;
  /** Public name in render addresses. */
  key: string;
  name: string;
  status: DeploymentStatus;
  environment: Environment;
  surface: Surface;
  displayMode: DisplayMode;
  wrapType: WrapType;
  /** The version it is pinned to; null: whatever is published. */
  versionId: string | null;
  /** Canonical BCP 47, in the order they are tried. */
  localeFallback: readonly string[];
  /** Canonical; empty: none. */
  allowedOrigins: readonly string[];
  theme: JsonObject;
  /** A brand of the organization, which may be gone; null for its default one. */
  brandId: string | null;
  screenshotId: string | null;
  /** Of the bytes of the screenshot that the id names; null when it is the id of a picture kept elsewhere. */
  screenshotHash: string | null;
  /** Flags that are stricter here than in the template. */
  policyOverrides: StatedPolicyFlags;
  /** Names the snapshot of the configuration that is in force, or was when it was last active. */
  snapshotHash: string | null;
  activatedAt: Date | null;
  deactivatedAt: Date | null;
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
}

/** What can be set; no name stands for a derived one. */
export interface DeploymentSettings
  extends Pick<
    Deployment,
    | "environment"
    | "surface"
    | "displayMode"
    | "wrapType"
    | "versionId"
    | "localeFallback"
    | "allowedOrigins"
    | "theme"
    | "brandId"
    | "screenshotId"
    | "policyOverrides"
  > {
  readonly name: string | null;
}

/** A deployment that was never active; throws CLICK_VALIDATION_FAILED. */
export function draftDeployment(
  settings: DeploymentSettings,
  by: {
    readonly id: string;
    readonly key: string;
    readonly template: { readonly id: string; readonly name: string };
    readonly clientId: string;
    readonly now: Date;
  },
): Omit<Deployment, "organizationId"> {
  refuse(originProblems(settings.allowedOrigins, settings.environment));
  return {
    ...settings,
    screenshotHash: null,
    id: by.id,
    templateId: by.template.id,
    key: by.key,
    name: settings.name ?? derivedName(by.template.name, settings),
    status: "DRAFT",
    snapshotHash: null,
    activatedAt: null,
    deactivatedAt: null,
    createdBy: by.clientId,
    createdAt: by.now,
    updatedAt: by.now,
  };
}

/** Settings that a customer's pages rely on: they change only on an explicit request. */
const reliedUpon = ["versionId", "allowedOrigins"] as const;

/**
 * The fields that really get another value; none when everything is as wanted already.
 * Throws CLICK_VALIDATION_FAILED, and CLICK_DEPLOYMENT_ACTIVE for a change that needs force.
 */
export function changeDeployment(
  deployment: Deployment,
  changes: Partial<DeploymentSettings>,
  by: { readonly templateName: string; readonly force: boolean },
): Partial<Deployment> {
  const { name, ...settings } = changes;
  const wanted = { ...deployment, ...settings };
  if (name !== undefined) wanted.name = name ?? derivedName(by.templateName, wanted);
  refuse(originProblems(wanted.allowedOrigins, wanted.environment));
  const changed = (Object.keys(changes) as (keyof DeploymentSettings)[]).filter(
    (field) => canonicalJson(wanted[field]) !== canonicalJson(deployment[field]),
  );
  const needsForce = deployment.status === "ACTIVE" && reliedUpon.some((field) => changed.includes(field));
  if (needsForce && !by.force) throw new DomainError("CLICK_DEPLOYMENT_ACTIVE");
  return Object.fromEntries(changed.map((field) => [field, wanted[field]])) as Partial<Deployment>;
}

/** The statuses a deployment may move to, by its current one. */
const transitions: Readonly<Record<DeploymentStatus, Record<"activate" | "deactivate", DeploymentStatus>>> = {
  DRAFT: { activate: "ACTIVE", deactivate: "DRAFT" },
  ACTIVE: { activate: "ACTIVE", deactivate: "INACTIVE" },
  INACTIVE: { activate: "ACTIVE", deactivate: "INACTIVE" },
};

/** The fields changed by activation or deactivation; none when the deployment already has that status. */
export function moveDeployment(
  deployment: Deployment,
  event: "activate" | "deactivate",
  now: Date,
): Partial<Deployment> | undefined {
  const status = transitions[deployment.status][event];
  if (status === deployment.status) return undefined;
  const times = status === "ACTIVE" ? { activatedAt: now, deactivatedAt: null } : { deactivatedAt: now };
  return { status, ...times, updatedAt: now };
}

/** Throws CLICK_DEPLOYMENT_ACTIVE. */
export function requireRemovable(deployment: Pick<Deployment, "status">): void {
  if (deployment.status === "ACTIVE") throw new DomainError("CLICK_DEPLOYMENT_ACTIVE");
}

/** True when the version is among those that the deployment serves now. */
export const servesVersion = (deployment: Deployment, version: Pick<Version, "id" | "templateId" | "status">) =>
  deployment.status === "ACTIVE" &&
  deployment.templateId === version.templateId &&
  version.status === "PUBLISHED" &&
  (deployment.versionId ?? version.id) === version.id;

/** All deployments of a template are listed in one answer, so their number has a bound. */
const maxDeployments = 100;

/** Throws CLICK_VALIDATION_FAILED when the template has so many deployments. */
export function requireRoomForDeployment(deployments: number): void {
  if (deployments < maxDeployments) return;
  const message = `must not be one more: a template has at most ${maxDeployments} deployments`;
  refuse([problem("templateId", "TOO_MANY_DEPLOYMENTS", message)]);
}

const maxNameLength = 255;

function derivedName(templateName: string, { surface, displayMode }: Pick<Deployment, "surface" | "displayMode">) {
  const suffix = ` (${surface}, ${displayMode})`;
  const room = maxNameLength - suffix.length;
  return Array.from(templateName).slice(0, room).join("") + suffix;
}

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomDigits = 22;

const randomText = (): string => Array.from({ length: randomDigits }, () => digits[randomInt(digits.length)]).join("");

/** `dep_` and 22 base62 digits: 131 random bits, unique without asking the database and not to be guessed. */
export const newDeploymentKey = (): string => `dep_${randomText()}`;

export const isDeploymentKey = (text: string): boolean => /^dep_[0-9A-Za-z]{22}$/.test(text);

/** Its form tells it from the ids that organizations give to pictures which they keep themselves. */
export const newScreenshotId = (): string => `shot_${randomText()}`;

export const isScreenshotId = (text: string): boolean => /^shot_[0-9A-Za-z]{22}$/.test(text);

const maxLength = 300;

/** Browsers send nothing else in Origin, and in a header of ours nothing else is harmless. */
const hostPattern = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:]+\])$/;

/**
 * The form in which a browser names this origin: lower case, no default port, international names in ASCII. Undefined
 * for anything but a scheme, a host and perhaps a port, and for schemes other than https, and http on this machine.
 */
export function canonicalOrigin(text: string): string | undefined {
  if (text.length > maxLength || !/^https?:\/\/[^\p{C}\s/?#\\@]+$/iu.test(text) || !URL.canParse(text))
    return undefined;
  const { origin, protocol, hostname } = new URL(text);
  if (!hostPattern.test(hostname)) return undefined;
  return protocol === "https:" || isLocal(hostname) ? origin : undefined;
}

/** What is wrong with canonical origins in a deployment of this environment. */
export const originProblems = (origins: readonly string[], environment: Environment): FieldProblem[] =>
  origins.flatMap((origin, index) =>
    origin.startsWith("https:") || environment === "TEST"
      ? []
      : [problem(`allowedOrigins[${index}]`, "INVALID_ORIGIN", "must use https, unless the environment is TEST")],
  );

const isLocal = (hostname: string): boolean => hostname === "localhost" || hostname === "127.0.0.1";
