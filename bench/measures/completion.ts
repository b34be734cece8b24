import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import pg from "pg";
import { RecipientRole } from "#gen/assent/sign/v1/agreement_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import { callerHeaders } from "#platform/caller.ts";
import { parseOrgId } from "#platform/ids.ts";
import { createGrpcTransport } from "#platform/rpc/client.ts";
import { ordinaryPdf } from "../../services/sign/intake/test/pdfs.ts";
import { type CpuTimes, cpuPerRequest, cpuText } from "../cpu.ts";
import type { BenchOptions } from "../options.ts";
import { type Figure, median } from "../report.ts";
import type { BenchSystem } from "../system.ts";

const agreements = 100;
const atOnce = 16;

/** P12, its last part: agreements of two signers a second, from the first signature to the last sealed certificate. */
export async function completionMeasures(system: BenchSystem, options: BenchOptions): Promise<Figure[]> {
  const database = new pg.Client({ connectionString: system.superuserUrl });
  await database.connect();
  const transport = createGrpcTransport({
    target: `127.0.0.1:${system.portOf("sign")}`,
    services: [SignService, SigningService],
    tokens: system.internalTokens,
  });
  try {
    const rates: number[] = [];
    let cpu: CpuTimes | undefined;
    await completeMany(20);
    for (let round = 0; round < options.rounds; round += 1) {
      const finishes = await prepare(agreements);
      const before = system.cpu.read();
      const seconds = await finishAll(finishes);
      cpu = cpuPerRequest(before, system.cpu.read(), agreements);
      rates.push(agreements / seconds);
    }
    return [
      {
        ...{ id: "P12", what: "completions, two signers, sealed, with certificate", mode: "distributed" },
        ...{ value: median(rates), unit: "/s", goal: "≥ 40" },
        note: cpu === undefined ? "" : `CPU ms: ${cpuText(cpu)}`,
        ...(cpu === undefined ? {} : { cpuMs: cpu }),
      },
    ];
  } finally {
    transport.close();
    await database.end();
  }

  async function completeMany(count: number): Promise<void> {
    await finishAll(await prepare(count));
  }

  async function prepare(count: number): Promise<(() => Promise<unknown>)[]> {
    const document = await ordinaryPdf(3);
    const finishes: (() => Promise<unknown>)[] = [];
    await inTurns(count, async () => {
      finishes.push(await prepareOne(system, transport, document));
    });
    return finishes;
  }

  async function finishAll(finishes: (() => Promise<unknown>)[]): Promise<number> {
    const start = performance.now();
    const waiting = [...finishes];
    await inTurns(waiting.length, async () => waiting.pop()?.());
    for (;;) {
      const { rowCount } = await database.query("select from sign.job where kind = 'completion' limit 1");
      if (rowCount === 0) return (performance.now() - start) / 1_000;
      await delay(5);
    }
  }
}

/** So many times, several at once. */
async function inTurns(count: number, once: () => Promise<unknown>): Promise<void> {
  let left = count;
  const turn = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await once();
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, turn));
}

type Transport = ReturnType<typeof createGrpcTransport>;

const visitor = { ip: "192.0.2.1", userAgent: "bench", requestId: "bench", traceparent: "" };

/** An agreement whose signers have read it and given their consent; what comes back signs for both. */
async function prepareOne(
  { demo }: BenchSystem,
  transport: Transport,
  document: Uint8Array,
): Promise<() => Promise<unknown>> {
  const orgId = parseOrgId(demo.organizationId);
  if (orgId === undefined) throw new Error("the demo organization has no id");
  const headers = callerHeaders({ orgId, clientId: "bench", requestId: "bench", traceparent: "" });
  const sign = createClient(SignService, transport);
  const signing = createClient(SigningService, transport);
  const recipients = ["1", "2"].map((recipientId) => ({
    ...{ recipientId, clientUserId: recipientId, name: `Person ${recipientId}`, role: RecipientRole.SIGNER },
    email: `person${recipientId}@example.com`,
  }));
  const definition = {
    emailSubject: "Please sign",
    documents: [{ documentId: "1", name: "a.pdf", source: { case: "content" as const, value: document } }],
    recipients,
  };
  const { agreement } = await sign.createAgreement({ definition, send: true }, { headers });
  const agreementId = agreement?.id ?? "";
  const sessions: string[] = [];
  for (const { recipientId } of recipients) {
    const view = { agreementId, recipientId, returnUrl: "https://bench.example/back" };
    const { token } = await sign.createRecipientView(view, { headers });
    const { sessionToken } = await signing.openView({ token, visitor });
    const { consentTexts } = await signing.getCeremony({ sessionToken });
    const [text] = consentTexts;
    await signing.getCeremonyDocument({ sessionToken, documentId: "1", visitor });
    await signing.giveConsent({
      sessionToken,
      textSha256: text?.sha256 ?? new Uint8Array(),
      locale: text?.locale ?? "",
      visitor,
    });
    sessions.push(sessionToken);
  }
  const signature = { typed: "Ann Example", font: "caveat" };
  return () => Promise.all(sessions.map((sessionToken) => signing.finishSigning({ sessionToken, signature, visitor })));
}
