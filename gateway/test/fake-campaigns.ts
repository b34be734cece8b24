import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";

type Handlers = Pick<
  ServiceImpl<typeof ClickService>,
  | "createCampaign"
  | "listCampaigns"
  | "getCampaign"
  | "updateCampaign"
  | "addCampaignPeople"
  | "listCampaignPeople"
  | "startCampaign"
  | "cancelCampaign"
  | "deleteCampaign"
  | "removeCampaignPerson"
>;

/** The one campaign of an organization has an id that follows from the organization's. */
export const campaignOf = (orgId: string): string => `01961234-5678-7abc-8ca0-${orgId.slice(-12)}`;

const at = timestampFromDate(new Date("2026-11-20T17:00:00.123Z"));
const count = { people: 2, unchecked: 0, asked: 1, accepted: 1, declined: 0, withdrawn: 0, outstanding: 1, erased: 0 };

const sample = (context: HandlerContext, id?: string) => {
  const own = campaignOf(requireCaller(context).orgId);
  if (id !== undefined && id.toLowerCase() !== own) throw new DomainError("CLICK_CAMPAIGN_NOT_FOUND");
  return {
    ...{
      id: own,
      name: "Terms 2027",
      templateId: own,
      status: "RUNNING",
      dueAt: at,
      createdBy: "cl_test",
      createdAt: at,
    },
    ...{ reminders: { daysBefore: [3], at: "09:00", timeZone: "UTC" }, counts: count },
  };
};

/** Campaigns as the click service answers them. */
export const fakeCampaigns: Handlers = {
  createCampaign: (_request, context) => ({ campaign: sample(context) }),
  listCampaigns: (_request, context) => ({ campaigns: [sample(context)] }),
  getCampaign: ({ campaignId }, context) => ({ campaign: sample(context, campaignId) }),
  updateCampaign: ({ campaignId }, context) => ({ campaign: sample(context, campaignId) }),
  addCampaignPeople: ({ campaignId, userRefs }, context) => ({
    added: userRefs.length,
    campaign: sample(context, campaignId),
  }),
  listCampaignPeople: ({ campaignId }, context) => {
    sample(context, campaignId);
    return { people: [{ userRef: "user-42", state: "ASKED" }] };
  },
  removeCampaignPerson: ({ campaignId }, context) => {
    sample(context, campaignId);
    return {};
  },
  startCampaign: ({ campaignId }, context) => ({ campaign: sample(context, campaignId) }),
  cancelCampaign: ({ campaignId }, context) => ({ campaign: sample(context, campaignId) }),
  deleteCampaign: ({ campaignId }, context) => {
    sample(context, campaignId);
    return {};
  },
};
