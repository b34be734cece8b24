import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { refusedField } from "../problems.ts";

/** A time that a request must have. Throws VALIDATION_FAILED. */
export function momentOf(field: string, timestamp: Timestamp | undefined): Date {
  const date = timestamp && timestampDate(timestamp);
  if (date !== undefined && !Number.isNaN(date.getTime())) return date;
  throw refusedField(field, "FORMAT", "must be a time");
}
