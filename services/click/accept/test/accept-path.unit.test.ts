import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { createKeyHasher } from "../../vault/subject-vault.ts";

describe("createKeyHasher", () => {
  const hasher = createKeyHasher(() => randomBytes(32));

  test("equal keys hash equally within an organization only", () => {
    expect(hasher.idempotencyHash("org-1", "key")).toEqual(hasher.idempotencyHash("org-1", "key"));
    expect(hasher.idempotencyHash("org-1", "key")).not.toEqual(hasher.idempotencyHash("org-2", "key"));
    expect(hasher.idempotencyHash("org-1", "key")).not.toEqual(
      createKeyHasher(() => randomBytes(32)).idempotencyHash("org-1", "key"),
    );
  });
  test("a key and a body of the same bytes hash differently", () => {
    expect(hasher.idempotencyHash("org-1", "{}")).not.toEqual(hasher.bodyHash("org-1", Buffer.from("{}")));
  });
  test("refuses a master key of another length", () => {
    expect(() => createKeyHasher(() => randomBytes(31)).userKey("org-1", "ann")).toThrow("32 bytes");
  });
});
