import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { DomainError } from "../errors.ts";

/** A time that a request must have. Throws VALIDATION_FAILED. */
export function momentOf(field: string, timestamp: Timestamp | undefined): Date {
  const date = timestamp && timestampDate(timestamp);
  if (date !== undefined && !Number.isNaN(date.getTime())) return date;
  throw new DomainError("VALIDATION_FAILED", { details: [{ field, code: "FORMAT", message: "must be a time" }] });
}
