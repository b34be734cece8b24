import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { moment } from "#api/spelling.ts";

export type { Written } from "#api/spelling.ts";

/** Undefined when it is empty. */
export const filled = (text: string | undefined): string | undefined => (text === "" ? undefined : text);

/** ISO 8601 in UTC with seven digits of a second. */
export const compatTime = (timestamp: Timestamp | undefined): string | undefined =>
  timestamp && moment.write(timestamp);

export const flagText = (flag: boolean): string => (flag ? "true" : "false");

export const numberText = (value: number | bigint): string => String(value);
