import type { MessageInitShape } from "@bufbuild/protobuf";
import { defined } from "#api/spelling.ts";
import type { AgreementDefinitionSchema } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { OutboundRules } from "#platform/net/outbound-url.ts";
import type { DocumentFile } from "../../document-bodies/document-file.ts";
import { readEventData, requireUrl } from "../connect/settings.ts";
import { readCustomFields } from "./custom-fields.ts";
import { readDocuments } from "./documents.ts";
import { readNotification } from "./notification.ts";
import type { Reader } from "./reader.ts";
import { readRecipients } from "./recipients.ts";
import { refuseMeaningful } from "./refuse.ts";

export type DefinitionInit = MessageInitShape<typeof AgreementDefinitionSchema>;

/** What comes with a definition, or decides what it may say. */
export interface DefinitionContext {
  readonly files: readonly DocumentFile[];
  /** Where events may be sent. */
  readonly receiverRules: OutboundRules;
}

/** What a definition of an envelope or of a template says of its own, without the templates that it is made from. */
export function readDefinition(definition: Reader, { files, receiverRules }: DefinitionContext): DefinitionInit {
  refuseMeaningful(definition, ["workflow", "enforceSignerVisibility"]);
  const emailSettings = definition.object("emailSettings");
  if (emailSettings !== undefined) refuseMeaningful(emailSettings, ["bccEmailAddresses"]);
  return defined({
    emailSubject: definition.text("emailSubject"),
    emailBlurb: definition.text("emailBlurb"),
    documents: readDocuments(definition, files),
    recipients: readRecipients(definition.object("recipients")),
    customFields: readCustomFields(definition.object("customFields")),
    notification: readNotification(definition.object("notification")) ?? readExpiry(definition),
    transactionId: definition.text("transactionId"),
    subscriptionJson: readSubscription(definition, receiverRules),
  });
}

/** Older clients say it beside the subject. */
function readExpiry(definition: Reader): DefinitionInit["notification"] {
  const found = defined({
    expireEnabled: definition.flag("expireEnabled"),
    expireAfter: definition.integer("expireAfter", { min: 0, max: 999 }),
  });
  return Object.keys(found).length === 0 ? undefined : found;
}

/** Where the events of this envelope go, as it was said. */
function readSubscription(definition: Reader, rules: OutboundRules): string | undefined {
  const one = definition.object("eventNotification");
  const several = definition.objects("eventNotifications");
  const all = [...(one === undefined ? [] : [one]), ...several];
  for (const notification of all) checkNotification(notification, rules);
  if (all.length === 0) return undefined;
  return JSON.stringify({
    eventNotification: definition.raw("eventNotification"),
    eventNotifications: several.length === 0 ? undefined : definition.raw("eventNotifications"),
  });
}

function checkNotification(notification: Reader, rules: OutboundRules): void {
  refuseMeaningful(notification, ["includeOAuth", "requireMutualTls", "useSoapInterface"]);
  const eventData = notification.object("eventData");
  if (eventData !== undefined) readEventData(eventData);
  requireUrl(notification, "url", notification.text("url")?.trim(), rules);
}
