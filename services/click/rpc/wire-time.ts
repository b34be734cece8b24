import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { DomainError } from "#platform/errors.ts";

/** The years 0001 to 9999, as the contract of Timestamp says; neither JSON nor the database takes others. */
const [firstSecond, lastSecond] = [-62_135_596_800n, 253_402_300_799n];

/** Reads a time that a caller sent; throws CLICK_VALIDATION_FAILED for one that is outside of all calendars. */
export function readTime(field: string, time: Timestamp): Date;
export function readTime(field: string, time: Timestamp | undefined): Date | undefined;
export function readTime(field: string, time: Timestamp | undefined): Date | undefined {
  if (time === undefined) return undefined;
  if (time.seconds < firstSecond || time.seconds > lastSecond) {
    const details = [{ field, code: "RANGE", message: "must be between the years 1 and 9999" }];
    throw new DomainError("CLICK_VALIDATION_FAILED", { details });
  }
  return timestampDate(time);
}
