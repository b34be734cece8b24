import { describe, expect, test } from "@jest/globals";
import { answerValidMs, settleChanges } from "../rpc/resolve-templates.ts";

describe("settleChanges", () => {
  const waits: number[] = [];
  const wait = async (ms: number) => {
    waits.push(ms);
  };
  const call = async (name: string, handler: () => Promise<unknown>): Promise<unknown> => {
    waits.length = 0;
    const settled = settleChanges({ [name]: handler }, wait) as Record<string, () => Promise<unknown>>;
    return settled[name]?.();
  };

  test("a change is answered after every earlier answer has run out", async () => {
    for (const change of ["publishVersion", "updateTemplate"]) {
      expect(await call(change, async () => "changed")).toBe("changed");
      expect(waits).toHaveLength(1);
      expect(waits[0]).toBeGreaterThan(answerValidMs);
    }
  });

  test("reads and additions do not wait", async () => {
    for (const name of ["getTemplate", "listVersions", "resolveTemplates", "createTemplate", "createVersion"]) {
      expect(await call(name, async () => "answer")).toBe("answer");
      expect(waits).toEqual([]);
    }
  });

  test("a refused change does not wait", async () => {
    await expect(
      call("publishVersion", async () => {
        throw new Error("refused");
      }),
    ).rejects.toThrow("refused");
    expect(waits).toEqual([]);
  });
});
