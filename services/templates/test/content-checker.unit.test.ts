import { describe, expect, test } from "@jest/globals";
import { createLogger } from "#platform/logger.ts";
import { WorkerPoolError } from "#platform/worker-pool.ts";
import { createContentChecker, createReportCache, maxInline } from "../content-check/content-checker.ts";
import { checkContent } from "../domain/content-rules/check-content.ts";
import type { ContentReport, ContentSubject } from "../domain/content-rules/report.ts";

const logger = createLogger("templates", "silent");

/** A checker whose worker threads are the given function. */
function createChecker(run: (subject: ContentSubject) => Promise<ContentReport>) {
  let now = 0;
  const sent: ContentSubject[] = [];
  const pool = {
    run: (subject: ContentSubject) => {
      sent.push(subject);
      return run(subject);
    },
  };
  const checker = createContentChecker({ pool, clock: { now: () => new Date(now) }, logger });
  return {
    check: checker.check,
    sent,
    advance: (ms: number) => {
      now += ms;
    },
  };
}

const elsewhere = async (subject: ContentSubject) => checkContent(subject);
const subjectOf = (content: string, more: Partial<ContentSubject> = {}): ContentSubject => ({
  ...{ type: "STATIC", format: "HTML", content },
  ...more,
});
const formats = ["HTML", "MARKDOWN", "TEXT"] as const;

describe("check", () => {
  test.each(formats)("checks short %s itself and everything longer in a worker thread", async (format) => {
    const { check, sent } = createChecker(elsewhere);
    const short = subjectOf("a".repeat(maxInline[format]), { format });
    const long = subjectOf(`${short.content}a`, { format });
    expect(await check(short)).toEqual({ kind: "report", report: checkContent(short) });
    expect(sent).toEqual([]);
    expect(await check(long)).toEqual({ kind: "report", report: checkContent(long) });
    expect(sent).toEqual([long]);
  });

  test("lets others have the event loop before each check", async () => {
    const { check } = createChecker(elsewhere);
    let others = 0;
    const timer = setInterval(() => {
      others += 1;
    }, 0);
    for (let index = 0; index < 200; index += 1) await check(subjectOf(`${index} <p>`.repeat(500)));
    clearInterval(timer);
    expect(others).toBeGreaterThan(10);
  });

  test("checks each content once, also when it is asked for at the same time", async () => {
    const { check, sent } = createChecker(elsewhere);
    const subject = subjectOf("a".repeat(10_000));
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => check({ ...subject })));
    outcomes.push(await check({ ...subject }));
    expect(sent).toHaveLength(1);
    for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
  });

  test("knows everything that the report depends on", async () => {
    const { check, sent } = createChecker(elsewhere);
    const publication = { locale: "en", texts: {}, typeConfig: { variables: [] } };
    const content = "a".repeat(10_000);
    const subjects = [
      subjectOf(content),
      subjectOf(`${content}b`),
      subjectOf(content, { type: "GENERATED" }),
      subjectOf(content, { format: "TEXT" }),
      subjectOf(content, { publication }),
      subjectOf(content, { publication: { ...publication, locale: "de" } }),
      subjectOf(content, { publication: { ...publication, texts: { consentText: "a", buttonText: "b" } } }),
      subjectOf(content, { publication: { ...publication, texts: { consentText: "b", buttonText: "a" } } }),
      subjectOf(content, {
        publication: { ...publication, typeConfig: { variables: [{ key: "a", required: true }] } },
      }),
    ];
    for (const subject of [...subjects, ...subjects]) await check(subject);
    expect(sent).toEqual(subjects);
  });

  test.each(["DEADLINE", "DIED"] as const)(
    "a content whose check ends with %s is too complex for five minutes",
    async (failure) => {
      const { check, sent, advance } = createChecker(() => Promise.reject(new WorkerPoolError(failure)));
      const subject = subjectOf("a".repeat(10_000));
      expect(await check(subject)).toEqual({ kind: "tooComplex" });
      advance(299_999);
      expect(await check(subject)).toEqual({ kind: "tooComplex" });
      expect(sent).toHaveLength(1);
      advance(2);
      await check(subject);
      expect(sent).toHaveLength(2);
    },
  );

  test.each(["BUSY", "CLOSED"] as const)("a check that ends with %s may be tried again at once", async (failure) => {
    const { check, sent } = createChecker(() => Promise.reject(new WorkerPoolError(failure)));
    const subject = subjectOf("a".repeat(10_000));
    expect(await check(subject)).toEqual({ kind: "busy" });
    expect(await check(subject)).toEqual({ kind: "busy" });
    expect(sent).toHaveLength(2);
  });

  test("a defect of the rules is not hidden", async () => {
    const { check } = createChecker(() => Promise.reject(new WorkerPoolError("FAILED")));
    await expect(check(subjectOf("a".repeat(10_000)))).rejects.toThrow("FAILED");
  });
});

describe("createReportCache", () => {
  const clock = { now: () => new Date(0) };
  const report = (findings: number): ContentReport => {
    const { errors } = checkContent({ type: "STATIC", format: "TEXT", content: "\u0000".repeat(findings) });
    return { valid: findings === 0, errors, warnings: [] };
  };

  test("forgets what was not asked for the longest time, by weight", () => {
    const cache = createReportCache({ maxWeight: 12, clock });
    cache.setReport("a", report(3));
    cache.setReport("b", report(3));
    cache.setReport("c", report(3));
    expect(cache.get("a")).toMatchObject({ kind: "report" });
    cache.setReport("d", report(3));
    expect(["a", "b", "c", "d"].filter((key) => cache.get(key) !== undefined)).toEqual(["a", "c", "d"]);
  });

  test("does not keep what weighs too much", () => {
    const cache = createReportCache({ maxWeight: 12, clock });
    cache.setReport("a", report(3));
    cache.setReport("b", report(20));
    expect(cache.get("b")).toBeUndefined();
    cache.setReport("c", report(3));
    expect(cache.get("c")).toBeDefined();
  });

  test("counts what is set again once", () => {
    const cache = createReportCache({ maxWeight: 8, clock });
    for (let index = 0; index < 10; index += 1) cache.setReport("a", report(3));
    cache.setReport("b", report(3));
    expect([cache.get("a"), cache.get("b")]).not.toContain(undefined);
  });
});
