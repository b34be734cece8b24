import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createAdminTransport } from "../../dev/admin-transport.ts";
import { adminClient } from "../../dev/single-process.ts";
import { runLoad } from "../load/run-load.ts";
import type { BenchOptions } from "../options.ts";
import { type Figure, median } from "../report.ts";
import { singleProcessCopy } from "../single-process.ts";
import { liftLimits } from "../system.ts";
import { agreementConnections, compatiblePlan, nativePlan } from "./agreement-plan.ts";
import { residentMegabytes } from "./memory.ts";

const settleMs = 5000;

/** P12: memory of the single process after agreements were made in it at its full speed; Postgres not counted. */
export async function agreementMemory(options: BenchOptions): Promise<Figure[]> {
  const copy = singleProcessCopy();
  try {
    const { process: child, demo } = await copy.start();
    const pid = child.pid ?? 0;
    await delay(settleMs);
    const idle = residentMegabytes(pid);
    await liftAllLimits(copy.folder, demo.organizationId);
    const rates: number[] = [];
    let firstNumber = 0;
    for (const plan of [await nativePlan(demo), await compatiblePlan(demo)]) {
      const load = await runLoad({ ...plan, firstNumber, seconds: options.seconds * options.rounds }, [201]);
      firstNumber += load.requests;
      rates.push(load.perSecond);
    }
    const busy = residentMegabytes(pid);
    await delay(settleMs);
    const after = residentMegabytes(pid);
    const note = `${idle.toFixed(0)} MB before, ${busy.toFixed(0)} MB at the end of the load`;
    const base = { id: "P12", mode: "single process" };
    return [
      {
        ...base,
        what: "agreements created and sent",
        value: median(rates),
        unit: "/s",
        goal: "≥ 100",
        note: `${agreementConnections} connections`,
      },
      { ...base, what: "memory after that load", value: after, unit: "MB", goal: "≤ 250 MB", note },
    ];
  } finally {
    await copy.stop();
    copy.remove();
  }
}

async function liftAllLimits(folder: string, organizationId: string): Promise<void> {
  const runtime = JSON.parse(readFileSync(join(folder, "runtime.json"), "utf8")) as Readonly<Record<string, string>>;
  const transport = createAdminTransport(runtime.adminUrl ?? "", runtime.adminToken ?? "");
  await liftLimits(adminClient(transport), organizationId);
}
