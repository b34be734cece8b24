import { describe, expect, test } from "@jest/globals";
import { createMetrics } from "../metrics.ts";

describe("createMetrics", () => {
  test("counts for itself", async () => {
    const [one, other] = [createMetrics(), createMetrics()];

    one.outboxPublished.inc({ service: "click" });

    expect(await one.registry.metrics()).toContain('assent_outbox_published_total{service="click"} 1');
    expect(await other.registry.metrics()).not.toContain('assent_outbox_published_total{service="click"}');
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
