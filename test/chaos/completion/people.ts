import { until } from "#platform/testing/until.ts";
import type { Answer, Api } from "../../support/api.ts";
import { bodyOf } from "../../support/journeys.ts";
import { readPageAndConsent } from "../../support/read-and-consent.ts";

/** Somebody with the signing page open, who has read and agreed. */
export interface Signer {
  /** Signs; asks again while nobody answers. */
  finish(): Promise<void>;
}

/** An agreement that waits for two people. */
export interface Waiting {
  readonly id: string;
  readonly signers: readonly Signer[];
}

const returnUrl = "https://www.example.com/";

const people = ["Ann Example", "Bob Example"].map((name, index) => ({
  ...{ recipientId: String(index + 1), name, email: `${index + 1}@example.com`, clientUserId: String(index + 1) },
  tabs: [{ type: "signature", documentId: "1", page: 1, x: 60, y: 100 + index * 60, width: 110, height: 35 }],
}));

/** Sends an agreement with two documents, and lets both people come as far as to their last click. */
export async function prepareAgreement(api: Api, pdf: Uint8Array): Promise<Waiting> {
  const documentBase64 = Buffer.from(pdf).toString("base64");
  const documents = ["1", "2"].map((documentId) => ({ documentId, name: `${documentId}.pdf`, documentBase64 }));
  const wanted = { emailSubject: "Please sign", status: "sent", documents, recipients: { signers: people } };
  const { id } = bodyOf(201, await api.post("/v1/sign/agreements", wanted));
  const signers = await Promise.all(people.map(({ recipientId }) => sitDown(api, id, recipientId)));
  return { id, signers };
}

async function sitDown(api: Api, agreementId: string, recipientId: string): Promise<Signer> {
  const path = `/v1/sign/agreements/${agreementId}/views/recipient`;
  const { url } = bodyOf(201, await api.post(path, { recipientId, returnUrl }));
  const opened = await fetch(url, { redirect: "manual" });
  const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
  const page = new URL(opened.headers.get("location") ?? "", url).pathname;
  const post = (what: string, body: unknown): Promise<Answer> => api.call("POST", `${page}${what}`, body, { cookie });
  await readPageAndConsent((method, name, body) => api.call(method, `${page}${name}`, body, { cookie }));
  const adopted = { typed: "A. Example", font: "caveat", drawnPng: "" };
  const finish = () => post("finish", { values: [], signature: adopted, initials: adopted });
  return { finish: () => finishSomehow(finish) };
}

/** Whoever got no answer does not know whether it has happened, and is told when asking again. */
async function finishSomehow(finish: () => Promise<Answer>): Promise<void> {
  let attempts = 0;
  await until(async () => {
    attempts += 1;
    const { status, body } = await finish();
    if (status === 200) return true;
    if (status >= 500) return false;
    const isDone = attempts > 1 && ["VIEW_URL_EXPIRED", "RECIPIENT_ALREADY_SIGNED"].includes(body.errorCode);
    if (!isDone) throw new Error(`not signed: ${status} ${JSON.stringify(body)}`);
    return true;
  }, 180_000);
}
