import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { parseAllDocuments } from "yaml";
import { comparisonOf } from "../../bench/report.ts";
import { coresOf, limitsAt, loads, scalingFile, scalingPage, works } from "../../bench/scaling.ts";
import { deployFolder } from "./support/manifests.ts";

test("docs/scaling.md has the tables that are computed now", () => {
  const page = readFileSync(scalingFile, "utf8");
  expect(scalingPage(page)).toBe(page);
});

test("ten times the load takes ten times the cores, and more of every limit", () => {
  expect(coresOf("postgres", 10)).toBeCloseTo(10 * coresOf("postgres", 1));
  for (const [index, load] of loads.entries()) {
    const before = limitsAt(loads[index - 1] ?? 0);
    for (const { name, used } of limitsAt(load)) {
      expect(used).toBeGreaterThan(before.find((limit) => limit.name === name)?.used ?? 0);
    }
  }
});

test("an acceptance costs what the results of the benchmark say", () => {
  const file = join(import.meta.dirname, "../../bench/results/2026-11-24T12-47-48.json");
  const { figures } = JSON.parse(readFileSync(file, "utf8")) as {
    figures: { id: string; cpuMs?: Record<string, number> }[];
  };
  const measured = figures.find(({ id }) => id === "P1")?.cpuMs ?? {};
  for (const [part, ms] of Object.entries(works[0]?.cpuMs ?? {})) expect(ms).toBeCloseTo(measured[part] ?? 0, 3);
});

test("the pods that there may be are those of the autoscalers", () => {
  const file = join(deployFolder, "k8s/components/availability/autoscalers.yaml");
  const names = limitsAt(1).map(({ name }) => name);
  for (const { metadata, spec } of parseAllDocuments(readFileSync(file, "utf8")).map((one) => one.toJS())) {
    const most = metadata.name === "webhooks" ? 12 : spec.maxReplicas;
    expect(names).toContain(`pods of ${metadata.name} (${most})`);
  }
});

test("two commits are compared pair by pair", () => {
  const pairs = [2, 8, 3].map((ms) => [{ ms }, { ms: 4 }] as const);
  expect(comparisonOf("P1", pairs)).toEqual([{ id: "P1", what: "ms", here: 3, there: 4, ratios: [0.5, 0.75, 2] }]);
});
