import { setTimeout as delay } from "node:timers/promises";
import { Plan } from "#gen/assent/auth/v1/auth_pb.ts";
import { eightDigits, type LoadPlan, type LoadResult } from "../load/plan.ts";
import { performLoad } from "../load/run-load.ts";
import type { BenchOptions } from "../options.ts";
import type { Figure } from "../report.ts";
import type { BenchSystem } from "../system.ts";
import { numberedPdf } from "./agreement-plan.ts";

/** What an organization may ask for by default: 1,200 a minute. */
const attacksPerSecond = 20;
const attackConnections = 24;
/** Between two uploads of the victim. */
const pauseMs = 200;

/**
 * P15: uploads of one organization, one after the other, while another one sends files that cost the most at its full
 * default budget ÷ alone. Both take turns; answers other than 201 to the victim are counted.
 */
export async function fairnessMeasures(system: BenchSystem, options: BenchOptions): Promise<Figure[]> {
  const victim = createVictim(system, await numberedPdf());
  const attack = await attackPlan(system, options.seconds);
  const [alone, beside]: [Upload[], Upload[]] = [[], []];
  const attacks: LoadResult[] = [];
  await victim(2);
  for (let round = 0; round < options.rounds; round += 1) {
    alone.push(...(await victim(options.seconds)));
    const firstNumber = round * 100_000;
    const attacking = performLoad({ ...attack, firstNumber });
    beside.push(...(await victim(options.seconds)));
    attacks.push(await attacking);
  }
  const [value, baseline] = [p95(beside), p95(alone)];
  const refused = beside.filter(({ status }) => status === 503).length;
  const others = beside.filter(({ status }) => status !== 201 && status !== 503).length;
  const attackerGot = Object.entries(countStatuses(attacks)).map(([status, count]) => `${count} × ${status}`);
  return [
    {
      ...{ id: "P15", what: "p95 of uploads beside an attacker ÷ alone", mode: "distributed", unit: "ms" },
      ...{ value, baseline, ratio: value / baseline, goal: "≤ 3, never 503" },
      note: `${refused} of ${beside.length} uploads 503, ${others} other than 201; the attacker got ${attackerGot.join(", ")}`,
    },
  ];
}

interface Upload {
  readonly status: number;
  readonly ms: number;
}

function createVictim({ demo }: BenchSystem, pdf: string): (seconds: number) => Promise<Upload[]> {
  const headers = { authorization: `Bearer ${demo.apiKey}`, "content-type": "application/json" };
  let number = 0;
  return async (seconds) => {
    const uploads: Upload[] = [];
    for (const from = performance.now(); performance.now() - from < seconds * 1_000; await delay(pauseMs)) {
      number += 1;
      const body = draftOf(pdf.replaceAll(eightDigits, String(number).padStart(8, "0")));
      const sentAt = performance.now();
      const response = await fetch(`${demo.baseUrl}/v1/sign/agreements`, { method: "POST", headers, body });
      await response.arrayBuffer();
      uploads.push({ status: response.status, ms: performance.now() - sentAt });
    }
    return uploads;
  };
}

async function attackPlan({ admin, demo }: BenchSystem, seconds: number): Promise<LoadPlan> {
  const { organization } = await admin.createOrganization({ name: "Attacker", plan: Plan.GEN_PRO, sandbox: true });
  const { apiKey } = await admin.createApiKey({ organizationId: organization?.id ?? "", name: "Bench" });
  return {
    ...{ url: `${demo.baseUrl}/v1/sign/agreements`, method: "POST", headers: { Authorization: `Bearer ${apiKey}` } },
    ...{ body: draftOf(`${costlyPdf().toString("base64")}${eightDigits}`), connections: attackConnections },
    ...{ warmupSeconds: 0, seconds, ratePerSecond: attacksPerSecond },
  };
}

const draftOf = (documentBase64: string): string =>
  JSON.stringify({
    ...{ status: "created", emailSubject: "Please sign" },
    documents: [{ documentId: "1", name: "Agreement.pdf", documentBase64 }],
  });

/** As many form fields as are taken, 31 deep, in 1.8 MB; a number may follow. */
function costlyPdf(): Buffer {
  const [first, count, depth] = [5, 4_999, 31];
  const text = "x".repeat(300);
  const field = (index: number): string => {
    const isLast = index % depth === depth - 1 || index === count - 1;
    const kids = isLast ? "" : `/Kids[${first + index + 1} 0 R]`;
    return `<</FT/Tx/T(f${index})/TU(${text})${kids}>>`;
  };
  const tops = Array.from({ length: Math.ceil(count / depth) }, (_, n) => `${first + n * depth} 0 R`).join(" ");
  const objects = [
    "<</Type/Catalog/Pages 2 0 R/AcroForm 4 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<<>>>>",
    `<</Fields[${tops}]>>`,
    ...Array.from({ length: count }, (_, index) => field(index)),
  ];
  let file = "%PDF-1.7\n";
  const offsets = objects.map((object, index) => {
    const at = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join("")}`;
  const end = `${table}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${file.length}\n%%EOF\n%`;
  // The digits of the number stand for bytes of their own.
  return Buffer.from((file + end).padEnd(Math.ceil((file.length + end.length) / 3) * 3));
}

const p95 = (uploads: readonly Upload[]): number =>
  uploads.map(({ ms }) => ms).sort((a, b) => a - b)[Math.ceil(uploads.length * 0.95) - 1] ?? Number.NaN;

function countStatuses(results: readonly LoadResult[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { statuses } of results)
    for (const [status, count] of Object.entries(statuses)) counts[status] = (counts[status] ?? 0) + count;
  return counts;
}
