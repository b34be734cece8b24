import { create } from "@bufbuild/protobuf";
import { CustomFieldSchema, TabSchema, TabStatus } from "#gen/assent/sign/v1/agreement_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { type FakeSignCore, requireDraft, type SignHandlers } from "./fake-sign.ts";

/** What changes tabs and custom fields. */
export function createFakeSignEdits({ enter, find }: FakeSignCore): SignHandlers {
  return {
    changeTabs: (request, context) => {
      const agreement = find(request.target, enter(context, "changeTabs", request));
      const recipient = agreement.recipients.find(({ recipientId, id }) =>
        [recipientId, id].includes(request.recipientId),
      );
      if (recipient === undefined) throw new DomainError("RECIPIENT_NOT_FOUND");
      requireDraft(agreement);
      const named = [...request.change.map(({ tabId }) => tabId), ...request.removeTabIds];
      if (named.some((id) => !recipient.tabs.some(({ tabId }) => tabId === id))) throw new DomainError("TAB_NOT_FOUND");
      const added = request.add.map((tab) => create(TabSchema, { ...tab, tabId: newId(), status: TabStatus.ACTIVE }));
      for (const change of request.change) {
        const given = Object.entries(change).filter(([, value]) => value !== undefined && !isEmptyList(value));
        const known = recipient.tabs.find(({ tabId }) => tabId === change.tabId);
        Object.assign(known ?? {}, Object.fromEntries(given), { status: TabStatus.ACTIVE });
      }
      recipient.tabs = [...recipient.tabs.filter(({ tabId }) => !request.removeTabIds.includes(tabId)), ...added];
      return { agreement, tabIds: [...added, ...request.change].map(({ tabId }) => tabId) };
    },
    changeCustomFields: (request, context) => {
      const agreement = find(request.target, enter(context, "changeCustomFields", request));
      requireDraft(agreement);
      agreement.customFields = agreement.customFields.filter(
        ({ fieldId, name }) =>
          !request.removeFieldIds.includes(fieldId) &&
          !request.set.some((field) => (field.fieldId === "" ? field.name === name : field.fieldId === fieldId)),
      );
      const set = request.set.map((field) =>
        create(CustomFieldSchema, { ...field, fieldId: field.fieldId || "10000000001" }),
      );
      agreement.customFields.push(...set);
      return { agreement };
    },
  };
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
