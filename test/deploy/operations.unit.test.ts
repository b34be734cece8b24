import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse, parseAllDocuments } from "yaml";
import { settingsOfPrograms } from "../../dev/programs.ts";
import { deployFolder } from "./support/manifests.ts";

const page = readFileSync(join(deployFolder, "../docs/operations.md"), "utf8");
const component = (name: string): string => readFileSync(join(deployFolder, "k8s/components", name), "utf8");

interface Rule {
  readonly alert: string;
  readonly annotations: { readonly runbook: string };
}
const rules: readonly Rule[] = parse(component("monitoring/alerts.yaml")).spec.groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
);
const [, runbooks = ""] = page.split("\n# Runbooks\n");

describe("runbooks", () => {
  test("every alert has its section, in order, and no section is without an alert", () => {
    const sections = [...runbooks.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(sections).toEqual(rules.map(({ alert }) => alert));
  });

  test("an alert names the place of its section, which says what to do", () => {
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook).toBe(`docs/operations.md#${alert.toLowerCase()}`);
      const [, section = ""] = runbooks.split(`## ${alert}\n`);
      const [text = ""] = section.split("\n## ");
      for (const part of ["**Meaning**", "**Likely causes:**", "**Look at:**", "**Do:**"]) expect(text).toContain(part);
    }
  });
});

describe("connections", () => {
  const rows = [...page.matchAll(/^\| (\w+) \| (\d+) \| (\d+) \| (\d+) \|$/gm)].map(([, name, ...numbers]) => ({
    name,
    numbers: numbers.map(Number),
  }));
  const scalers = parseAllDocuments(component("availability/autoscalers.yaml")).map((one) => one.toJS());
  const fixed: { name: string; count: number }[] = parse(component("availability/kustomization.yaml")).replicas;
  const keda = parse(component("keda/webhooks.yaml")).spec.maxReplicaCount;
  const mostPods = (name: string): number | undefined =>
    name === "webhooks"
      ? keda
      : (scalers.find(({ metadata }) => metadata.name === name)?.spec.maxReplicas ??
        fixed.find((one) => one.name === name)?.count);

  test("the table says how many each process takes, in as many pods as there may be", () => {
    const expected = settingsOfPrograms.map(({ title, settings }) => {
      const [size, pods] = [Number(settings.DATABASE_POOL_SIZE?.fallback), mostPods(title) ?? 0];
      return { name: title, numbers: [size, pods, size * pods] };
    });
    const byName = (one: { name?: string | undefined }, other: { name?: string | undefined }): number =>
      (one.name ?? "").localeCompare(other.name ?? "");
    expect(rows.toSorted(byName)).toEqual(expected.toSorted(byName));
  });

  test("the sum, one more pod of each included, fits into what the database takes", () => {
    const surge = rows.reduce((sum, { numbers: [size = 0] }) => sum + size, 0);
    const sum = rows.reduce((total, { numbers: [, , product = 0] }) => total + product, surge);
    expect(page).toContain(`| one more pod of each during a rollout | | | ${surge} |\n| all | | | ${sum} |`);
    const most = Number(parse(component("postgres-cnpg/cluster.yaml")).spec.postgresql.parameters.max_connections);
    expect(page).toContain(`\`max_connections\` is ${most}`);
    expect(most - sum).toBeGreaterThan(50);
  });
});

test("every setting that is required or secret has its value for production", () => {
  const named = settingsOfPrograms.flatMap(({ settings }) =>
    Object.entries(settings).flatMap(([name, { fallback, secret }]) =>
      fallback === undefined || secret ? [name] : [],
    ),
  );
  // Where the services are is the same everywhere and stands in the manifests.
  const missing = [...new Set(named)].filter((name) => !name.endsWith("_TARGET") && !page.includes(`\`${name}\``));
  expect(missing).toEqual([]);
});
