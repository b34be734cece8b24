import { availableParallelism } from "node:os";
import type { Demo } from "../../dev/demo.ts";
import { eightDigits, type LoadPlan } from "../load/plan.ts";
import { agreementPdf } from "./agreement-pdf.ts";

/** As many requests at once as a few backends have. */
export const agreementConnections = availableParallelism() * 4;

/** The PDF of 100 KB as Base64; the digits at its end are the number of the request, so that no two are the same. */
export async function numberedPdf(): Promise<string> {
  const bytes = await agreementPdf();
  // The digits stand for bytes of their own, in a comment.
  const comment = Buffer.from("%".padEnd(3 + ((3 - (bytes.length % 3)) % 3)));
  return Buffer.concat([bytes, comment]).toString("base64") + eightDigits;
}

/** Two signers with a signature and a date each, sent at once. */
export async function nativePlan({ baseUrl, apiKey }: Demo): Promise<LoadPlan> {
  const signer = (n: number) => ({
    recipientId: String(n),
    name: `Signer ${n}`,
    email: `signer${n}-{n}@example.com`,
    tabs: [
      { type: "signature", documentId: "1", page: 10, x: 72, y: 300 + 100 * n },
      { type: "dateSigned", documentId: "1", page: 10, x: 300, y: 300 + 100 * n },
    ],
  });
  return {
    ...common(apiKey),
    url: `${baseUrl}/v1/sign/agreements`,
    body: JSON.stringify({
      status: "sent",
      emailSubject: "Please sign agreement {n}",
      documents: [{ documentId: "1", name: "Agreement.pdf", documentBase64: await numberedPdf() }],
      recipients: { signers: [signer(1), signer(2)] },
    }),
  };
}

/** The same through the compatible interface. */
export async function compatiblePlan({ baseUrl, apiKey, organizationId }: Demo): Promise<LoadPlan> {
  const place = (n: number, x: number) => ({
    documentId: "1",
    pageNumber: "10",
    xPosition: String(x),
    yPosition: String(300 + 100 * n),
  });
  const signer = (n: number) => ({
    recipientId: String(n),
    routingOrder: "1",
    name: `Signer ${n}`,
    email: `signer${n}-{n}@example.com`,
    tabs: { signHereTabs: [place(n, 72)], dateSignedTabs: [place(n, 300)] },
  });
  return {
    ...common(apiKey),
    url: `${baseUrl}/restapi/v2.1/accounts/${organizationId}/envelopes`,
    body: JSON.stringify({
      status: "sent",
      emailSubject: "Please sign agreement {n}",
      documents: [
        { documentId: "1", name: "Agreement.pdf", fileExtension: "pdf", documentBase64: await numberedPdf() },
      ],
      recipients: { signers: [signer(1), signer(2)] },
    }),
  };
}

const common = (apiKey: string) =>
  ({
    method: "POST",
    headers: { Authorization: `Bearer ${apiKey}` },
    connections: agreementConnections,
    // A load of its own, so that what it costs is not counted.
    warmupSeconds: 0,
    seconds: 0,
  }) as const;
