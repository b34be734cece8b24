import type { Untyped } from "../support/sdk.ts";
import { create, left, link, orderEnvelope, type Program, pdfEnvelope, returnUrl } from "./stage.ts";

const read =
  (method: string, ...options: readonly unknown[]): Program =>
  (stage) =>
    stage.call("EnvelopesApi", method, left(stage, "envelope"), ...options);

const embedded = { clientUserId: 1000 };

/** Sending, reading, views of senders. */
export const sendingPrograms: Readonly<Record<string, Program>> = {
  "001": async (stage) => link(stage, await create(stage, pdfEnvelope(stage, embedded))),
  "002": async (stage) => stage.kept.set("envelope", await create(stage, orderEnvelope(stage))),
  "003": ({ call }) => {
    const fromDate = new Date(Date.now() - 30 * 86_400_000).toISOString().replace("Z", "+00:00");
    return call("EnvelopesApi", "listStatusChanges", { fromDate });
  },
  "004": read("getEnvelope", null),
  "005": read("listRecipients", null),
  "006": read("listDocuments", null),
  "007": async (stage) => {
    const envelopeId = left(stage, "envelope");
    const { envelopeDocuments } = await stage.call("EnvelopesApi", "listDocuments", envelopeId, null);
    const ids = envelopeDocuments.map(({ documentId }: Untyped) => documentId);
    for (const id of ["combined", "archive", "portfolio", ...ids]) {
      const bytes = await stage.call("EnvelopesApi", "getDocument", envelopeId, id, null);
      if (!/^(%PDF|PK)/.test(String(bytes).slice(0, 4))) throw new Error(`${id} is no file`);
    }
  },
  "010": async (stage) => {
    const { documents, ...definition } = orderEnvelope(stage);
    const files = documents.map(({ documentBase64, ...facts }: Untyped) => ({ documentBase64, facts }));
    const boundary = "multipartboundary_multipartboundary";
    const part = (head: string, content: Buffer): Buffer =>
      Buffer.concat([Buffer.from(`\r\n--${boundary}\r\n${head}\r\n\r\n`), content]);
    const json = JSON.stringify({ ...definition, documents: files.map(({ facts }: Untyped) => facts) });
    const body = Buffer.concat([
      part("Content-Type: application/json\r\nContent-Disposition: form-data", Buffer.from(json)),
      ...files.map(({ documentBase64, facts }: Untyped) =>
        part(
          `Content-Type: application/octet-stream\r\nContent-Disposition: file; filename="${facts.name}";documentid=${facts.documentId}`,
          Buffer.from(documentBase64, "base64"),
        ),
      ),
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]);
    await stage.post("/envelopes", body, { "content-type": `multipart/form-data; boundary=${boundary}` });
  },
  "011": async (stage) => {
    const draft = await create(stage, orderEnvelope(stage, {}, {}, { status: "created" }));
    const settings = { startingScreen: "prepare", sendButtonAction: "send", showDiscardAction: "false" };
    const envelopeViewRequest = { returnUrl, viewAccess: "envelope", settings };
    await stage.call("EnvelopesApi", "createSenderView", draft, { envelopeViewRequest });
  },
  "012": async (stage) => {
    const consoleViewRequest = { returnUrl, envelopeId: left(stage, "envelope") };
    await stage.call("EnvelopesApi", "createConsoleView", { consoleViewRequest });
    await stage.call("EnvelopesApi", "createConsoleView", { consoleViewRequest: { returnUrl } });
  },
};
