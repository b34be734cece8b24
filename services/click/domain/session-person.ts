import type { JsonObject } from "@bufbuild/protobuf";

/** What is personal of a session. */
export interface SessionPerson {
  /** Null when the session was made for nobody in particular; then its acceptance tells who it was. */
  readonly userRef: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly returnUrl: string | null;
  readonly context: object | null;
  /** Merge values of a GENERATED template. */
  readonly data: JsonObject | null;
}

/** What a reader of a session may know of its person. */
export interface KnownPerson {
  readonly person: SessionPerson;
  /** Opens everything that belongs to the session; null when nothing of it may be read. */
  readonly seed: Buffer | null;
  readonly erased: boolean;
  readonly restricted: boolean;
}

export const nobody: SessionPerson = { userRef: null, metadata: {}, returnUrl: null, context: null, data: null };
