import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { sha256Label } from "#platform/canonical-json.ts";
import { DomainError } from "#platform/errors.ts";

/** Where and how a text is shown: a deployment as its snapshot tells it. */
export interface Placement {
  readonly deploymentId: string;
  /** `sha256:<64 hex>` of the snapshot. */
  readonly snapshotHash: string;
  readonly snapshot: JsonObject;
  readonly key: string;
  readonly displayMode: string;
  /** Who may show the text; empty when that is not restricted. */
  readonly allowedOrigins: readonly string[];
  readonly localeFallback: readonly string[];
  /** The version it is pinned to. */
  readonly versionId: string | null;
  readonly theme: JsonObject;
  /** Empty for none. */
  readonly brandId: string;
  /** The flags in force there: those of the template, tightened by the deployment. */
  readonly policy: JsonObject;
  /** The picture of it that the templates service keeps; undefined when it has none there. */
  readonly screenshot: { readonly id: string; readonly hash: string } | undefined;
}

export function parsePlacement(snapshotJson: string): Placement {
  const snapshot = JSON.parse(snapshotJson) as JsonObject;
  const { deploymentId, key, displayMode, brandId } = snapshot;
  if (typeof deploymentId !== "string" || typeof key !== "string") {
    throw new Error("the snapshot of a deployment does not name it");
  }
  const { versionId } = objectOf(snapshot.versionSelector);
  const { screenshotId: id, screenshotHash: hash } = snapshot;
  return {
    deploymentId,
    snapshotHash: sha256Label(snapshotJson),
    snapshot,
    key,
    displayMode: typeof displayMode === "string" ? displayMode : "INLINE",
    allowedOrigins: textsOf(snapshot.allowedOrigins),
    localeFallback: textsOf(snapshot.localeFallback),
    versionId: typeof versionId === "string" ? versionId : null,
    theme: objectOf(snapshot.theme),
    brandId: typeof brandId === "string" ? brandId : "",
    policy: objectOf(snapshot.effectivePolicy),
    screenshot: typeof id === "string" && typeof hash === "string" ? { id, hash } : undefined,
  };
}

const objectOf = (value: JsonValue | undefined): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};

const textsOf = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

/** Throws CLICK_ORIGIN_NOT_ALLOWED. A caller that is no browser names no origin. */
export function requireAllowedOrigin(placement: Placement | undefined, origin: string | undefined): void {
  const allowed = placement?.allowedOrigins ?? [];
  if (origin === undefined || origin === "" || allowed.length === 0) return;
  if (!allowed.includes(origin.toLowerCase())) throw new DomainError("CLICK_ORIGIN_NOT_ALLOWED");
}
