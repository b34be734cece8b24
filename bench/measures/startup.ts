import { performance } from "node:perf_hooks";
import type { Demo } from "../../dev/demo.ts";
import { type Figure, median } from "../report.ts";
import { singleProcessCopy } from "../single-process.ts";

const starts = 3;

/** P9: from the command of `npm start` with existing data to the first answered accept. */
export async function startupMeasures(): Promise<Figure[]> {
  const copy = singleProcessCopy();
  try {
    await copy.start();
    await copy.stop();
    const seconds: number[] = [];
    for (let n = 0; n < starts; n++) {
      const began = performance.now();
      const { demo } = await copy.start();
      await acceptOnce(demo, `startup-${n}`);
      seconds.push((performance.now() - began) / 1000);
      await copy.stop();
    }
    const value = median(seconds);
    return [
      {
        id: "P9",
        what: "npm start to the first answered accept",
        mode: "single process",
        value,
        unit: "s",
        goal: "≤ 5 s",
      },
    ];
  } finally {
    await copy.stop();
    copy.remove();
  }
}

async function acceptOnce(demo: Demo, key: string): Promise<void> {
  const response = await fetch(`${demo.baseUrl}/v1/click/accept`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${demo.apiKey}`,
      "content-type": "application/json",
      "x-idempotency-key": key,
    },
    body: JSON.stringify({ templateSlug: "terms-of-service", userRef: "user-1" }),
  });
  if (response.status !== 201) throw new Error(`accept answered ${response.status}: ${await response.text()}`);
}
