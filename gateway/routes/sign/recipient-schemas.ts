import { type TabBody, tab } from "#api/tabs.ts";
import { recipientStatuses, roles } from "../../../views/sign/names.ts";
import type { JsonSchema } from "../route.ts";
import {
  answer,
  anyText,
  count,
  dateTime,
  described,
  example,
  integer,
  languageTag,
  listOf,
  object,
  oneOf,
  orNull,
  text,
  uuid,
} from "../schema-parts.ts";

type Maybe<Value> = Value | null;

export interface RecipientBody {
  readonly recipientId?: Maybe<string>;
  readonly name?: Maybe<string>;
  readonly email?: Maybe<string>;
  readonly clientUserId?: Maybe<string>;
  readonly role?: Maybe<string>;
  readonly roleName?: Maybe<string>;
  readonly routingOrder?: Maybe<number>;
  readonly note?: Maybe<string>;
  readonly locale?: Maybe<string>;
  readonly emailSubject?: Maybe<string>;
  readonly emailBlurb?: Maybe<string>;
  readonly hostName?: Maybe<string>;
  readonly hostEmail?: Maybe<string>;
  readonly tabs?: Maybe<readonly TabBody[]>;
}

/** Recipients by what they are asked to do. */
export interface RecipientsBody {
  readonly signers?: Maybe<readonly RecipientBody[]>;
  readonly carbonCopies?: Maybe<readonly RecipientBody[]>;
  readonly certifiedDeliveries?: Maybe<readonly RecipientBody[]>;
  readonly inPersonSigners?: Maybe<readonly RecipientBody[]>;
}

const recipientParts = {
  name: orNull(example(text(0, 500), "Ann Example")),
  email: orNull(example(text(0, 500), "ann@example.com")),
  clientUserId: orNull(
    example(text(0, 500, "Your name for the person, who then signs in your application: nobody is mailed."), "1000"),
  ),
  roleName: orNull(example(text(0, 500, "The role of a template that the recipient has."), "Buyer")),
  routingOrder: example(described(integer(1, 2_147_483_647), "Those with the same number act at once."), 1),
  note: orNull(example(text(0, 1_000), "Soon, please.")),
  locale: orNull(languageTag),
  emailSubject: orNull(
    example(text(0, 100, "Of the mails that ask this person; that of the agreement when absent."), "Your lease"),
  ),
  emailBlurb: orNull(
    example(text(0, 10_000, "The message of those mails; that of the agreement when absent."), "Page 2 is for you."),
  ),
  hostName: orNull(example(text(0, 500, "Of in-person signers: on whose device they sign."), "Hal Example")),
  hostEmail: orNull(example(text(0, 500), "hal@example.com")),
};

const recipientInputParts = {
  ...recipientParts,
  routingOrder: orNull(recipientParts.routingOrder),
  tabs: { ...listOf(tab.schemas.create), type: ["array", "null"], maxItems: 1_000 },
};

const recipientIdInput = orNull(
  example(text(0, 50, "Unique within the agreement; the lowest free number when absent."), "1"),
);

const groupOf = (role: JsonSchema | undefined): JsonSchema => ({
  ...listOf(
    object({ recipientId: recipientIdInput, ...(role === undefined ? {} : { role }), ...recipientInputParts }, []),
  ),
  type: ["array", "null"],
  maxItems: 500,
});

const signerRole = orNull(
  example(described(oneOf("signer", "approver"), "approver agrees without signing; signer when absent."), "signer"),
);

/** Recipients of a request. */
export const recipientsInput = object(
  {
    signers: groupOf(signerRole),
    carbonCopies: groupOf(undefined),
    certifiedDeliveries: groupOf(undefined),
    inPersonSigners: groupOf(undefined),
  },
  [],
);

/** One recipient of a request whose address names it. */
export const recipientInput = object(
  {
    role: orNull(example(described(oneOf(...roles.names), "As it was when absent."), "signer")),
    ...recipientInputParts,
  },
  [],
);

/** A recipient of an answer. */
export const recipientSchema = answer({
  recipientId: example(anyText, "1"),
  recipientIdGuid: uuid,
  ...recipientParts,
  role: example(oneOf(...roles.names), "signer"),
  routingOrder: example(count, 1),
  status: example(oneOf(...recipientStatuses.names), "delivered"),
  sentAt: orNull(dateTime),
  deliveredAt: orNull(dateTime),
  completedAt: orNull(dateTime),
  declinedAt: orNull({ ...dateTime, examples: [null] }),
  declineReason: { ...orNull(anyText), examples: [null] },
  tabs: listOf(tab.schemas.answer),
});

const recipientList = listOf(recipientSchema);

/** Recipients of an answer. */
export const recipientsSchema = answer({
  signers: described(recipientList, "Those who sign, and those who approve."),
  carbonCopies: { ...recipientList, examples: [[]] },
  certifiedDeliveries: { ...recipientList, description: "Those who have to open it.", examples: [[]] },
  inPersonSigners: { ...recipientList, description: "Those who sign on the device of a host.", examples: [[]] },
});
