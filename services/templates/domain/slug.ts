import { isSlug, slugRule } from "#platform/slug.ts";
import { invalid, problem } from "./problems.ts";

export { isSlug, numberedSlug, slugFromName } from "#platform/slug.ts";

/** A slug that the client chose; throws CLICK_VALIDATION_FAILED when it is not one. */
export function parseSlug(text: string): string {
  if (isSlug(text)) return text;
  throw invalid(problem("slug", "INVALID_SLUG", slugRule));
}
