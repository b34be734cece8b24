import { PDFDict, PDFDocument, PDFHexString, PDFName, type PDFRef } from "pdf-lib";
import { Plan } from "#gen/assent/auth/v1/auth_pb.ts";
import { cpuPerRequest, cpuText } from "../cpu.ts";
import { eightDigits, type LoadPlan } from "../load/plan.ts";
import { performLoad } from "../load/run-load.ts";
import type { BenchOptions } from "../options.ts";
import type { Figure } from "../report.ts";
import type { BenchSystem } from "../system.ts";
import { agreementPdf } from "./agreement-pdf.ts";

/** One after the other; p95 of them is the fourth slowest. */
const victims = 80;
const attackers = { connections: 24, ratePerSecond: 20 };

/**
 * P15: agreements of one organization while another one sends, within its default budget, the files that cost most of
 * all that are taken: what it waits for at the 95th percentile against the same alone.
 */
export async function fairnessMeasures(system: BenchSystem, options: BenchOptions): Promise<Figure[]> {
  const [victim, attacker] = [await newKey(system), await newKey(system)];
  const { baseUrl } = system.demo;
  const small = Buffer.from(await agreementPdf()).toString("base64");
  await waits(baseUrl, victim, small, 10);
  const alone = await waits(baseUrl, victim, small, victims);
  const before = system.cpu.read();
  const attack = performLoad({ ...(await costlyPlan(baseUrl, attacker)), seconds: options.seconds * 4 });
  const beside = await waits(baseUrl, victim, small, victims);
  const { statuses, perSecond, requests } = await attack;
  const used = cpuPerRequest(before, system.cpu.read(), requests) ?? {};
  const [value, baseline] = [percentile(beside), percentile(alone)];
  return [
    {
      ...{ id: "P15", what: "p95 of an upload beside another organization's costliest ÷ alone", mode: "distributed" },
      ...{ value, unit: "ms", baseline, ratio: value / baseline, goal: "≤ 3" },
      note: `the other one was answered ${JSON.stringify(statuses)}, ${perSecond.toFixed(1)} a second; every upload of ours 201; CPU ms: ${cpuText(used)}`,
    },
  ];
}

async function newKey({ admin }: BenchSystem): Promise<string> {
  const { organization } = await admin.createOrganization({ name: "Bench", plan: Plan.GEN_PRO, sandbox: true });
  const { apiKey } = await admin.createApiKey({ organizationId: organization?.id ?? "", name: "Bench" });
  return apiKey;
}

const bodyOf = (file: string): string =>
  JSON.stringify({ emailSubject: "Contract", documents: [{ documentId: "1", name: "C.pdf", documentBase64: file }] });

/** Milliseconds of each of so many drafts; fails when one is refused. */
async function waits(baseUrl: string, key: string, file: string, count: number): Promise<number[]> {
  const body = bodyOf(file);
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const taken: number[] = [];
  while (taken.length < count) {
    const start = performance.now();
    const response = await fetch(`${baseUrl}/v1/sign/agreements`, { method: "POST", headers, body });
    if (response.status !== 201) throw new Error(`the victim is answered ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
    taken.push(performance.now() - start);
  }
  return taken;
}

const percentile = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? 0;

async function costlyPlan(baseUrl: string, key: string): Promise<LoadPlan> {
  const bytes = Buffer.from(await nestedFields());
  // Every file is another one, so that none is known already.
  const comment = Buffer.from("%".padEnd(3 + ((3 - (bytes.length % 3)) % 3)));
  const file = Buffer.concat([bytes, comment]).toString("base64") + eightDigits;
  return {
    ...{ url: `${baseUrl}/v1/sign/agreements`, method: "POST", headers: { Authorization: `Bearer ${key}` } },
    body: bodyOf(file),
    ...{ ...attackers, warmupSeconds: 0, seconds: 0 },
  };
}

/** 4,960 form fields in chains of 31 with long names: 1.8 MB, just within what a file may have. */
async function nestedFields(): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const page = document.addPage([595, 842]);
  const { context } = document;
  const chains: PDFRef[] = [];
  for (let chain = 0; chain < 160; chain += 1) {
    let kids: PDFRef[] = [];
    for (let depth = 31; depth > 0; depth -= 1) {
      const field = context.obj({ T: PDFHexString.fromText(`${chain}-${depth}-${"n".repeat(60)}`) }) as PDFDict;
      if (depth === 31) {
        field.set(PDFName.of("FT"), PDFName.of("Tx"));
        field.set(PDFName.of("V"), PDFHexString.fromText("value"));
      } else field.set(PDFName.of("Kids"), context.obj(kids));
      const ref = context.register(field);
      for (const kid of kids) (context.lookup(kid, PDFDict) as PDFDict).set(PDFName.of("Parent"), ref);
      kids = [ref];
    }
    chains.push(...kids);
  }
  const helvetica = context.obj({ Type: "Font", Subtype: "Type1", BaseFont: "Helvetica" });
  document.catalog.set(
    PDFName.of("AcroForm"),
    context.obj({ Fields: chains, DA: PDFHexString.fromText("/F 0 Tf"), DR: { Font: { F: helvetica } } }),
  );
  page.drawSquare({ x: 10, y: 10, size: 10 });
  return document.save({ useObjectStreams: false });
}
