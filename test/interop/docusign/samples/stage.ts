import { base64, orderHtml } from "../support/documents.ts";
import { docusign, type Untyped } from "../support/sdk.ts";

/** What a sample program has: the SDK with an account, its files, and what earlier programs have left. */
export interface Stage {
  /** Calls a method of a class of the SDK with the account. */
  call(className: string, method: string, ...parameters: unknown[]): Promise<Untyped>;
  /** The one program without the SDK sends its envelope like this. */
  post(path: string, body: Buffer, headers: Readonly<Record<string, string>>): Promise<Untyped>;
  readonly pdf: Buffer;
  /** A Word file, or a text where nothing converts Word files. */
  readonly plan: { readonly fileExtension: string; readonly documentBase64: string };
  /** A Word file with the fields of an offer. */
  readonly offer: { readonly fileExtension: string; readonly documentBase64: string };
  /** Ids by what they are of. */
  readonly kept: Map<string, string>;
}

/** Rejects with what was refused. */
export type Program = (stage: Stage) => Promise<unknown>;

export const ann = { email: "ann@example.com", name: "Ann Example" };
export const bob = { email: "bob@example.com", name: "Bob Example" };
export const cara = { email: "cara@example.com", name: "Cara Example" };
export const returnUrl = "http://localhost:3000/ds-return";

const signHere = (anchorString: string): Untyped =>
  docusign.SignHere.constructFromObject({
    ...{ anchorString, anchorYOffset: "10", anchorUnits: "pixels", anchorXOffset: "20" },
  });

export const signatures = (...anchors: readonly string[]): Untyped =>
  docusign.Tabs.constructFromObject({ signHereTabs: anchors.map(signHere) });

const document = (documentId: string, name: string, content: object): Untyped =>
  docusign.Document.constructFromObject({ documentId, name, ...content });

export const html = (content: string): object => ({ fileExtension: "html", documentBase64: base64(content) });
const order = document("1", "Order acknowledgement", html(orderHtml));

/** An envelope with one PDF, for this signer. */
export const pdfEnvelope = ({ pdf }: Stage, signer: object = {}, more: object = {}): Untyped =>
  docusign.EnvelopeDefinition.constructFromObject({
    emailSubject: "Please sign this document",
    documents: [document("1", "Lorem Ipsum", { fileExtension: "pdf", documentBase64: base64(pdf) })],
    recipients: {
      signers: [{ ...ann, recipientId: "1", routingOrder: "1", tabs: signatures("/sn1/"), ...signer }],
    },
    status: "sent",
    ...more,
  });

/** An envelope with HTML, a Word file and a PDF, for a signer and somebody who receives a copy. */
export const orderEnvelope = (stage: Stage, signer: object = {}, copy: object = {}, more: object = {}): Untyped => {
  const copies = [{ ...cara, recipientId: "2", routingOrder: "2", ...copy }];
  const plan = document("2", "Battle Plan", stage.plan);
  const lorem = document("3", "Lorem Ipsum", { fileExtension: "pdf", documentBase64: base64(stage.pdf) });
  return docusign.EnvelopeDefinition.constructFromObject({
    emailSubject: "Please sign this document set",
    documents: [order, plan, lorem],
    recipients: {
      signers: [
        { ...ann, recipientId: "1", routingOrder: "1", tabs: signatures("**signature_1**", "/sn1/"), ...signer },
      ],
      carbonCopies: copies,
    },
    status: "sent",
    ...more,
  });
};

/** Makes an envelope, and says what its id is. */
export const create = async ({ call }: Stage, envelopeDefinition: object): Promise<string> =>
  (await call("EnvelopesApi", "createEnvelope", { envelopeDefinition })).envelopeId;

/** Asks for a link for the person, and says where it leads. */
export const link = async ({ call }: Stage, envelopeId: string, more: object = {}): Promise<string> => {
  const recipientViewRequest = {
    ...{ returnUrl: `${returnUrl}?state=123`, authenticationMethod: "none", pingFrequency: 600 },
    ...{ pingUrl: "http://localhost:3000/", email: ann.email, userName: ann.name, clientUserId: 1000, ...more },
  };
  const { url } = await call("EnvelopesApi", "createRecipientView", envelopeId, { recipientViewRequest });
  if (!URL.canParse(url)) throw new Error(`${url} leads nowhere`);
  return url;
};

/** What an earlier program has left. */
export function left({ kept }: Stage, name: string): string {
  const found = kept.get(name);
  if (found === undefined) throw new Error(`no earlier program has left ${name}`);
  return found;
}
