import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { type CpuTimes, cpuPerRequest, cpuText } from "../cpu.ts";
import type { LoadPlan } from "../load/plan.ts";
import { runLoad } from "../load/run-load.ts";
import type { BenchOptions } from "../options.ts";
import { type Figure, median } from "../report.ts";
import { type BenchSystem, startBenchSystem } from "../system.ts";
import { contractContent, contractData } from "./generation-document.ts";

/** P8: documents a second and core through the whole product, against the renderer alone on one core. */
export async function generationMeasures(options: BenchOptions): Promise<Figure[]> {
  const system = await startBenchSystem();
  try {
    await liftPlan(system.superuserUrl);
    const plan = generationPlan(system, await publishTemplate(system));
    const cores = availableParallelism();
    const rates: number[] = [];
    let cpu: CpuTimes | undefined;
    const alone: number[] = [];
    await runLoad({ ...plan, keyPrefix: `bench-${process.pid}-warm`, seconds: 2 }, [201]);
    for (let round = 0; round < options.rounds; round += 1) {
      alone.push(await renderAlone(options.seconds));
      const keyPrefix = `bench-${process.pid}-${round}`;
      const before = system.cpu.read();
      const load = await runLoad({ ...plan, keyPrefix, seconds: options.seconds }, [201]);
      cpu = cpuPerRequest(before, system.cpu.read(), load.requests);
      rates.push(load.perSecond);
    }
    const value = median(rates) / cores;
    const baseline = median(alone);
    return [
      {
        id: "P8",
        what: "documents per core ÷ the renderer alone",
        mode: "distributed",
        value,
        unit: "/s",
        baseline,
        ratio: value / baseline,
        goal: "≥ 0.6",
        note: `${plan.connections} connections on ${cores} cores${cpu === undefined ? "" : `; CPU ms: ${cpuText(cpu)}`}`,
        ...(cpu === undefined ? {} : { cpuMs: cpu }),
      },
    ];
  } finally {
    await system.stop();
  }
}

const generationPlan = ({ demo }: BenchSystem, templateId: string): LoadPlan => ({
  url: `${demo.baseUrl}/v1/gen/documents`,
  method: "POST",
  headers: { Authorization: `Bearer ${demo.apiKey}` },
  body: JSON.stringify({ templateId, data: contractData("{n}") }),
  connections: availableParallelism() * 4,
  // A load of its own, so that what it costs is not counted.
  warmupSeconds: 0,
  seconds: 0,
});

/** No plan has so many documents, so what is used of it is forgotten. The windows are locked and written all the same. */
async function liftPlan(superuserUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    await client.query(
      `create function docgen.bench_forget() returns trigger language plpgsql as $$
       begin new.used := 0; return new; end $$`,
    );
    await client.query(
      `create trigger bench_forget before insert or update on docgen.usage_window
       for each row execute function docgen.bench_forget()`,
    );
  } finally {
    await client.end();
  }
}

async function publishTemplate({ demo }: BenchSystem): Promise<string> {
  const post = async (path: string, body: unknown): Promise<{ id: string }> => {
    const response = await fetch(`${demo.baseUrl}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${demo.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path} answers ${response.status}: ${await response.text()}`);
    return (await response.json()) as { id: string };
  };
  const template = { name: "Service agreement", format: "html", content: contractContent };
  const { id } = await post("/v1/gen/templates", template);
  await post(`/v1/gen/templates/${id}/publish`, {});
  return id;
}

const run = promisify(execFile);

/** With the threads of a renderer process of the product. */
async function renderAlone(seconds: number): Promise<number> {
  const entry = join(import.meta.dirname, "../baselines/render-alone.ts");
  const { stdout } = await run(process.execPath, [entry, String(seconds)], {
    env: { ...process.env, RAYON_NUM_THREADS: "1" },
  });
  return Number(stdout);
}
