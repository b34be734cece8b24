import { isUuid } from "#platform/ids.ts";
import { invalid, problem } from "../domain/problems.ts";
import type { ListPosition } from "../store/template-page-store.ts";

/** Names a place in the list for the next request; opaque to clients. */
export const writeCursor = (position: ListPosition): string =>
  Buffer.from(`${position.createdAt.getTime()} ${position.id}`, "latin1").toString("base64url");

/** The place that a cursor names; undefined for the empty cursor of the first page. Throws CLICK_VALIDATION_FAILED. */
export function readCursor(cursor: string): ListPosition | undefined {
  if (cursor === "") return undefined;
  const [time = "", id = "", ...rest] = Buffer.from(cursor, "base64url").toString("latin1").split(" ");
  const createdAt = new Date(/^\d{1,15}$/.test(time) ? Number(time) : Number.NaN);
  // Decoding skips what is not base64url, so only a cursor that comes out the same again is one of ours.
  const isOurs = rest.length === 0 && isUuid(id) && isSane(createdAt) && writeCursor({ createdAt, id }) === cursor;
  if (!isOurs) throw invalid(problem("cursor", "INVALID_CURSOR", "must be a cursor that a previous page gave"));
  return { createdAt, id };
}

/** Within what the database's timestamps take. */
const isSane = (time: Date): boolean => time.getTime() < Date.UTC(10_000, 0);
