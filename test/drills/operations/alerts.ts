import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import type { ManagedProcess } from "../../../dev/distributed.ts";

/** What all processes have told at one moment: values by series as Prometheus would keep them. */
export interface Scrape {
  /** In milliseconds. */
  readonly at: number;
  readonly values: ReadonlyMap<string, number>;
}

/** Two scrapes of the time before a fault, and those while it lasted. */
export interface Observed {
  readonly before: readonly [Scrape, Scrape];
  readonly during: readonly Scrape[];
}

const alertsFile = join(import.meta.dirname, "../../../deploy/k8s/components/monitoring/alerts.yaml");
/** In minutes. Longer than the longest time that an alert waits before it is told. */
const quiet = 30;
const lasting = 75;

/** Asks every process as Prometheus does; whoever does not answer is not up. */
export async function scrape(processes: readonly ManagedProcess[]): Promise<Scrape> {
  const at = Date.now();
  const values = new Map<string, number>();
  await Promise.all(
    processes.map(async ({ name, env }) => {
      const labels = `namespace="assent",installation="drill",service_name="${name.replace(/-\d+$/, "")}",pod="${name}"`;
      const url = `http://127.0.0.1:${env.ADMIN_PORT}/metrics`;
      const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
      values.set(`up{${labels}}`, answer?.ok ? 1 : 0);
      const text = (await answer?.text().catch(() => "")) ?? "";
      for (const [, metric = "", own, value] of text.matchAll(/^(assent_\w+)(?:\{(.*)\})? (\S+)$/gm)) {
        const number = Number(value);
        if (Number.isFinite(number)) values.set(`${metric}{${labels}${own ? `,${own}` : ""}}`, number);
      }
    }),
  );
  return { at, values };
}

/**
 * A series as promtool takes it, a value a minute: half an hour as it was before, then each scrape of the fault, then more
 * than an hour as it was at the end of it. What counts grows as quickly as it did, and ends are as far away as they were.
 */
export function courseOf(series: string, { before, during }: Observed): string {
  const last = during.at(-1) ?? before[1];
  const scrapes = [...before, ...during];
  if (/^[^{]*_(total|count|sum|bucket)\{/.test(series)) return countedCourse(series, scrapes);
  const isEnd = /_timestamp_seconds\{/.test(series);
  const told = (scrape: Scrape, minute: number): string => {
    const value = scrape.values.get(series);
    if (value === undefined) return "stale";
    return String(isEnd ? value - scrape.at / 1_000 + minute * 60 : value);
  };
  return [
    ...Array.from({ length: quiet }, () => told(before[0], quiet)),
    ...during.map((one, n) => told(one, quiet + n)),
    ...Array.from({ length: lasting }, () => told(last, quiet + during.length)),
  ].join(" ");
}

function countedCourse(series: string, scrapes: readonly Scrape[]): string {
  const perMinute = scrapes.slice(1).map((scrape, n) => growth(series, scrapes[n] as Scrape, scrape));
  const [first = 0, ...rates] = perMinute;
  const lastingRate = rates.reduce((sum, rate) => sum + rate, 0) / Math.max(1, rates.length);
  let value = scrapes[0]?.values.get(series) ?? 0;
  const steps = [...Array<number>(quiet).fill(first), ...rates, ...Array<number>(lasting).fill(lastingRate)];
  const told = steps.map((step) => {
    value += step;
    return String(value);
  });
  return told.join(" ");
}

/** A process that was started again counts from 0. */
function growth(series: string, from: Scrape, to: Scrape): number {
  const [one, other] = [from.values.get(series) ?? 0, to.values.get(series)];
  if (other === undefined) return 0;
  return ((other >= one ? other - one : other) * 60_000) / Math.max(1, to.at - from.at);
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
}

/** Lets Prometheus' own engine run the rules as they are shipped over what was seen; which alerts do not do as they should. */
export function alertProblems(alerts: readonly string[], observed: Observed): string[] {
  if (alerts.length === 0) return [];
  const { groups } = parse(readFileSync(alertsFile, "utf8")).spec as { groups: { rules: Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules.filter(({ alert }) => alerts.includes(alert)));
  const names = new Set(rules.flatMap(({ expr }) => expr.match(/\b(assent_\w+|up)\b/g) ?? []));
  const seen = new Set([...observed.before, ...observed.during].flatMap(({ values }) => [...values.keys()]));
  const series = [...seen].filter((one) => names.has(one.slice(0, one.indexOf("{"))));
  const end = quiet + observed.during.length + lasting - 1;
  const asked = alerts.flatMap((alert) => {
    const expr = `group(ALERTS{alertstate="firing",alertname="${alert}"})`;
    return [
      { expr, eval_time: `${quiet - 1}m`, exp_samples: [] },
      { expr, eval_time: `${end}m`, exp_samples: [{ labels: "{}", value: 1 }] },
    ];
  });
  const folder = mkdtempSync(join(tmpdir(), "assent-alerts-"));
  try {
    writeFileSync(join(folder, "rules.yaml"), JSON.stringify({ groups: [{ name: "drill", rules }] }));
    const input = series.map((one) => ({ series: one, values: courseOf(one, observed) }));
    const tests = [{ interval: "1m", input_series: input, promql_expr_test: asked }];
    const file = join(folder, "tests.yaml");
    writeFileSync(file, JSON.stringify({ rule_files: ["rules.yaml"], evaluation_interval: "1m", tests }));
    const { error, status, stdout, stderr } = spawnSync("promtool", ["test", "rules", file], { encoding: "utf8" });
    if (error !== undefined) return ["there is no promtool to run the alerts: it is part of Prometheus"];
    if (status === 0) return [];
    const failed = [...`${stdout}${stderr}`.matchAll(/alertname=\\*"(\w+)\\*".*?time: (\w+)/g)];
    if (failed.length === 0) return [`promtool: ${stdout}${stderr}`.slice(0, 1_000)];
    return failed.map(
      ([, alert, time]) =>
        `${alert} ${time === `${quiet - 1}m0s` || time === `${quiet - 1}m` ? "fired before the fault" : "did not fire"}`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
