import { base64, orderHtml } from "../support/documents.ts";
import { docusign } from "../support/sdk.ts";
import { ann, cara, create, html, left, link, orderEnvelope, type Program, type Stage, signatures } from "./stage.ts";

/** Templates and brands, and what is made from them. */
export const templatePrograms: Readonly<Record<string, Program>> = {
  "008": async ({ call, pdf, kept }) => {
    const template = { name: "Example Signer and CC template" };
    const found = await call("TemplatesApi", "listTemplates", { searchText: template.name });
    if (found.resultSetSize > 0) throw new Error("there is one");
    await call("TemplatesApi", "createTemplate", { envelopeTemplate: { ...templateOf(pdf), ...template } });
    const { envelopeTemplates } = await call("TemplatesApi", "listTemplates", { searchText: template.name });
    kept.set("template", envelopeTemplates[0].templateId);
  },
  "009": (stage) => create(stage, { templateId: left(stage, "template"), templateRoles: roles(), status: "sent" }),
  "013": async (stage) => {
    const signer = { ...ann, roleName: "signer", recipientId: "1", clientUserId: 1000 };
    const carbonCopies = [{ ...cara, roleName: "cc", recipientId: "2" }];
    const adding = { ...ann, roleName: "signer", recipientId: "1", tabs: signatures("**signature_1**") };
    const inline = (sequence: string, one: object) => ({ sequence, recipients: { carbonCopies, signers: [one] } });
    const serverTemplates = [{ sequence: "1", templateId: left(stage, "template") }];
    const compositeTemplates = [
      { compositeTemplateId: "1", serverTemplates, inlineTemplates: [inline("2", signer)] },
      {
        ...{ compositeTemplateId: "2", inlineTemplates: [inline("1", adding)] },
        document: { documentId: "1", name: "Appendix 1--Sales order", ...html(orderHtml) },
      },
    ];
    await link(stage, await create(stage, { status: "sent", compositeTemplates }));
  },
  "017": async (stage) => {
    const tabs = {
      checkboxTabs: ["ckAuthorization", "ckAgreement"].map((tabLabel) => ({ tabLabel, selected: "true" })),
      radioGroupTabs: [{ groupName: "radio1", radios: [{ value: "white", selected: "true" }] }],
      listTabs: [{ value: "green", documentId: "1", pageNumber: "1", tabLabel: "list" }],
      textTabs: [
        { tabLabel: "text", value: "Jabberwocky!" },
        {
          ...{ documentId: "1", pageNumber: "1", xPosition: "280", yPosition: "172", tabLabel: "added text field" },
          ...{ font: "helvetica", fontSize: "size14", height: "23", width: "84", required: "false", bold: "true" },
          ...{ value: ann.name, locked: "false" },
        },
      ],
    };
    const textCustomFields = [{ name: "app metadata item", required: "false", show: "true", value: "1234567" }];
    const templateRoles = roles({ clientUserId: 1000, tabs });
    const templateId = left(stage, "template");
    const customFields = { textCustomFields };
    await link(stage, await create(stage, { templateId, status: "sent", templateRoles, customFields }));
  },
  "028": async ({ call, kept }) => {
    const brand = { brandName: "World Wide Corp", defaultBrandLanguage: "en" };
    const { brands } = await call("AccountsApi", "createBrand", { brand });
    kept.set("brand", brands[0].brandId);
  },
  "029": async (stage) => {
    await stage.call("AccountsApi", "listBrands", null);
    await create(stage, orderEnvelope(stage, {}, {}, { brandId: left(stage, "brand") }));
  },
  "030": async (stage) => {
    const [templateId, brandId] = [left(stage, "template"), left(stage, "brand")];
    await create(stage, { templateId, brandId, templateRoles: roles(), status: "sent" });
  },
};

const roles = (signer: object = {}): object[] => [
  { ...ann, roleName: "signer", ...signer },
  { ...cara, roleName: "cc" },
];

/** Two roles and a tab of each kind that programs fill in. */
function templateOf(pdf: Stage["pdf"]): object {
  const at = (xPosition: string, yPosition: string, more: object = {}) => ({
    ...{ documentId: "1", pageNumber: "1", xPosition, yPosition, required: "false", ...more },
  });
  const tabs = docusign.Tabs.constructFromObject({
    signHereTabs: [at("191", "148")],
    checkboxTabs: ["ckAuthorization", "ckAgreement"].map((tabLabel, row) =>
      at("75", `${417 + row * 30}`, { tabLabel }),
    ),
    listTabs: [
      at("142", "291", { tabLabel: "list", listItems: ["red", "green"].map((value) => ({ text: value, value })) }),
    ],
    radioGroupTabs: [
      {
        documentId: "1",
        groupName: "radio1",
        radios: [at("142", "384", { value: "white" }), at("74", "384", { value: "red" })],
      },
    ],
    textTabs: [
      at("153", "230", { tabLabel: "text", height: "23", width: "84" }),
      at("153", "260", { tabLabel: "numbersOnly" }),
    ],
  });
  return {
    ...{ description: "Example template created via the API", shared: "false", status: "created" },
    emailSubject: "Please sign this document",
    documents: [{ documentId: "1", name: "Lorem Ipsum", fileExtension: "pdf", documentBase64: base64(pdf) }],
    recipients: {
      signers: [{ roleName: "signer", recipientId: "1", routingOrder: "1", tabs }],
      carbonCopies: [{ roleName: "cc", recipientId: "2", routingOrder: "2" }],
    },
  };
}
