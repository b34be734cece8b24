import { createRequire } from "node:module";
import { setTimeout as delay } from "node:timers/promises";
import type { Api } from "../../../support/api.ts";
import { attributesOf, modelProblems } from "./check-model.ts";
import type { Exchange, TlsProxy } from "./tls-proxy.ts";

// biome-ignore lint/suspicious/noExplicitAny: the SDK has no types
export type Untyped = any;

/** The official SDK, as its users load it. */
export const docusign: Untyped = createRequire(import.meta.url)("docusign-esign");

/** An integration that was written for DocuSign. */
export interface Integration {
  readonly accountId: string;
  /** The SDK's client: its base path and its token are all that was changed. */
  readonly client: Untyped;
  /** Calls a method of one of the SDK's classes, and holds what was answered against the SDK's model of it. */
  call(className: string, method: string, ...parameters: unknown[]): Promise<Untyped>;
  /** The last answer as it came. */
  last(): Exchange;
}

export function integrate(proxy: TlsProxy, owner: Api): Integration {
  const client = new docusign.ApiClient();
  client.setBasePath(`https://${proxy.host}/restapi`);
  client.setOAuthBasePath(proxy.host);
  client.addDefaultHeader("Authorization", `Bearer ${owner.token}`);
  return {
    accountId: owner.organizationId,
    client,
    last: proxy.last,
    call: async (className, method, ...parameters) => {
      const api = new docusign[className](client);
      const result = await answerOf(() => api[method](...parameters), proxy);
      const model = modelOf(api[method]);
      const { text, path, headers } = proxy.last();
      if (model === undefined || !headers["content-type"]?.includes("json")) return result;
      const extras = new Set<string>();
      const problems = modelProblems(docusign, model, JSON.parse(text), extras);
      problems.push(...[...extras].filter((extra) => !knownExtras.has(extra)).map((extra) => `${extra} is not known`));
      if (problems.length > 0) throw new Error(`${method} (${path}) is not ${model}:\n${problems.join("\n")}\n${text}`);
      return result;
    },
  };
}

/** Asks again when the product is busy, after the time that it tells, as clients are to do. */
async function answerOf(ask: () => Promise<Untyped>, proxy: TlsProxy, attempts = 8): Promise<Untyped> {
  try {
    return await ask();
  } catch (error) {
    const { response, message } = error as Untyped;
    if (response === undefined) throw error;
    if (response.status !== 503 || attempts === 1) {
      (error as Error).message = `${message}: ${proxy.last().text.slice(0, 1_000)}`;
      throw error;
    }
    await delay(Number(proxy.last().headers["retry-after"] ?? 1) * 1_000);
    return await answerOf(ask, proxy, attempts - 1);
  }
}

/** What answers have beyond the SDK's models, which drop it. */
const knownExtras: ReadonlySet<string> = new Set([
  "AccountInformation.isDefault",
  "BulkSendBatchStatus.batchUri",
  "CarbonCopy.creationReason",
  "CarbonCopy.requireUploadSignature",
  "Checkbox.concealValueOnDocument",
  "List.concealValueOnDocument",
  "RadioGroup.tabId",
  ...["documentIdGuid", "hasDigitalSignature", "sizeBytes", "type"].map((name) => `Document.${name}`),
  ...["resultSetSize", "startPosition", "endPosition", "totalSetSize"].flatMap((name) => [
    `BrandsResponse.${name}`,
    `PermissionProfileInformation.${name}`,
  ]),
]);

/** What was rejected, with the body that clients look into. */
export async function refusalOf(calling: Promise<unknown>): Promise<{ status: number; body: Untyped }> {
  const outcome = await calling.then(
    (answered) => ({ answered }),
    (error: Untyped) => ({ error }),
  );
  if (!("error" in outcome)) throw new Error(`was not refused: ${JSON.stringify(outcome.answered)}`);
  const { response } = outcome.error;
  if (response === undefined) throw outcome.error;
  return { status: response.status, body: response.body ?? response.data };
}

/** The name of the model that a method of the SDK makes of the answer. */
function modelOf(method: Untyped): string | undefined {
  const name = /var returnType = (\w+);/.exec(String(method))?.[1];
  return name !== undefined && docusign[name] !== undefined && attributesOf(docusign, name).size > 0 ? name : undefined;
}
