import { DomainError, type ErrorCode } from "#platform/errors.ts";
import type { Version, VersionStatus } from "./version.ts";

type PublicationEvent = "publish" | "unpublish" | "archive";
type Transition = { readonly to: VersionStatus } | { readonly error: ErrorCode };

/** The statuses a version may move to, by its current one. */
const transitions: Readonly<Record<VersionStatus, Readonly<Record<PublicationEvent, Transition>>>> = {
  DRAFT: { publish: { to: "PUBLISHED" }, unpublish: { to: "DRAFT" }, archive: { to: "ARCHIVED" } },
  PUBLISHED: { publish: { to: "PUBLISHED" }, unpublish: { to: "DRAFT" }, archive: { to: "ARCHIVED" } },
  ARCHIVED: {
    publish: { error: "CLICK_VERSION_ARCHIVED" },
    unpublish: { error: "CLICK_VERSION_ARCHIVED" },
    archive: { to: "ARCHIVED" },
  },
};

/** What a publication does to a version. */
export type PublishDecision =
  | { readonly kind: "unchanged" }
  /** The last revision is in force again. */
  | { readonly kind: "republished"; readonly revision: number; readonly label: string }
  /** A revision that did not exist before. */
  | { readonly kind: "revised"; readonly revision: number; readonly label: string };

export interface PublishOrder {
  /** Whether there is a next text, to be published in the place of the one that is. */
  readonly hasDraft: boolean;
  /** Hash of the version's current state. */
  readonly materialHash: string;
  /** Hash of its latest revision; null before the first publication. */
  readonly lastMaterialHash: string | null;
  readonly requireReacceptance: boolean;
}

/** Decides on the publication of a version; throws CLICK_VERSION_ARCHIVED. */
export function decidePublish(
  version: Pick<Version, "status" | "revision" | "label">,
  order: PublishOrder,
): PublishDecision {
  if (!moves(version.status, "publish") && !order.hasDraft) return { kind: "unchanged" };
  if (version.label !== null && order.materialHash === order.lastMaterialHash) {
    return { kind: "republished", revision: version.revision, label: version.label };
  }
  return {
    kind: "revised",
    revision: version.revision + 1,
    label: nextLabel(version.label, order.requireReacceptance),
  };
}

/** True when unpublishing changes anything; throws CLICK_VERSION_ARCHIVED. */
export const decideUnpublish = (version: Pick<Version, "status">): boolean => moves(version.status, "unpublish");

/** True when archiving changes anything. */
export const decideArchive = (version: Pick<Version, "status">): boolean => moves(version.status, "archive");

/** `major.minor`: the first is 1.0, then re-acceptance makes the next major label and anything else the next minor one. */
export function nextLabel(last: string | null, requireReacceptance: boolean): string {
  if (last === null) return "1.0";
  const [major = 1, minor = 0] = last.split(".").map(Number);
  return requireReacceptance ? `${major + 1}.0` : `${major}.${minor + 1}`;
}

function moves(status: VersionStatus, event: PublicationEvent): boolean {
  const transition = transitions[status][event];
  if ("error" in transition) throw new DomainError(transition.error);
  return transition.to !== status;
}
