import { verifierKey } from "#platform/transparency/signed-note.ts";
import { logOrigin } from "../log/leaf.ts";
import { neverSigns } from "./key-schedule.ts";
import { rawPublicKey } from "./sealed-key.ts";
import type { SigningKey } from "./signing-keys.ts";

/** C2SP signed-note verifier keys of these logs: one of each for every key that logs were or will be signed with. */
export const logVerifierKeys = (keys: readonly SigningKey[], issuer: string, logIds: readonly string[]): string[] =>
  logIds.flatMap((id) =>
    keys.filter((key) => !neverSigns(keys, key)).map((key) => verifierKey(logOrigin(issuer, id), rawPublicKey(key))),
  );
