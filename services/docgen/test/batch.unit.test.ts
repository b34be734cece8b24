import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type BatchProgress, hasBatchEnded, itemsLeft, withEnded } from "../domain/batch.ts";

const none = { completed: 0, failed: 0, cancelled: 0 };
const batchOf = (total: number): BatchProgress => ({ total, ...none, status: "queued", cancelledAt: null });

describe("a batch", () => {
  test("runs from its first rendered item on and is completed with its last", () => {
    const first = withEnded(batchOf(2), { ...none, completed: 1 });
    expect(first).toMatchObject({ status: "running", completed: 1 });
    expect(withEnded(first, { ...none, completed: 1 })).toMatchObject({ status: "completed", completed: 2 });
  });

  test("has errors when an item failed or was deleted", () => {
    const first = withEnded(batchOf(2), { ...none, failed: 1 });
    expect(withEnded(first, { ...none, completed: 1 }).status).toBe("completed_with_errors");
    const second = withEnded(batchOf(2), { ...none, cancelled: 1 });
    expect(second.status).toBe("queued");
    expect(withEnded(second, { ...none, completed: 1 }).status).toBe("completed_with_errors");
    expect(withEnded(batchOf(3), { ...none, failed: 3 }).status).toBe("completed_with_errors");
  });

  test("is cancelled when it was cancelled, or when nothing else became of any item", () => {
    const cancelled = withEnded({ ...batchOf(3), cancelledAt: new Date() }, { ...none, cancelled: 2 });
    expect(cancelled.status).toBe("queued");
    expect(withEnded(cancelled, { ...none, completed: 1 }).status).toBe("cancelled");
    expect(withEnded(batchOf(3), { ...none, cancelled: 3 }).status).toBe("cancelled");
  });
});

test("counts add up and a batch ends with its last item, whatever the order", () => {
  const ends = fc.array(fc.constantFrom("completed", "failed", "cancelled"), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(ends, (names) => {
      let batch = batchOf(names.length);
      for (const [index, name] of names.entries()) {
        expect(hasBatchEnded(batch)).toBe(false);
        batch = withEnded(batch, { ...none, [name]: 1 });
        expect(itemsLeft(batch)).toBe(names.length - index - 1);
      }
      expect(hasBatchEnded(batch)).toBe(true);
    }),
  );
});
