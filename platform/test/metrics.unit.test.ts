import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, jest, test } from "@jest/globals";
import { watchCertificates } from "../gauges.ts";
import { createMetrics } from "../metrics.ts";
import { createAuthority } from "../rpc/test/certificates.ts";

describe("createMetrics", () => {
  test("counts for itself", async () => {
    const [one, other] = [createMetrics(), createMetrics()];

    one.outboxPublished.inc({ service: "click" });

    expect(await one.registry.metrics()).toContain('assent_outbox_published_total{service="click"} 1');
    expect(await other.registry.metrics()).not.toContain('assent_outbox_published_total{service="click"}');
  });

  test("says nothing of what nobody has read for long, and no 0 of what was never read", async () => {
    jest.useFakeTimers({ advanceTimers: true });
    try {
      const metrics = createMetrics();
      const shown = async () =>
        (await metrics.registry.metrics()).match(
          /^assent_(?!build_info|[a-z_]+_(?:total|count|sum|bucket)\b)[a-z_{].*$/gm,
        );
      expect(await shown()).toBeNull();
      metrics.outboxLagSeconds.set({ service: "click" }, 0);
      metrics.deadEvents.set({ consumer: "a" }, 0);
      metrics.consumerPending.set({ consumer: "a" }, 0);
      metrics.logLeavesWaiting.set(0);
      metrics.logOldestLeafSeconds.set(0);
      metrics.logsOverdue.set(0);
      metrics.signCompletingOldestSeconds.set(0);
      metrics.webhookWaiting.set(0);
      metrics.webhookOldestSeconds.set(0);
      expect(await shown()).toHaveLength(9);
      jest.advanceTimersByTime(21_000);
      expect(await shown()).toHaveLength(7);
      metrics.webhookWaiting.set(3);
      jest.advanceTimersByTime(25_000);
      expect(await shown()).toEqual(["assent_webhook_waiting 3"]);
    } finally {
      jest.useRealTimers();
    }
  });

  test("asks when somebody looks, adds up, and leaves out what does not answer in time or fails", async () => {
    const { poolInUse, poolSize, poolWaiting, registry } = createMetrics();
    let used = 1;
    poolInUse.ask({ service: "click" }, () => used);
    poolInUse.ask({ service: "click" }, () => used);
    poolSize.ask({ service: "click" }, () => Promise.reject(new Error("away")));
    poolWaiting.ask({ service: "click" }, () => new Promise(() => {}));
    expect(await registry.metrics()).toContain('assent_pool_in_use{service="click"} 2');
    used = 2;
    const text = await registry.metrics();
    expect(text).toContain('assent_pool_in_use{service="click"} 4');
    expect(text).not.toMatch(/^assent_pool_(size|waiting)\{/m);
  });

  test("has labels of few values alone, and none of an organization or a person", () => {
    const labels = createMetrics()
      .registry.getMetricsAsArray()
      .flatMap((metric) => (metric as unknown as { labelNames: string[] }).labelNames);
    const known = ["service", "method", "code", "route", "status", "consumer", "group", "log", "outcome", "reason"];
    const few = [...known, "statement", "certificate", "state", "version", "node", "le"];
    // Of the metrics of Node.js.
    const ofNode = ["space", "type", "kind", "major", "minor", "patch", "error_type"];
    expect([...new Set(labels)].filter((label) => ![...few, ...ofNode].includes(label))).toEqual([]);
  });

  test("tells when the first of the certificates ends, of files as they are by then", async () => {
    const metrics = createMetrics();
    const folder = mkdtempSync(join(tmpdir(), "assent-metrics-"));
    const path = join(folder, "cert.pem");
    const authority = createAuthority("test");
    const [one = "", other = ""] = [10, 20].map((day) => authority.issue("click", Date.now() + day * 86_400_000).cert);
    writeFileSync(path, `${other}${one}`);
    watchCertificates(metrics, { rpc: path, seal: other, grpc: "", rpc_authority: join(folder, "none.pem") });
    const ends = async () =>
      (await metrics.certificateEnd.get()).values.map(({ labels, value }) => [
        labels.certificate,
        Math.round((value * 1_000 - Date.now()) / 86_400_000),
      ]);
    expect(await ends()).toEqual([
      ["rpc", 10],
      ["seal", 20],
    ]);
    writeFileSync(path, other);
    expect(await ends()).toEqual([
      ["rpc", 20],
      ["seal", 20],
    ]);
    rmSync(folder, { recursive: true });
  });

  test("names everything of ours alike, and times in seconds", () => {
    const names = createMetrics()
      .registry.getMetricsAsArray()
      .map((metric) => metric.name)
      .filter((name) => !/^(?:nodejs|process)_/.test(name));

    expect(names.every((name) => /^assent_[a-z_]+$/.test(name) && !/_ms$|_millis/.test(name))).toBe(true);
    expect(names.length).toBeGreaterThan(8);
  });
});
