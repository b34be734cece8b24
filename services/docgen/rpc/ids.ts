import { isUuid } from "#platform/ids.ts";
import { invalid, problem } from "../domain/problems.ts";

/** The id after which a page continues; undefined for the first page. */
export function parseAfterId(text: string): string | undefined {
  if (text === "") return undefined;
  if (!isUuid(text)) throw invalid(problem("afterId", "INVALID_CURSOR", "must be the id of the last item of a page"));
  return text.toLowerCase();
}

/** As the database writes it; the proto's rules let nothing but UUIDs through. */
export const canonicalId = (id: string): string => id.toLowerCase();
