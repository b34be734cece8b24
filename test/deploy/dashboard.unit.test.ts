import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { createMetrics } from "#platform/metrics.ts";
import { deployFolder, type Manifest } from "./support/manifests.ts";

const dashboard: Manifest = JSON.parse(readFileSync(join(deployFolder, "grafana/assent.json"), "utf8"));
const rules: Manifest = parse(readFileSync(join(deployFolder, "k8s/components/monitoring/alerts.yaml"), "utf8"));

const charts: Manifest[] = dashboard.panels.filter(({ type }: Manifest) => type !== "row");
const shown: string[] = charts.flatMap(({ targets }) => targets.map(({ expr }: Manifest) => expr));
const watched: string[] = rules.spec.groups.flatMap((group: Manifest) => group.rules.map(({ expr }: Manifest) => expr));

/** Of Prometheus itself, and of what measures Kubernetes, its volumes and CloudNativePG: boards of their own show these. */
const isOfOthers = (name: string): boolean => /^(up$|kube_|kubelet_|cnpg_|barman_cloud_)/.test(name);

/** Every name under which a metric of ours is stored: histograms have three. */
async function storedNames(): Promise<Set<string>> {
  const { registry } = createMetrics();
  const metrics = await registry.getMetricsAsJSON();
  return new Set(
    metrics.flatMap(({ name, type }) =>
      String(type) === "histogram" || String(type) === "summary"
        ? [`${name}_bucket`, `${name}_count`, `${name}_sum`]
        : [name],
    ),
  );
}

/** Labels and texts stand in braces and parentheses after `by`; what is left in lower case are metrics and functions. */
const namesIn = (expression: string): string[] =>
  expression
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]|\b(by|on) \([^)]*\)/g, "")
    .match(/\b[a-z][a-z0-9_]*\b(?!\s*\()/g)
    ?.filter((name) => !["and", "or", "unless", "offset"].includes(name)) ?? [];

describe("the dashboard and the alerts", () => {
  test.each([
    ["dashboard", shown],
    ["alerts", watched],
  ])("of the %s name only what is measured", async (_of, expressions) => {
    const known = await storedNames();
    const names = expressions.flatMap(namesIn);
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => !known.has(name) && !isOfOthers(name))).toEqual([]);
  });

  test("leave none of our metrics out of the dashboard", () => {
    const text = shown.join("\n");
    const ours = createMetrics()
      .registry.getMetricsAsArray()
      .map(({ name }) => name)
      .filter((name) => name.startsWith("assent_"));
    expect(ours.filter((name) => !text.includes(name))).toEqual([]);
    for (const expression of watched) {
      for (const name of namesIn(expression).filter((one) => !isOfOthers(one)))
        expect(`${name} ${text.includes(name)}`).toBe(`${name} true`);
    }
  });

  test("the dashboard is what Grafana takes: panels with ids of their own that do not overlap, and every query with its source", () => {
    expect(dashboard).toMatchObject({ uid: "assent", title: expect.any(String), schemaVersion: 39 });
    const ids = dashboard.panels.map(({ id }: Manifest) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }: Manifest) => {
      expect(x + w).toBeLessThanOrEqual(24);
      return Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`);
    });
    expect(new Set(cells).size).toBe(cells.length);
    const variables = dashboard.templating.list.map(({ name }: Manifest) => name);
    expect(variables).toEqual(["datasource", "installation"]);
    // One installation or all of them.
    const anywhere = shown.flatMap(
      (expr) => expr.match(/\b(assent|nodejs|process)_\w+(?!\w*\{installation=~)\b(?!\{)/g) ?? [],
    );
    expect(anywhere).toEqual([]);
    for (const { title, type, targets, fieldConfig } of charts) {
      expect([title, type, typeof fieldConfig.defaults.unit]).toEqual([expect.any(String), "timeseries", "string"]);
      for (const { datasource, legendFormat } of targets) {
        expect([datasource.uid, typeof legendFormat]).toEqual([`$\{datasource}`, "string"]);
      }
    }
  });
});
