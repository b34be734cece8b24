import { tabsView } from "#api/compat-tabs.ts";
import type { Agreement } from "#gen/assent/sign/v1/agreement_pb.ts";
import { DomainError } from "#platform/errors.ts";
import type { Written } from "../../../views/compat/scalars.ts";
import { jsonReply } from "../../http/reply.ts";
import { required } from "../../routes/required.ts";
import { onBehalfOf, type Route } from "../../routes/route.ts";
import { defineCompatRoute } from "../route.ts";
import type { TargetRoot } from "../target-root.ts";
import { tabsSchema } from "./envelope-schemas.ts";

/** The tabs on a document, of all recipients. */
export const documentTabsRoute = (root: TargetRoot): Route =>
  defineCompatRoute({
    tag: root.tag,
    scopes: ["sign:read"],
    operationId: `${root.idPrefix}ListDocumentTabs`,
    method: "GET",
    path: `${root.path}/documents/{documentId}/tabs`,
    summary: "Read the tabs on a document",
    description: "Of all recipients. Those with an anchor are on no document until the envelope is sent.",
    success: { status: 200, description: "The tabs, each with its recipientId.", schema: tabsSchema },
    errors: [],
    call: async (request, { sign }) => {
      const { documentId } = request.params as unknown as { readonly documentId: string };
      const target = root.targetOf(request.params);
      const { agreement } = await sign.getAgreement({ target }, onBehalfOf(request));
      return tabsOnDocument(required(agreement), documentId);
    },
    respond: (tabs) => jsonReply(200, tabs),
  });

function tabsOnDocument({ documents, recipients }: Agreement, wanted: string): Readonly<Record<string, Written>> {
  const document =
    documents.find(({ documentId }) => documentId === wanted) ??
    documents.find(({ id }) => id === wanted.toLowerCase());
  if (document === undefined) throw new DomainError("DOCUMENT_NOT_FOUND");
  const kinds = new Map<string, Written[]>();
  for (const recipient of recipients) {
    const tabs = recipient.tabs.filter(({ documentId }) => documentId === document.documentId);
    for (const [kind, written] of Object.entries(tabsView(tabs, recipient))) {
      kinds.set(kind, [...(kinds.get(kind) ?? []), ...(written as readonly Written[])]);
    }
  }
  return Object.fromEntries(kinds);
}
