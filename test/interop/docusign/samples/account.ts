import { docusign, type Untyped } from "../support/sdk.ts";
import { ann, bob, cara, create, left, link, orderEnvelope, type Program, pdfEnvelope, type Stage } from "./stage.ts";

const phone = { countryCode: "1", number: "4155550100" };

/** Looks for a workflow of this name, and sends with it as if there were one. */
const identified =
  (name: string, more: object = {}): Program =>
  async (stage) => {
    const { identityVerification } = await stage.call("AccountsApi", "getAccountIdentityVerification", null);
    const found = identityVerification.find(({ defaultName }: Untyped) => defaultName === name);
    if (found !== undefined) throw new Error(`there is ${name}`);
    const workflow = { workflowId: "c368e411-1592-4001-a3df-dca94ac539ae", steps: null };
    await create(stage, pdfEnvelope(stage, { identityVerification: { ...workflow, ...more } }));
  };
const byPhone = {
  inputOptions: [
    { name: "phone_number_list", valueType: "PhoneNumberList", phoneNumberList: [{ ...phone, code: "1" }] },
  ],
};

const profileId = async ({ call }: Stage): Promise<string> =>
  (await call("AccountsApi", "listPermissions", null)).permissionProfiles[0].permissionProfileId;

/** Values of tabs, how signers are checked, permissions, many at once. */
export const accountPrograms: Readonly<Record<string, Program>> = {
  "014": (stage) => {
    const formula = (tabLabel: string, text: string, more: object = {}) => ({
      ...{ tabLabel, formula: text, roundDecimalPlaces: "0", required: "true", locked: "true", ...more },
    });
    const paymentDetails = { gatewayName: "stripe", currencyCode: "USD", lineItems: [{ amountReference: "l1e" }] };
    const formulaTabs = [
      formula("l1e", "[l1q] * 5", { anchorString: "/sn1/" }),
      formula("payment", "[l1e] * 100", { paymentDetails, hidden: "true", documentId: "1", pageNumber: "1" }),
    ];
    return create(stage, pdfEnvelope(stage, { tabs: { formulaTabs } }));
  },
  "015": (stage) => stage.call("EnvelopesApi", "getFormData", left(stage, "envelope")),
  "016": async (stage) => {
    const text = (tabLabel: string, value: string, locked: string) => ({
      ...{ anchorString: "/sn1/", anchorUnits: "pixels", anchorYOffset: "-9", anchorXOffset: "5", bold: "true" },
      ...{ font: "helvetica", fontSize: "size11", value, locked, tabId: tabLabel, tabLabel },
    });
    const tabs = { textTabs: [text("Legal name", ann.name, "false"), text("Salary", "$123,000", "true")] };
    const textCustomFields = [{ name: "salary", required: "false", show: "true", value: 123_000 }];
    const documents = [{ documentId: "1", name: "Salary", ...stage.plan }];
    const more = { documents, customFields: { textCustomFields } };
    const made = pdfEnvelope(stage, { clientUserId: 1000, tabs }, more);
    const envelopeId = await create(stage, made);
    stage.kept.set("salary", envelopeId);
    await link(stage, envelopeId);
  },
  "018": (stage) => stage.call("EnvelopesApi", "listCustomFields", left(stage, "salary"), null),
  "019": (stage) => create(stage, pdfEnvelope(stage, { accessCode: "NJ9" })),
  "020": identified("Phone Authentication", byPhone),
  "021": (stage) => {
    const phoneAuthentication = { recipMayProvideNumber: "false", senderProvidedNumbers: ["+14155550100"] };
    const asked = { idCheckConfigurationName: "Phone Auth $", requireIdLookup: "true", phoneAuthentication };
    return create(stage, pdfEnvelope(stage, asked));
  },
  "022": (stage) =>
    create(stage, pdfEnvelope(stage, { idCheckConfigurationName: "ID Check", requireIdLookup: "true" })),
  "023": identified("DocuSign ID Verification"),
  "024": ({ call }) => {
    const settings = { useNewDocuSignExperienceInterface: 0, allowBulkSending: "true", signingUiVersion: "v2" };
    const permissionProfile = { permissionProfileName: "Senders", settings };
    return call("AccountsApi", "createPermissionProfile", { permissionProfile });
  },
  "025": async (stage) => {
    const permissionProfileId = await profileId(stage);
    await stage.call("GroupsApi", "listGroups", null);
    const groups = [{ permissionProfileId, groupId: "1" }];
    await stage.call("GroupsApi", "updateGroups", { groupInformation: { groups } });
  },
  "026": async (stage) => {
    const permissionProfile = { permissionProfileName: "Senders" };
    await stage.call("AccountsApi", "updatePermissionProfile", await profileId(stage), { permissionProfile });
  },
  "027": async (stage) => stage.call("AccountsApi", "deletePermissionProfile", await profileId(stage)),
  "031": async (stage) => {
    const copy = (signer: object, cc: object) => ({
      recipients: [
        { ...signer, roleName: "signer" },
        { ...cc, roleName: "CC" },
      ],
    });
    const bulkSendingList = { name: "sample.csv", bulkCopies: [copy(ann, cara), copy(bob, cara)] };
    const { listId } = await stage.call("BulkEnvelopesApi", "createBulkSendList", { bulkSendingList });
    const signer = { name: "Multi Bulk Recipient::signer", email: "signer@docusign.com", roleName: "signer" };
    const cc = { name: "Multi Bulk Recipient::cc", email: "cc@docusign.com", roleName: "cc", recipientType: "cc" };
    const draft = await create(stage, orderEnvelope(stage, signer, cc, { status: "Created" }));
    const textCustomFields = [{ name: "mailingListId", required: "false", show: "false", value: listId }];
    await stage.call("EnvelopesApi", "createCustomFields", draft, { customFields: { textCustomFields } });
    const bulkSendRequest = docusign.BulkSendRequest.constructFromObject({ envelopeOrTemplateId: draft });
    const { batchId } = await stage.call("BulkEnvelopesApi", "createBulkSendRequest", listId, { bulkSendRequest });
    await stage.call("BulkEnvelopesApi", "getBulkSendBatchStatus", batchId);
  },
};
