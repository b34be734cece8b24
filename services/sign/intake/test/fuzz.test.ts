import { randomInt } from "node:crypto";
import { expect, test } from "@jest/globals";
import { checkDamagedFiles } from "./fuzzed-pdfs.ts";
import { startIntake } from "./start-intake.ts";

const seeds = 500;

test("damaged PDFs are taken or refused, nothing else, and what is taken can be filled and saved", async () => {
  const firstSeed = randomInt(1_000_000_000);
  const intake = startIntake();
  try {
    await checkDamagedFiles(intake, firstSeed, 30);
    const before = process.memoryUsage().rss;
    const { taken, refused } = await checkDamagedFiles(intake, firstSeed + 30, seeds);
    expect(taken).toBeGreaterThan(10);
    expect(refused).toBeGreaterThan(10);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  } catch (error) {
    throw new Error(`the first seed was ${firstSeed}`, { cause: error });
  } finally {
    await intake.close();
  }
});
