import type { Agreement, Recipient } from "#gen/assent/sign/v1/agreement_pb.ts";
import { DomainError, type ErrorCode } from "#platform/errors.ts";
import { recipientsView } from "../../../views/compat/recipients.ts";
import { jsonReply } from "../../http/reply.ts";
import { jsonBody, onBehalfOf, type Route, type RouteRequest } from "../../routes/route.ts";
import { required } from "../../routes/schema-parts.ts";
import type { Services } from "../../routes/services.ts";
import { fileErrors } from "../../routes/sign/base.ts";
import { type Reader, readWith } from "../read/reader.ts";
import { readRecipientIds, readRecipients } from "../read/recipients.ts";
import { compatQuery, defineCompatRoute } from "../route.ts";
import { type CompatTarget, changeOrCorrect, envelopeTarget, templateTarget } from "../target.ts";
import { recipientsBody, recipientsExample, recipientsSchema, recipientUpdateSchema } from "./envelope-schemas.ts";

/** Resources with recipients and custom fields: envelopes and templates. */
export interface Holder {
  /** Its name in operation ids. */
  readonly name: "Envelope" | "Template";
  readonly noun: "an envelope" | "a template";
  readonly root: "/envelopes/{envelopeId}" | "/templates/{templateId}";
  readonly tag: string;
  readonly param: "envelopeId" | "templateId";
  targetOf(id: string): CompatTarget;
}

export const envelopes: Holder = {
  name: "Envelope",
  noun: "an envelope",
  root: "/envelopes/{envelopeId}",
  tag: "Compatible recipients",
  param: "envelopeId",
  targetOf: envelopeTarget,
};

export const templates: Holder = {
  name: "Template",
  noun: "a template",
  root: "/templates/{templateId}",
  tag: "Compatible templates",
  param: "templateId",
  targetOf: templateTarget,
};

type AnyRequest = Pick<RouteRequest, "params">;

/** A path parameter of a route whose path is composed. */
export const paramOf = ({ params }: AnyRequest, name: string): string =>
  (params as Readonly<Record<string, string>>)[name] ?? "";

export const targetIn = (holder: Holder, request: AnyRequest): CompatTarget =>
  holder.targetOf(paramOf(request, holder.param));

/** The recipient with this recipientId or GUID. Throws RECIPIENT_NOT_FOUND. */
export function recipientIn({ recipients }: Pick<Agreement, "recipients">, id: string): Recipient {
  const found =
    recipients.find(({ recipientId }) => recipientId === id) ??
    recipients.find((recipient) => recipient.id === id.toLowerCase());
  if (found === undefined) throw new DomainError("RECIPIENT_NOT_FOUND");
  return found;
}

const bytes = 2 * 1024 * 1024;
const body = jsonBody<object>({ schema: recipientsBody, maxBytes: bytes, example: recipientsExample });

const notModifiable = ["RECIPIENT_ALREADY_SIGNED", "ENVELOPE_CANNOT_BE_MODIFIED"] as const;
/** Of those who take part in an envelope that was sent somebody has to be left. */
const lastErrors = ["RECIPIENTS_REQUIRED", "CORRUPTED_DOCUMENT", ...fileErrors] as const;
const changeErrors = [
  ...notModifiable,
  ...["INVALID_EMAIL", "DUPLICATE_RECIPIENT", "ANCHOR_TAB_STRING_NOT_FOUND", ...lastErrors],
] as const satisfies readonly ErrorCode[];

export const recipientRoutes = (holder: Holder): readonly Route[] => {
  const { name, noun, root, tag } = holder;
  const change = { tag, scopes: ["sign:write"] } as const;
  return [
    defineCompatRoute({
      tag,
      scopes: ["sign:read"],
      operationId: `compatList${name}Recipients`,
      method: "GET",
      path: `${root}/recipients`,
      summary: `Read the recipients of ${noun}`,
      query: compatQuery({
        include_tabs: "true: with their tabs.",
        include_extended: "Has no effect.",
      }),
      success: { status: 200, description: "An array for each kind of recipients.", schema: recipientsSchema },
      errors: [],
      call: (request, { sign }) => sign.getAgreement({ target: targetIn(holder, request) }, onBehalfOf(request)),
      respond: ({ agreement }, { query }) =>
        jsonReply(200, recipientsView(required(agreement), withTabs(query.include_tabs))),
    }),
    defineCompatRoute({
      ...change,
      operationId: `compatCreate${name}Recipients`,
      method: "POST",
      path: `${root}/recipients`,
      summary: `Add recipients to ${noun}`,
      body,
      success: { status: 201, description: "The ones that were added.", schema: recipientsSchema },
      errors: changeErrors,
      call: (request, { sign }) => {
        const recipients = readWith(request.body, someRecipients);
        const { observed } = request;
        const options = onBehalfOf(request);
        const target = targetIn(holder, request);
        return changeOrCorrect<PutAnswer>(
          target,
          () => sign.putRecipients({ target, recipients, observed }, options),
          (asked) => sign.correctAgreement({ ...asked, recipients, addsOnly: true, observed }, options),
        );
      },
      respond: ({ agreement, recipientIds }) => {
        const { recipients, currentRoutingOrder } = required(agreement);
        const added = recipients.filter(({ recipientId }) => recipientIds.includes(recipientId));
        return jsonReply(201, recipientsView({ recipients: added, currentRoutingOrder }, true));
      },
    }),
    defineCompatRoute({
      ...change,
      operationId: `compatUpdate${name}Recipients`,
      method: "PUT",
      path: `${root}/recipients`,
      summary: `Change recipients of ${noun}`,
      description: "Recipients whose recipientId exists are changed, the others are added.",
      body,
      success: { status: 200, description: "The result for each.", schema: recipientUpdateSchema },
      errors: changeErrors,
      call: (request, { sign }) => {
        const recipients = readWith(request.body, someRecipients);
        const { observed } = request;
        const options = onBehalfOf(request);
        const target = targetIn(holder, request);
        return changeOrCorrect<PutAnswer>(
          target,
          () => sign.putRecipients({ target, recipients, changeExisting: true, observed }, options),
          (asked) => sign.correctAgreement({ ...asked, recipients, observed }, options),
        );
      },
      respond: ({ agreement, recipientIds }) => {
        const changed = required(agreement);
        const results = recipientIds.map((recipientId) => ({
          recipientId,
          recipientIdGuid: recipientIn(changed, recipientId).id,
          errorDetails: { errorCode: "SUCCESS", message: "" },
        }));
        return jsonReply(200, { recipientUpdateResults: results });
      },
    }),
    defineCompatRoute({
      ...change,
      operationId: `compatDelete${name}Recipients`,
      method: "DELETE",
      path: `${root}/recipients`,
      summary: `Remove recipients from ${noun}`,
      body,
      success: { status: 200, description: "The remaining ones.", schema: recipientsSchema },
      errors: ["RECIPIENT_NOT_FOUND", ...notModifiable, ...lastErrors],
      call: (request, { sign }) => {
        const recipientIds = readWith(request.body, (reader) => some(reader, readRecipientIds(reader)));
        return removeFrom(holder, request, sign, recipientIds);
      },
      respond: ({ agreement }) => jsonReply(200, recipientsView(required(agreement), false)),
    }),
    defineCompatRoute({
      ...change,
      operationId: `compatDelete${name}Recipient`,
      method: "DELETE",
      path: `${root}/recipients/{recipientId}`,
      summary: `Remove one recipient from ${noun}`,
      success: { status: 200, description: "The remaining ones.", schema: recipientsSchema },
      errors: [...notModifiable, ...lastErrors],
      call: (request, { sign }) => removeFrom(holder, request, sign, [paramOf(request, "recipientId")]),
      respond: ({ agreement }) => jsonReply(200, recipientsView(required(agreement), false)),
    }),
  ];
};

/** What changing and correcting have in common. */
interface PutAnswer {
  readonly agreement?: Agreement | undefined;
  readonly recipientIds: readonly string[];
}

function removeFrom(
  holder: Holder,
  request: RouteRequest,
  sign: Services["sign"],
  recipientIds: string[],
): Promise<Pick<PutAnswer, "agreement">> {
  const { observed } = request;
  const options = onBehalfOf(request);
  const target = targetIn(holder, request);
  return changeOrCorrect<Pick<PutAnswer, "agreement">>(
    target,
    () => sign.removeRecipients({ target, recipientIds, observed }, options),
    (asked) => sign.correctAgreement({ ...asked, removeRecipientIds: recipientIds, observed }, options),
  );
}

const withTabs = (text: string | undefined): boolean =>
  readWith({ include_tabs: text }, (reader) => reader.flag("include_tabs")) ?? false;

const someRecipients = (reader: Reader) => some(reader, readRecipients(reader));

function some<Item>(reader: Reader, items: readonly Item[]): Item[] {
  if (items.length === 0) reader.problem("signers", "REQUIRED", "or another kind of recipients is required");
  return [...items];
}
