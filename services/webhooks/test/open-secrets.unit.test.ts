import { randomBytes } from "node:crypto";
import { expect, test } from "@jest/globals";
import type { OrgId } from "#platform/ids.ts";
import type { KeyRing } from "#platform/secrets.ts";
import { openSecrets } from "../deliveries/attempt.ts";
import { endpointSecretsKeys, newSecret, openSecret, sealSecret } from "../domain/seal-secret.ts";

const [orgId, id] = ["01a1ff48-1bfb-748e-9f2b-1db5352627b9" as OrgId, "01a1ff48-9b8c-7035-9063-5a3c6f3528fc"];
const newKey = (): KeyRing => endpointSecretsKeys([randomBytes(32)]);
const now = new Date("2026-11-21T12:00:00Z");
const tomorrow = new Date("2026-11-22T12:00:00Z");

test("for a day after a rotation both secrets sign, then the new one alone", () => {
  const key = newKey();
  const [current, previous] = [newSecret(), newSecret()];
  const sealed = { current: sealSecret(key, orgId, id, current), previous: sealSecret(key, orgId, id, previous) };
  const open = (one: Buffer): Buffer => openSecret(key, orgId, id, one);
  expect(openSecrets({ ...sealed, previousUntil: tomorrow }, now, open)).toEqual([current, previous]);
  expect(openSecrets({ ...sealed, previousUntil: now }, now, open)).toEqual([current]);
  expect(openSecrets(undefined, now, open)).toEqual([]);
});

test("what a master key that is gone had sealed holds nothing up once the secret is rotated", () => {
  const [lost, key] = [newKey(), newKey()];
  const [current, previous] = [newSecret(), newSecret()];
  const open = (one: Buffer): Buffer => openSecret(key, orgId, id, one);
  const before = sealSecret(lost, orgId, id, previous);
  const rotated = { current: sealSecret(key, orgId, id, current), previous: before, previousUntil: tomorrow };
  expect(openSecrets(rotated, now, open)).toEqual([current]);
  // Nothing is sent unsigned.
  expect(() => openSecrets({ current: before, previous: undefined, previousUntil: undefined }, now, open)).toThrow();
});
