import { findTexts } from "../../../../services/sign/intake/find-texts.ts";
import { docusign, type Untyped } from "../support/sdk.ts";
import {
  ann,
  bob,
  create,
  left,
  link,
  orderEnvelope,
  type Program,
  pdfEnvelope,
  type Stage,
  signatures,
} from "./stage.ts";

const phoneNumber = { countryCode: "1", number: "4155550100" };

const second = { ...bob, recipientId: "2", routingOrder: "2", tabs: signatures("/sn1/") };

/** What the envelope waits for. */
const workflowOf = async ({ call }: Stage, envelopeId: string): Promise<Untyped> =>
  (await call("EnvelopesApi", "getEnvelope", envelopeId, { include: "workflow" })).workflow;

/** An envelope for two, of whom the second waits for the step. */
const stepped = (stage: Stage, step: object): Promise<string> => {
  const workflowSteps = [{ action: "pause_before", triggerOnItem: "routing_order", itemId: 2, ...step }];
  const envelope = pdfEnvelope(stage, {}, { workflow: { workflowSteps } });
  envelope.recipients.signers.push(second);
  return create(stage, envelope);
};

/** In which order, by which way, and who sees what. */
export const routingPrograms: Readonly<Record<string, Program>> = {
  "032": (stage) => stepped(stage, {}),
  "033": async (stage) => {
    const envelopeId = await stepped(stage, { itemId: 1 });
    const before = await workflowOf(stage, envelopeId);
    const envelope = { workflow: { workflowStatus: "in_progress" } };
    await stage.call("EnvelopesApi", "update", envelopeId, { envelope, resendEnvelope: true });
    const { workflowStatus } = await workflowOf(stage, envelopeId);
    if (before.workflowStatus !== "paused" || workflowStatus !== "in_progress") throw new Error("nothing is resumed");
  },
  "034": (stage) => {
    const filters = [{ scope: "tabs", recipientId: 1, tabLabel: "Approve", operator: "equals", value: true }];
    const recipientGroup = { groupName: "Approver", recipients: [{ ...bob, recipientLabel: "signer2a" }] };
    const conditions = [{ filters, order: 1, recipientLabel: "signer2a" }];
    const conditionalRecipients = [{ conditions, recipientGroup, recipientId: 2, order: 0 }];
    return stepped(stage, { status: "pending", recipientRouting: { rules: { conditionalRecipients } } });
  },
  "035": async (stage) => {
    const scheduledSending = { rules: [{ resumeDate: new Date(Date.now() + 86_400_000).toISOString() }] };
    const envelopeId = await create(stage, pdfEnvelope(stage, {}, { workflow: { scheduledSending } }));
    const { workflowStatus } = await workflowOf(stage, envelopeId);
    if (workflowStatus !== "paused") throw new Error("it was sent at once");
  },
  "036": (stage) => stepped(stage, { delayedRouting: { rules: [{ delay: "0.12:00:00" }] } }),
  "037": (stage) => {
    const bySms = { email: undefined, phoneNumber, deliveryMethod: "SMS" };
    return create(stage, orderEnvelope(stage, bySms, bySms));
  },
  "038": async (stage) => {
    const source = `<html><body><h1>Order</h1><p>Amount: <input data-ds-type="number"/></p>
      <p>Agreed: <ds-signature data-ds-role="Signer"/></p></body></html>`;
    const htmlDefinition = docusign.DocumentHtmlDefinition.constructFromObject({ source });
    const documents = [docusign.Document.constructFromObject({ name: "doc1.html", documentId: "1", htmlDefinition })];
    const signer = { clientUserId: 1000, roleName: "Signer", tabs: undefined };
    const envelopeId = await create(stage, orderEnvelope(stage, signer, {}, { documents }));
    await link(stage, envelopeId);
    const { signHereTabs, numberTabs } = await stage.call("EnvelopesApi", "listTabs", envelopeId, "1", null);
    if (signHereTabs.length !== 1 || numberTabs.length !== 1) throw new Error("fields in HTML are lost");
  },
  "039": async (stage) => {
    const { name: hostName, email: hostEmail } = bob;
    const signer = { hostName, hostEmail, signerName: "Sam", recipientId: 1, routingOrder: 1 };
    const inPersonSigners = [{ ...signer, tabs: signatures("/sn1/") }];
    const envelopeId = await create(stage, pdfEnvelope(stage, {}, { recipients: { inPersonSigners } }));
    await link(stage, envelopeId, { email: hostEmail, userName: hostName, clientUserId: undefined });
  },
  "040": async (stage) => {
    const first = { excludedDocuments: [2, 3], tabs: signatures("**signature_1**") };
    const envelope = orderEnvelope(stage, first, { recipientId: "3", routingOrder: "3" });
    envelope.recipients.signers.push({ ...second, excludedDocuments: [1] });
    const envelopeId = await create(stage, envelope);
    const { signers } = await stage.call("EnvelopesApi", "listRecipients", envelopeId, { includeTabs: true });
    const seen = signers.map(({ tabs }: Untyped) => tabs.signHereTabs.map(({ documentId }: Untyped) => documentId));
    if (seen.join(" ") !== "1 2,3") throw new Error(`fields are on ${seen.join(" ")}`);
  },
  "041": async (stage) => {
    const { identityVerification } = await stage.call("AccountsApi", "getAccountIdentityVerification", null);
    const name = "SMS for access & signatures";
    if (identityVerification.some((one: { defaultName: string }) => one.defaultName === name)) throw new Error(name);
    const asked = { workflowId: "c368e411-1592-4001-a3df-dca94ac539ae", steps: null };
    await create(stage, pdfEnvelope(stage, { clientUserId: 1000, identityVerification: asked }));
  },
  "042": async (stage) => {
    const signers = [{ roleName: "signer", recipientId: "1", routingOrder: "1" }];
    const envelopeTemplate = { name: "Document generation", emailSubject: "Please sign", recipients: { signers } };
    const { templateId } = await stage.call("TemplatesApi", "createTemplate", { envelopeTemplate });
    const documents = [{ documentId: 1, name: "OfferLetterDemo.docx", order: 1, ...stage.offer }];
    await stage.call("TemplatesApi", "updateDocument", templateId, "1", { envelopeDefinition: { documents } });
    await stage.call("TemplatesApi", "createTabs", templateId, "1", { templateTabs: signatures("Employee Signature") });
    const draft = await create(stage, {
      templateId,
      status: "created",
      templateRoles: [{ ...ann, roleName: "signer" }],
    });
    const { docGenFormFields } = await stage.call("EnvelopesApi", "getEnvelopeDocGenFormFields", draft, null);
    const [{ documentId, docGenFormFieldList: asked }] = docGenFormFields;
    const row = (component: string, details: string) => ({
      docGenFormFieldList: [
        { name: "Compensation_Component", value: component },
        { name: "Details", value: details },
      ],
    });
    const rowValues = [row("Salary", "$134,000"), row("Bonus", "Up to 20 percent")];
    const fields = [
      { name: "Candidate_Name", value: "Peggy Olson" },
      { name: "Job_Title", value: "Technical Writer" },
      { name: "Compensation_Package", type: "TableRow", rowValues },
    ];
    const names = asked.map(({ name, type }: { name: string; type: string }) => `${name} ${type}`);
    if (`${names}` !== "Candidate_Name TextBox,Job_Title TextBox,Compensation_Package TableRow") {
      throw new Error(`other fields: ${names}`);
    }
    const docGenFormFieldRequest = { docGenFormFields: [{ documentId, docGenFormFieldList: fields }] };
    await stage.call("EnvelopesApi", "updateEnvelopeDocGenFormFields", draft, { docGenFormFieldRequest });
    await stage.call("EnvelopesApi", "update", draft, { envelope: { status: "sent" } });
    const pdf = Buffer.from(await stage.call("EnvelopesApi", "getDocument", draft, "1", {}), "latin1");
    const texts = ["Peggy Olson", "Technical Writer", "Salary", "$134,000", "Bonus", "Up to 20 percent", "{{"];
    const wanted = texts.map((text) => ({ text, caseSensitive: true, wholeWord: false }));
    const found = (await findTexts(pdf, wanted)).map((places) => places.length);
    if (`${found}` !== "1,1,1,1,1,1,0") throw new Error(`the document says ${found}`);
  },
  "043": async (stage) => {
    const found = await stage.call("UsersApi", "list", { email: "agent@example.com", status: "Active" });
    if (found.resultSetSize > 0) throw new Error("there is an agent");
    const newUsers = [{ userName: "Agent", email: "agent@example.com", activationAccessCode: "1234" }];
    await stage.call("UsersApi", "create", { newUsersDefinition: { newUsers } });
  },
  "044": async (stage) => {
    const envelopeId = await create(stage, pdfEnvelope(stage, { clientUserId: 1000 }));
    const frameAncestors = ["https://localhost:3000", "https://apps-d.docusign.com"];
    await link(stage, envelopeId, { frameAncestors, messageOrigins: ["https://apps-d.docusign.com"] });
  },
  "045": async (stage) => {
    const envelopeIds = [left(stage, "envelope")];
    await stage.call("FoldersApi", "moveEnvelopes", "recyclebin", { foldersRequest: { envelopeIds } });
    await stage.call("FoldersApi", "list", null);
    const foldersRequest = { envelopeIds, fromFolderId: "recyclebin" };
    await stage.call("FoldersApi", "moveEnvelopes", "sentitems", { foldersRequest });
  },
  "046": (stage) => {
    const also = {
      additionalNotifications: [{ secondaryDeliveryMethod: "SMS", phoneNumber }],
      deliveryMethod: "Email",
    };
    return create(stage, orderEnvelope(stage, also, also));
  },
};
