import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { ClickService, EvidenceLogService } from "#gen/assent/click/v1/click_pb.ts";
import { PersonalDataService } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";

/** The services that keep something of people, in the order in which it is erased there. */
export const holderNames = ["sign", "click", "webhooks", "docgen"] as const;
export type HolderName = (typeof holderNames)[number];

/** Those that keep something for an organization: templates says nothing of people. */
export const exporterNames = [...holderNames, "templates"] as const;
type ExporterName = (typeof exporterNames)[number];

export type HolderTransports = Readonly<Record<ExporterName, Transport>>;
export interface Holders extends Readonly<Record<ExporterName, Client<typeof PersonalDataService>>> {
  /** Where legal holds are kept. */
  readonly holds: Pick<Client<typeof SignService>, "findPersonHold">;
  /** Where the logs end, who signs, and which campaigns an organization has. */
  readonly heads: Pick<Client<typeof ClickService>, "getCheckpoint" | "getCampaign">;
  readonly log: Pick<Client<typeof EvidenceLogService>, "signDestruction">;
  /** Which templates an organization has, and what was ever published of them. */
  readonly texts: Pick<Client<typeof TemplatesService>, "getTemplate" | "getRevision">;
  /** What organizations do, counted. */
  readonly use: Pick<Client<typeof WebhooksService>, "countUse">;
}

export const createHolders = ({ sign, click, webhooks, docgen, templates }: HolderTransports): Holders => ({
  holds: createClient(SignService, sign),
  heads: createClient(ClickService, click),
  log: createClient(EvidenceLogService, click),
  texts: createClient(TemplatesService, templates),
  use: createClient(WebhooksService, webhooks),
  sign: createClient(PersonalDataService, sign),
  click: createClient(PersonalDataService, click),
  webhooks: createClient(PersonalDataService, webhooks),
  docgen: createClient(PersonalDataService, docgen),
  templates: createClient(PersonalDataService, templates),
});
