import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { AdminClient } from "../../../dev/demo.ts";
import { onePage } from "../../../services/sign/intake/test/pdfs.ts";
import type { Api } from "../../support/api.ts";
import { bodyOf } from "../../support/journeys.ts";
import { createTenants } from "../accept-history/tenants.ts";
import { prepareAgreement } from "../completion/people.ts";
import type { Share } from "./load.ts";

/** A customer who does a bit of everything all the time, and is told of it. */
export interface Customer {
  readonly organizationId: string;
  readonly shares: readonly Share[];
  /** Acceptances that were answered. */
  readonly accepted: () => number;
  /** Events that came to the endpoint. */
  readonly told: () => number;
  close(): Promise<void>;
}

export async function createCustomer(admin: AdminClient, gateways: readonly string[]): Promise<Customer> {
  const [tenant] = await createTenants(admin, gateways[0] ?? "", { tenants: 1, sessions: 0 });
  if (tenant === undefined) throw new Error("there is no tenant");
  const { api, organizationId } = tenant;
  const receiver = await startCounter();
  bodyOf(201, await api.post("/v1/webhooks/endpoints", { url: receiver.url }));
  const letter = await publishLetter(api);
  const { templates, receiptId } = await somethingToRead(api, tenant.texts[0] ?? "");
  let accepted = 0;

  /** Without the checks of the tests' own client, which would cost more than what is measured. */
  const call = async (n: number, method: string, path: string, body?: object, headers = {}): Promise<Response> => {
    const response = await fetch((gateways[n % gateways.length] ?? "") + path, {
      method,
      headers: { authorization: `Bearer ${api.token}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await response.arrayBuffer();
    return response;
  };
  const accept = async (n: number): Promise<number> => {
    const body = { templateSlug: tenant.texts[n % 2], userRef: `visitor-${n % 5_000}` };
    const { status } = await call(n, "POST", "/v1/click/accept", body, { "x-idempotency-key": `soak-${n}` });
    if (status === 201) accepted += 1;
    return status;
  };
  const read = async (n: number): Promise<number> => {
    const paths = [
      ...[`/v1/click/templates/${templates}`, `/v1/click/consent/visitor-${n % 5_000}`, "/v1/sign/agreements"],
      ...[`/v1/click/evidence/${receiptId}`, `/v1/click/receipts/${receiptId}`, "/v1/webhooks/deliveries"],
    ];
    return (await call(n, "GET", paths[n % paths.length] ?? "")).status;
  };
  const render = async (n: number): Promise<number> =>
    (await call(n, "GET", `/v1/click/render/templates/${tenant.texts[n % 2]}`)).status;
  let lastDocument = 0;
  // As many as the plan lets through.
  const document = async (n: number): Promise<number> => {
    if (performance.now() - lastDocument < 10_000) return render(n);
    lastDocument = performance.now();
    return (await call(n, "POST", "/v1/gen/documents", { templateId: letter, data: { name: `Ann ${n}` } })).status;
  };
  const agreement = async (): Promise<number> => {
    const { signers } = await prepareAgreement(api, onePage({}));
    for (const signer of signers) await signer.finish();
    return 200;
  };
  return {
    ...{ organizationId, accepted: () => accepted, told: receiver.count },
    shares: [
      { name: "accept", weight: 120, perform: accept },
      { name: "read", weight: 60, perform: read },
      { name: "render", weight: 20, perform: render },
      { name: "document", weight: 4, perform: document },
      { name: "agreement", weight: 1, perform: agreement },
    ],
    close: receiver.close,
  };
}

async function publishLetter(api: Api): Promise<string> {
  const draft = { name: "Letter", format: "html", content: "<p>Dear {{ name }}, be kind.</p>" };
  const { id } = bodyOf(201, await api.post("/v1/gen/templates", draft));
  bodyOf(200, await api.post(`/v1/gen/templates/${id}/publish`, undefined));
  return id;
}

async function somethingToRead(api: Api, slug: string): Promise<{ templates: string; receiptId: string }> {
  const [{ id }] = bodyOf(200, await api.get("/v1/click/templates"));
  const { receiptId } = bodyOf(201, await api.accept("soak-first", { templateSlug: slug, userRef: "visitor-0" }));
  return { templates: id, receiptId };
}

/** A customer's server that only counts. */
async function startCounter(): Promise<{ url: string; count: () => number; close: () => Promise<void> }> {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      count += 1;
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}/told`, count: () => count, close };
}
