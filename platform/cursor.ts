import type { DomainError, ErrorCode } from "./errors.ts";
import { isUuid } from "./ids.ts";
import { refusedField } from "./problems.ts";

/** A place in a list that is in order of time, and of ids where times are equal. */
export interface ListPosition {
  readonly at: Date;
  readonly id: string;
}

/** Names a place in a list for the next request; opaque to clients. */
export const cursorOf = ({ at, id }: ListPosition): string =>
  Buffer.from(`${at.getTime()} ${id}`, "latin1").toString("base64url");

/** The place that a cursor names; undefined for the empty cursor of a first page. Throws `code` for what no page gave. */
export function readCursor(
  cursor: string,
  code: "VALIDATION_FAILED" | "CLICK_VALIDATION_FAILED",
): ListPosition | undefined {
  if (cursor === "") return undefined;
  const [time = "", id = "", ...rest] = Buffer.from(cursor, "base64url").toString("latin1").split(" ");
  const at = new Date(/^\d{1,15}$/.test(time) ? Number(time) : Number.NaN);
  // Within what the database's timestamps take.
  const isPlace = rest.length === 0 && isUuid(id) && at.getTime() < Date.UTC(10_000, 0);
  // Decoding skips what is not base64url, so only a cursor that comes out the same again is one of ours.
  if (isPlace && cursorOf({ at, id }) === cursor) return { at, id };
  throw unknownCursor(code);
}

/** The error of a cursor that no page gave. */
export const unknownCursor = (code: ErrorCode = "VALIDATION_FAILED"): DomainError =>
  refusedField("cursor", "INVALID_CURSOR", "must be the cursor of a previous page", code);
