import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { isoTime } from "../scalars.ts";

/** A value of an answer: texts, and what is made of them. */
export type Written = string | readonly Written[] | { readonly [name: string]: Written };

/** The properties that there are. Absent ones are left out: clients read null as the text "null". */
export const present = (
  properties: Readonly<Record<string, Written | undefined>>,
): { readonly [name: string]: Written } =>
  Object.fromEntries(Object.entries(properties).filter((entry): entry is [string, Written] => entry[1] !== undefined));

/** Undefined when it is empty. */
export const filled = (text: string | undefined): string | undefined => (text === "" ? undefined : text);

/** ISO 8601 in UTC with seven digits of a second. */
export const compatTime = (timestamp: Timestamp | undefined): string | undefined =>
  isoTime(timestamp)?.replace("Z", "0000Z");

export const flagText = (flag: boolean): string => (flag ? "true" : "false");

export const numberText = (value: number | bigint): string => String(value);

/** A place on a page: without the noise of floating point. */
export const pointText = (value: number): string => String(Math.round(value * 100) / 100);
