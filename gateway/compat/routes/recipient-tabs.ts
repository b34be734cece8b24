import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CallOptions } from "@connectrpc/connect";
import { readTabIds, type TabInput, tabsView } from "#api/compat-tabs.ts";
import { type Agreement, type Recipient, type Tab, TabType } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { TabsCorrectionSchema } from "#gen/assent/sign/v1/sign_pb.ts";
import type { ErrorCode } from "#platform/errors.ts";
import { jsonReply } from "../../http/reply.ts";
import { jsonBody, onBehalfOf, type Route, type RouteRequest } from "../../routes/route.ts";
import { required } from "../../routes/schema-parts.ts";
import type { Services } from "../../routes/services.ts";
import { fileErrors } from "../../routes/sign/base.ts";
import { type Reader, readWith } from "../read/reader.ts";
import { readSupportedTabs } from "../read/recipients.ts";
import { defineCompatRoute } from "../route.ts";
import { changeOrCorrect } from "../target.ts";
import { tabsBody, tabsExample, tabsSchema } from "./envelope-schemas.ts";
import { type Holder, paramOf, recipientIn, targetIn } from "./recipients.ts";

const bytes = 2 * 1024 * 1024;
const byIdsExample = { signHereTabs: [{ tabId: "01961234-5678-7abc-8def-0123456789ab", xPosition: "120" }] };
const body = (example: unknown) => jsonBody<object>({ schema: tabsBody, maxBytes: bytes, example });

const changeErrors = [
  ...["RECIPIENT_ALREADY_SIGNED", "ENVELOPE_CANNOT_BE_MODIFIED", "ANCHOR_TAB_STRING_NOT_FOUND"],
  ...["CORRUPTED_DOCUMENT", ...fileErrors],
] as const satisfies readonly ErrorCode[];

type Changes = Pick<MessageInitShape<typeof TabsCorrectionSchema>, "add" | "change" | "removeTabIds">;

/** What changing and correcting have in common. */
interface ChangeAnswer {
  readonly agreement?: Agreement | undefined;
  readonly tabIds: readonly string[];
}

/** Tabs and their recipient. */
interface TabsOf {
  readonly recipient: Recipient;
  readonly tabs: readonly Tab[];
}

export const recipientTabRoutes = (holder: Holder): readonly Route[] => {
  const { name, noun, root, tag } = holder;
  const path = `${root}/recipients/{recipientId}/tabs` as const;
  const base = { tag, scopes: ["sign:write"], path } as const;
  const read = async (request: RouteRequest, sign: Services["sign"], options: CallOptions): Promise<Recipient> => {
    const { agreement } = await sign.getAgreement({ target: targetIn(holder, request) }, options);
    return recipientIn(required(agreement), paramOf(request, "recipientId"));
  };
  const change = (request: RouteRequest, sign: Services["sign"], changes: Changes): Promise<ChangeAnswer> => {
    const { observed } = request;
    const options = onBehalfOf(request);
    const target = targetIn(holder, request);
    const asked = { recipientId: paramOf(request, "recipientId"), ...changes };
    return changeOrCorrect<ChangeAnswer>(
      target,
      () => sign.changeTabs({ target, ...asked, observed }, options),
      (correction) => sign.correctAgreement({ ...correction, tabs: [asked], observed }, options),
    );
  };
  return [
    defineCompatRoute({
      tag,
      scopes: ["sign:read"],
      operationId: `compatList${name}Tabs`,
      method: "GET",
      path,
      summary: `Read the tabs of a recipient of ${noun}`,
      success: { status: 200, description: "The tabs.", schema: tabsSchema },
      errors: [],
      call: (request, { sign }) => read(request, sign, onBehalfOf(request)),
      respond: (recipient) => jsonReply(200, tabsView(recipient.tabs, recipient)),
    }),
    defineCompatRoute({
      ...base,
      operationId: `compatCreate${name}Tabs`,
      method: "POST",
      summary: `Add tabs to a recipient of ${noun}`,
      body: body(tabsExample),
      success: { status: 201, description: "The tabs that were added.", schema: tabsSchema },
      errors: changeErrors,
      call: async (request, { sign }) => {
        const add = readWith(request.body, someTabs).map((tab) => ({ ...tab, tabId: "" }));
        const { agreement, tabIds } = await change(request, sign, { add });
        return changedIn(required(agreement), paramOf(request, "recipientId"), tabIds);
      },
      respond: ({ recipient, tabs }) => jsonReply(201, tabsView(tabs, recipient)),
    }),
    defineCompatRoute({
      ...base,
      operationId: `compatUpdate${name}Tabs`,
      method: "PUT",
      summary: `Change tabs of a recipient of ${noun}`,
      description: "Identified by tabId. Absent members stay as they are.",
      body: body(byIdsExample),
      success: { status: 200, description: "The tabs that were changed.", schema: tabsSchema },
      errors: [...changeErrors, "TAB_NOT_FOUND"],
      call: async (request, { sign }) => {
        const options = onBehalfOf(request);
        const given = readWith(request.body, (reader) => {
          readTabIds(reader);
          return someTabs(reader);
        });
        const known = given.some(isGroup) ? (await read(request, sign, options)).tabs : [];
        const tabs = given.map((tab) => ({ ...tab, tabId: ownId(tab.tabId ?? "", known) }));
        const { agreement, tabIds } = await change(request, sign, { change: tabs });
        return changedIn(required(agreement), paramOf(request, "recipientId"), tabIds);
      },
      respond: ({ recipient, tabs }) => jsonReply(200, tabsView(tabs, recipient)),
    }),
    defineCompatRoute({
      ...base,
      operationId: `compatDelete${name}Tabs`,
      method: "DELETE",
      summary: `Remove tabs from a recipient of ${noun}`,
      description: "Identified by tabId.",
      body: body(byIdsExample),
      success: { status: 200, description: "The tabs that were removed, as they were.", schema: tabsSchema },
      errors: [...changeErrors, "TAB_NOT_FOUND"],
      call: async (request, { sign }): Promise<TabsOf> => {
        const options = onBehalfOf(request);
        const ids = readWith(request.body, (reader) => some(reader, readTabIds(reader)));
        const recipient = await read(request, sign, options);
        const removeTabIds = ids.map((id) => ownId(id, recipient.tabs));
        await change(request, sign, { removeTabIds });
        return { recipient, tabs: recipient.tabs.filter(({ tabId }) => removeTabIds.includes(tabId)) };
      },
      respond: ({ recipient, tabs }) => jsonReply(200, tabsView(tabs, recipient)),
    }),
  ];
};

const changedIn = (agreement: Agreement, recipientId: string, tabIds: readonly string[]): TabsOf => {
  const recipient = recipientIn(agreement, recipientId);
  return { recipient, tabs: recipient.tabs.filter(({ tabId }) => tabIds.includes(tabId)) };
};

const isGroup = ({ type }: TabInput): boolean => type === TabType.RADIO_GROUP;

/** A radio's id is used as its group's id, because the SDKs' models have no field for that. */
function ownId(id: string, tabs: readonly Tab[]): string {
  const tabId = id.toLowerCase();
  return tabs.find(({ buttons }) => buttons.some((button) => button.tabId === tabId))?.tabId ?? tabId;
}

const someTabs = (reader: Reader): TabInput[] => some(reader, readSupportedTabs(reader));

function some<Item>(reader: Reader, items: Item[]): Item[] {
  if (items.length === 0) reader.problem("signHereTabs", "REQUIRED", "or another kind of tabs is required");
  return items;
}
