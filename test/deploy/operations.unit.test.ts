import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse, parseAllDocuments } from "yaml";
import { settingsOfPrograms } from "../../dev/programs.ts";
import { type Fault, faults, type Series } from "./support/alert-faults.ts";
import { deployFolder } from "./support/manifests.ts";

const page = readFileSync(join(deployFolder, "../docs/operations.md"), "utf8");
const component = (name: string): string => readFileSync(join(deployFolder, "k8s/components", name), "utf8");

interface Rule {
  readonly alert: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}
const { groups } = parse(component("monitoring/alerts.yaml")).spec;
const rules: readonly Rule[] = groups.flatMap((group: { rules: Rule[] }) => group.rules);
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

test("it is said of every secret how it is changed while the processes run, and what happens meanwhile", () => {
  const [, section = ""] = page.split("\n## Keys\n");
  const rows = section.split("\n## ")[0]?.match(/^\| .+ \| .+ \| .+ \|$/gm) ?? [];
  const secrets = settingsOfPrograms.flatMap(({ settings }) =>
    Object.entries(settings).flatMap(([name, { secret }]) => (secret ? [name] : [])),
  );
  for (const name of new Set(secrets)) {
    expect([name, rows.some((row) => row.split(" | ")[0]?.includes(`\`${name}\``))]).toEqual([name, true]);
  }
});

describe("alerts, by Prometheus itself", () => {
  test("a fault for each is told, with what stands in its summary, and what is no fault is not", () => {
    const found = spawnSync("promtool", ["--version"], { encoding: "utf8" });
    if (found.error !== undefined) {
      if (process.env.CI === "true") throw new Error("promtool is needed to test the alerts: it is part of Prometheus");
      process.stderr.write("not tested: the alerts, since there is no promtool\n");
      return;
    }
    expect(faults.map(({ alert }) => alert)).toEqual(rules.map(({ alert }) => alert));
    const folder = mkdtempSync(join(tmpdir(), "assent-alerts-"));
    try {
      // What Prometheus reads is what the operator makes of the rules; YAML takes JSON.
      const promtool = (command: readonly string[], files: Readonly<Record<string, unknown>>) => {
        for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(content));
        return spawnSync("promtool", [...command, ...Object.keys(files)], { cwd: folder, encoding: "utf8" });
      };
      const whole = promtool(["check", "rules"], { "rules.yaml": { groups } });
      expect([whole.status, whole.stdout]).toEqual([
        0,
        expect.stringContaining(`SUCCESS: ${rules.length} rules found`),
      ]);
      // Every rule of a file is asked in every minute: each alert has a file with its own alone.
      const ownGroup = (alert: string) =>
        groups
          .map((group: { rules: Rule[] }) => ({ ...group, rules: group.rules.filter((one) => one.alert === alert) }))
          .filter(({ rules: own }: { rules: Rule[] }) => own.length > 0);
      const ownRules = faults.map(({ alert }) => [`${alert}.rules.yaml`, { groups: ownGroup(alert) }] as const);
      expect(promtool(["check", "rules"], Object.fromEntries(ownRules)).status).toBe(0);
      const tests = faults.map((fault) => {
        const courses = [fault.told, ...(fault.alsoTold ?? []), ...fault.silent];
        const cases = courses.map((of) => testOf(fault, of));
        return [`${fault.alert}.yaml`, { rule_files: [`${fault.alert}.rules.yaml`], tests: cases }] as const;
      });
      const run = promtool(["test", "rules"], Object.fromEntries(tests));
      expect(`${run.stdout}${run.stderr}`.match(/SUCCESS/g)).toHaveLength(faults.length);
      expect(run.status).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("the stream of events is told of before NATS takes no more", () => {
    expect(component("nats/settings.yaml")).toContain("max_file_store: 18Gi");
    expect(component("monitoring/alerts.yaml")).toContain("14 * 1024 * 1024 * 1024");
  });

  function testOf({ alert, after, labels }: Fault, series: Series) {
    const rule = rules.find((one) => one.alert === alert) as Rule;
    const isTold = faults.some(({ told, alsoTold = [] }) => [told, ...alsoTold].includes(series));
    const summary = rule.annotations.summary.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, name) => labels[name] ?? "");
    const told = {
      exp_labels: { ...labels, severity: rule.labels.severity },
      exp_annotations: { ...rule.annotations, summary },
    };
    return {
      name: `${alert} ${isTold ? "is told" : "is silent"}`,
      interval: "1m",
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      alert_rule_test: [{ eval_time: after, alertname: alert, exp_alerts: isTold ? [told] : [] }],
    };
  }
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
    const connected = settingsOfPrograms.filter(({ settings }) => "DATABASE_URL" in settings);
    const expected = connected.map(({ title, settings }) => {
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

test("pods request the memory that was measured, and the table says what the manifests do", () => {
  const rows = [...page.matchAll(/^\| (\w+) \| (\d+) \| (\d+|–) \| (\d+) \| (\w+) \| (\w+) \|$/gm)];
  // The converter is a component: what it takes stands with it.
  expect(rows).toHaveLength(settingsOfPrograms.filter(({ title }) => title !== "convert").length);
  for (const [, name = "", rest, own = "", used, request, limit] of rows) {
    const manifest = readFileSync(join(deployFolder, `k8s/base/${name}/deployment.yaml`), "utf8");
    const { requests, limits } = parse(manifest).spec.template.spec.containers[0].resources;
    expect([name, requests.memory, limits.memory]).toEqual([name, request, limit]);
    const mebibytes = Math.max(Number(rest), Number(used)) + (own === "–" ? 0 : 2 * Number(own));
    expect(Number.parseInt(requests.memory, 10) * 1.048576).toBeGreaterThanOrEqual(mebibytes);
  }
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
