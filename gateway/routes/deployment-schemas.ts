import type { JsonObject } from "@bufbuild/protobuf";
import type { JsonSchema } from "./route.ts";
import {
  answer,
  anyObject,
  anyText,
  dateTime,
  described,
  flag,
  hash,
  languageTag,
  listOf,
  object,
  oneOf,
  orNull,
  text,
  uuid,
} from "./schema-parts.ts";

export interface DeploymentBody {
  readonly name?: string | null;
  readonly environment?: "TEST" | "LIVE" | null;
  readonly surface?: string | null;
  readonly displayMode?: string | null;
  readonly wrapType?: string | null;
  readonly versionSelector?: { readonly mode: "LATEST" | "PINNED"; readonly versionId?: string | null } | null;
  readonly localeFallback?: readonly string[] | null;
  readonly allowedOrigins?: readonly string[] | null;
  readonly theme?: JsonObject | null;
  readonly screenshotId?: string | null;
  readonly policyOverrides?: JsonObject | null;
}

export interface CreateDeploymentBody extends DeploymentBody {
  readonly activate?: boolean | null;
}

export interface UpdateDeploymentBody extends DeploymentBody {
  readonly force?: boolean | null;
}

const environment = oneOf("TEST", "LIVE");
const surface = oneOf("WEB", "IOS", "ANDROID", "API", "KIOSK");
const displayMode = oneOf("INLINE", "MODAL", "LINK", "FULL_PAGE");
const wrapType = oneOf("CLICKWRAP", "SCROLLWRAP", "SIGN_IN_WRAP");
const selectorMode = described(oneOf("LATEST", "PINNED"), "LATEST serves whatever is published.");
const theme = described(anyObject, "Colours and fonts, as your pages understand them.");
const policyOverrides = described(anyObject, "Flags that are stricter here than in the template.");
const origin = text(1, 300, "An origin such as https://www.example.com.");

const fields: Readonly<Record<string, JsonSchema>> = {
  name: described(orNull(text(1, 255)), "Derived from the template when absent."),
  environment: described(orNull(environment), "LIVE when absent."),
  surface: described(orNull(surface), "WEB when absent."),
  displayMode: described(orNull(displayMode), "INLINE when absent."),
  wrapType: described(orNull(wrapType), "CLICKWRAP when absent."),
  versionSelector: described(
    orNull(object({ mode: selectorMode, versionId: described(orNull(uuid), "For PINNED.") }, ["mode"])),
    "LATEST when absent.",
  ),
  localeFallback: orNull({ ...listOf(languageTag), maxItems: 20 }),
  allowedOrigins: described(
    orNull({ ...listOf(origin), maxItems: 50 }),
    "The pages that may show it; all may when empty.",
  ),
  theme: orNull(theme),
  screenshotId: orNull(text(1, 100)),
  policyOverrides: orNull(policyOverrides),
};

export const createDeploymentSchema = object(
  { ...fields, activate: described(orNull(flag), "Activates it at once.") },
  [],
);

export const updateDeploymentSchema = object(
  {
    ...fields,
    force: described(orNull(flag), "Lets the selector and the origins change while the deployment is active."),
  },
  [],
);

export const deploymentStatus = oneOf("DRAFT", "ACTIVE", "INACTIVE");

export const deploymentSchema: JsonSchema = answer({
  id: uuid,
  organizationId: uuid,
  templateId: uuid,
  key: described(anyText, "Its public name in render addresses; never changes."),
  name: anyText,
  status: deploymentStatus,
  environment,
  surface,
  displayMode,
  wrapType,
  versionSelector: answer({ mode: selectorMode, versionId: orNull(uuid) }),
  localeFallback: listOf(languageTag),
  allowedOrigins: listOf(origin),
  theme,
  screenshotId: orNull(anyText),
  policyOverrides,
  snapshotHash: described(orNull(hash), "Of the configuration that is in force, or was last; part of the evidence."),
  activatedAt: orNull(dateTime),
  deactivatedAt: orNull(dateTime),
  createdAt: dateTime,
  updatedAt: dateTime,
});
