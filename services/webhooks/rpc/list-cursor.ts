import { isUuid } from "#platform/ids.ts";
import { problem, refuse } from "../domain/problems.ts";

/** Behind which row a page ended. */
export interface Position {
  readonly at: Date;
  /** UUID. */
  readonly id: string;
}

export const cursorText = ({ at, id }: Position): string =>
  Buffer.from(`${at.getTime()} ${id}`, "latin1").toString("base64url");

/** Undefined for the first page. Throws VALIDATION_FAILED for what was never answered. */
export function parseCursor(text: string): Position | undefined {
  if (text === "") return undefined;
  const [time = "", id = "", ...more] = Buffer.from(text, "base64url").toString("latin1").split(" ");
  if (/^[0-9]{1,15}$/.test(time) && isUuid(id) && more.length === 0) return { at: new Date(Number(time)), id };
  refuse([problem("cursor", "INVALID_CURSOR", "must be the nextCursor of a page of this list")]);
  return undefined;
}
