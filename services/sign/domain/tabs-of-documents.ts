import type { Recipient } from "./agreement.ts";

/**
 * The recipients without the tabs that stand on these documents, by the ids of the integration. Tabs that only an anchor
 * places stay: they belong to no document.
 */
export const withoutTabsOf = (
  recipients: readonly Recipient[],
  documentIds: ReadonlySet<string>,
): readonly Recipient[] =>
  recipients.map((recipient) => {
    const tabs = recipient.tabs.filter(({ documentId }) => documentId === null || !documentIds.has(documentId));
    return tabs.length === recipient.tabs.length ? recipient : { ...recipient, tabs };
  });
