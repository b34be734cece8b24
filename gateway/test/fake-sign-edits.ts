import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { CustomFieldSchema, TabSchema, TabStatus } from "#gen/assent/sign/v1/agreement_pb.ts";
import { type AgreementLockSchema, TargetSchema } from "#gen/assent/sign/v1/sign_pb.ts";
import type { Caller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { defined } from "#platform/json-object.ts";
import { type FakeSignCore, requireDraft, type SignHandlers } from "./fake-sign.ts";
import { at } from "./sample-agreement.ts";

/** What changes tabs, custom fields and locks. */
export function createFakeSignEdits({ enter, find }: FakeSignCore): SignHandlers {
  const locks = new Map<string, MessageInitShape<typeof AgreementLockSchema>>();
  const agreementIn = ({ agreementId }: { readonly agreementId: string }, caller: Caller) =>
    find(create(TargetSchema, { id: { case: "agreementId", value: agreementId } }), caller).id;
  /** One that nobody has locked before was locked by somebody who names no token. */
  const lockIn = (request: { readonly agreementId: string }, caller: Caller) => {
    const id = agreementIn(request, caller);
    const lock = locks.get(id) ?? { durationSeconds: 300, app: "Desk", lockedBy: "cl_other", lockedUntil: at(9) };
    return { id, lock };
  };
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
    lockAgreement: (request, context) => {
      const caller = enter(context, "lockAgreement", request);
      const id = agreementIn(request, caller);
      const { durationSeconds = 300, app } = request;
      if (locks.has(id)) throw new DomainError("ENVELOPE_LOCKED");
      const lock = { token: newId(), durationSeconds, app, lockedBy: caller.clientId, lockedUntil: at(9) };
      locks.set(id, lock);
      return { lock };
    },
    getAgreementLock: (request, context) => lockIn(request, enter(context, "getAgreementLock", request)),
    extendAgreementLock: (request, context) => {
      const { lock } = lockIn(request, enter(context, "extendAgreementLock", request));
      return { lock: { ...lock, ...defined({ durationSeconds: request.durationSeconds, app: request.app }) } };
    },
    unlockAgreement: (request, context) => {
      const { id, lock } = lockIn(request, enter(context, "unlockAgreement", request));
      locks.delete(id);
      return { lock };
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
