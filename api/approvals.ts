import {
  ApprovalRequestSchema,
  ApprovalSchema,
  ApprovalStatus,
  DecideVersionApprovalRequestSchema,
  PublicationRulesSchema,
  RequestVersionApprovalRequestSchema,
  SetPublicationRulesRequestSchema,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { flag, hash, languageTag, list, named, orNull, text, time, uuid } from "./kinds.ts";
import { type AnswerOf, given, optional, readOnly, required } from "./members.ts";
import { resource, shown } from "./resource.ts";

const writers = {
  description: "The authors of the text: clients, and people as user: and their ID.",
  example: ["user:01961234-5678-7abc-8def-0123456789ab"],
} as const;
const asker = { description: "A client, or user: and a user ID." } as const;

/** Whether the text that would be published now is approved. */
export const versionApproval = shown(ApprovalSchema, {
  required: readOnly(flag, { description: "Whether your organization requires approvals." }),
  status: readOnly(named(ApprovalStatus, "upper", ["REQUESTED", "NONE", "APPROVED", "REFUSED", "OUTDATED"]), {
    description:
      "NONE if no one has asked since the last publication; OUTDATED if the text has been saved or published since.",
  }),
  textHash: readOnly(orNull(hash), {
    description:
      "The hash of the text that would be published now, as last saved. null if there is nothing to publish.",
  }),
  authors: readOnly(list(text()), writers),
  requestedBy: readOnly(orNull(text()), asker),
  requestedAt: readOnly(orNull(time)),
  note: readOnly(orNull(text()), { description: "The requester's note." }),
  decidedBy: readOnly(orNull(text()), { description: "Who approved or refused: user: and a user ID." }),
  decidedAt: readOnly(orNull(time)),
  reason: readOnly(orNull(text()), { description: "The reviewer's note or reason." }),
  people: given<readonly NamedPerson[]>(
    {
      type: "array",
      items: {
        type: "object",
        required: ["id", "name"],
        properties: { id: { type: "string" }, name: { type: "string" } },
        additionalProperties: false,
      },
    },
    {
      description:
        "The people's names by user: and their ID, for signed-in dashboard users; empty for programs. Removed users are left out.",
      example: [{ id: "user:01961234-5678-7abc-8def-0123456789ab", name: "Ann Example" }],
    },
  ),
});

/** What somebody is called. */
export interface NamedPerson {
  readonly id: string;
  readonly name: string;
}

/** What asks for an approval. */
export const approvalWish = resource(RequestVersionApprovalRequestSchema, {
  note: optional(orNull(text()), { description: "A note for the reviewer; at most 2,000 characters." }),
  textHash: optional(orNull(text()), {
    description: "The textHash you read. If the text has been saved since, nothing is requested.",
  }),
});

const decidedText = required(text(), {
  description: "The textHash of the text you read. The decision applies to exactly this text.",
  example: `sha256:${"0".repeat(64)}`,
});

export const consentToText = resource(DecideVersionApprovalRequestSchema, {
  textHash: decidedText,
  reason: optional(orNull(text()), { description: "A note to keep with the approval." }),
});

export const refusalOfText = resource(DecideVersionApprovalRequestSchema, {
  textHash: decidedText,
  reason: required(text(1, 2_000), { description: "What has to change.", example: "Section 3 is missing." }),
});

/** A text that waits for an approval. */
export const approvalRequest = shown(ApprovalRequestSchema, {
  templateId: readOnly(uuid),
  templateName: readOnly(text()),
  versionId: readOnly(uuid),
  locale: readOnly(languageTag),
  textHash: readOnly(hash),
  authors: readOnly(list(text()), writers),
  requestedBy: readOnly(text(), asker),
  requestedAt: readOnly(time),
  note: readOnly(orNull(text())),
});

/** What every publication of the organization follows. */
export const publicationRules = resource(
  PublicationRulesSchema,
  {
    fourEyes: required(flag, {
      description: "Whether someone who didn't write a text must approve it before it is published.",
    }),
    updatedBy: readOnly(orNull(text()), { description: "Who last changed the rules: user: and a user ID." }),
    updatedAt: readOnly(orNull(time)),
  },
  { create: SetPublicationRulesRequestSchema },
);

export type VersionApproval = AnswerOf<typeof versionApproval.table>;
export type ApprovalRequest = AnswerOf<typeof approvalRequest.table>;
