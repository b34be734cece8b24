import type { SampleRequest } from "./sample-requests.ts";
import type { TestGateway } from "./test-gateway.ts";

const copy = { recipients: [{ roleName: "Buyer", name: "Ann", email: "ann@example.com" }] };
const newSigner: SampleRequest = { body: { signers: [{ name: "Bob", email: "bob@example.com" }] } };
const pdf = { documentId: "1", name: "NDA.pdf", documentBase64: "JVBERi0xLjcK" };

/** For compatible operations whose example would not do: what they name has to be there. */
export const compatSamples: Readonly<Record<string, () => SampleRequest>> = {
  compatCreateEnvelope: () => ({ body: { emailSubject: "Please sign the NDA" } }),
  compatUpdateEnvelope: () => ({ body: {} }),
  compatCreateEnvelopeRecipients: () => newSigner,
  compatCreateTemplateRecipients: () => newSigner,
  ...Object.fromEntries(
    ["Envelope", "Template"].flatMap((name) => [
      [`compatCreate${name}Recipients`, () => ({ body: { signers: [{ name: "Bob", email: "bob@example.com" }] } })],
      [`compatDelete${name}Recipients`, () => ({ body: { signers: [{ recipientId: "nobody" }] } })],
    ]),
  ),
  compatAddDocuments: () => ({ body: { documents: [pdf] } }),
  compatCreateRecipientView: () => ({ body: { recipientId: "1", returnUrl: "https://www.example.com/" } }),
  compatCreateConsoleView: () => ({ body: {} }),
};

/** Operations that name what no sample knows, or what another one has removed: past the check of scopes they may find nothing. */
export const mayFindNothing: ReadonlySet<string> = new Set([
  ...["deleteBrand", "deleteBrandLogo", "deleteBrandFavicon", "deleteSenderDomain", "deletePageHost"],
  ...["compatDeleteLock", "compatDeleteBrand", "compatDeleteBrands", "compatDeleteBrandLogo"],
  "compatMoveToFolder",
  "compatSendBulkList",
  "compatTestBulkList",
  "compatUpdateConnect",
  "compatDeleteConnect",
  "compatDeleteConnectSecret",
  "compatRemoveDocuments",
  "compatTemplateRemoveDocuments",
  ...["Envelope", "Template"].flatMap((name) =>
    ["UpdateTabs", "DeleteTabs", "DeleteRecipients", "DeleteRecipient", "DeleteCustomFields"].map((what) =>
      what.replace(/^(Update|Delete)/, `compat$1${name}`),
    ),
  ),
]);

/** One of everything that paths of compatible operations name, and of what looks like them. */
export async function createCompatResources(gateway: TestGateway, orgId: string): Promise<Record<string, string>> {
  const token = await gateway.auth.token("sign:write sign:send sign:admin", "cl_compat", orgId);
  const domain = await gateway.call("POST", "/v1/sign/sender-domains", { token, body: { domain: "a.example.com" } });
  const host = await gateway.call("POST", "/v1/sign/page-hosts", { token, body: { host: "a.example.com" } });
  const send = async (path: string, body: unknown) => {
    const answer = await gateway.call("POST", `/restapi/v2.1/accounts/${orgId}${path}`, { token, body });
    if (answer.status !== 201) throw new Error(`${path} is answered ${answer.status}: ${answer.text}`);
    return answer.body;
  };
  const bulkList = (await send("/bulk_send_lists", { name: "Spring", bulkCopies: [copy] })).listId;
  const envelopeOrTemplateId = gateway.sign.addTemplate(orgId).id;
  return {
    senderDomain: domain.body.id,
    pageHost: host.body.id,
    brand: (await send("/brands", { brandName: "Example AG" })).brands[0].brandId,
    logoType: "primary",
    account: orgId,
    user: orgId,
    folder: "recyclebin",
    bulkList,
    bulkBatch: (await send(`/bulk_send_lists/${bulkList}/send`, { envelopeOrTemplateId })).batchId,
    upload: (await send("/chunked_uploads", { data: "JVBERi0xLjcK" })).chunkedUploadId,
    chunkedUploadPartSeq: "1",
    connect: (await send("/connect", { urlToPublishTo: "https://www.example.com/hooks" })).connectId,
    connectSecret: (await send("/connect/secret", {})).keyId,
  };
}
