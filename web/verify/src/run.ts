import type { Json } from "./json.ts";
import type { KeyRing } from "./keys.ts";
import { isAcceptance, isCompletion, type LogRecord } from "./records.ts";

/** What checks look at. */
export interface Run {
  readonly bundle: Json;
  readonly keys: KeyRing;
  readonly records: readonly LogRecord[];
}

/** The record that the bundle is about: the last acceptance, or for want of one the completion of the session. */
export const mainRecord = ({ records }: Run): LogRecord | undefined =>
  records.filter(isAcceptance).at(-1) ?? records.filter(isCompletion).at(-1);
