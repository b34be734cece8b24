import { afterAll, describe, expect, test } from "@jest/globals";
import { createLogger } from "#platform/logger.ts";
import { isOutage } from "#platform/outage.ts";
import { createTemplateChecker } from "../templating/template-checker.ts";

const logger = createLogger("docgen", "silent");
const checker = createTemplateChecker({ logger, waitMs: 20_000, deadlineMs: 20_000 });
const hasty = createTemplateChecker({ logger, waitMs: 20_000, deadlineMs: 1 });

afterAll(async () => {
  await Promise.all([checker.close(), hasty.close()]);
});

describe("createTemplateChecker", () => {
  test("checks templates in threads", async () => {
    const checked = await checker.check({ format: "html", content: "<p>\n{{ a | nope }}</p>" }, "a");
    expect(checked.findings).toEqual([expect.objectContaining({ code: "unknown_filter", line: 2, column: 8 })]);
  });

  test("checks data once the template has no findings", async () => {
    const source = { format: "markdown", content: '{{ price | money: "EUR" }}' } as const;
    expect((await checker.checkWithData(source, { price: 1 }, "a")).findings).toEqual([]);
    const { findings, schema } = await checker.checkWithData(source, {}, "a");
    expect(findings).toEqual([expect.objectContaining({ code: "required", path: "/price", expected: "number" })]);
    expect(schema).toMatchObject({ required: ["price"] });
    const broken = await checker.checkWithData({ ...source, content: "{% x %}" }, {}, "a");
    expect(broken.findings).toEqual([expect.objectContaining({ code: "unknown_tag" })]);
  });

  test("refuses what takes too long to check", async () => {
    const content = "*a **b `c\n> - ".repeat(20_000);
    await expect(hasty.check({ format: "markdown", content }, "a")).rejects.toMatchObject({
      code: "GEN_INVALID_REQUEST",
      details: [expect.objectContaining({ field: "content", code: "TOO_COMPLEX" })],
    });
  });

  test("goes on for others, however many slow templates an organization checks at once", async () => {
    const content = "*a **b `c\n> - ".repeat(20_000);
    const fair = createTemplateChecker({ logger, waitMs: 60_000, deadlineMs: 20_000 });
    let ended = 0;
    const slow = Array.from({ length: 4 }, () =>
      fair.check({ format: "markdown", content }, "a").catch(() => {
        ended += 1;
      }),
    );
    const { findings } = await fair.check({ format: "html", content: "<p>x</p>" }, "b");
    expect([findings, ended]).toEqual([[], 0]);
    await fair.close();
    await Promise.all(slow);
  });

  test("goes on for others, however many organizations have slow templates once they are known for it", async () => {
    const content = "*a **b `c\n> - ".repeat(20_000);
    const fair = createTemplateChecker({ logger, waitMs: 60_000, deadlineMs: 2_500 });
    const hold = (orgId: string) => fair.check({ format: "markdown", content }, orgId).catch(() => undefined);
    await Promise.all([hold("a"), hold("b"), hold("c")]);
    let ended = 0;
    const slow = ["a", "b", "c", "a", "b", "c"].map((orgId) => hold(orgId).then(() => (ended += 1)));
    const { findings } = await fair.check({ format: "html", content: "<p>x</p>" }, "d");
    expect([findings, ended]).toEqual([[], 0]);
    await Promise.all(slow);
    await fair.close();
  });

  test("is unavailable once it is closed", async () => {
    const closed = createTemplateChecker({ logger });
    await closed.close();
    expect(await closed.check({ format: "html", content: "" }, "a").catch(isOutage)).toBe(true);
  });
});
