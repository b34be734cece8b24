import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";

/** An id that is not a UUID names nothing, so it is answered like an unknown one. */
export function parseTemplateId(text: string): string {
  if (!isUuid(text)) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
  return text.toLowerCase();
}

/** See parseTemplateId; callers that know the template ask for that first. */
export function parseVersionId(text: string): string {
  if (!isUuid(text)) throw new DomainError("CLICK_VERSION_NOT_FOUND");
  return text.toLowerCase();
}

/** See parseTemplateId. */
export function parseDeploymentId(text: string): string {
  if (!isUuid(text)) throw new DomainError("CLICK_DEPLOYMENT_NOT_FOUND");
  return text.toLowerCase();
}
