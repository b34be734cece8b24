import type { JsonObject } from "@bufbuild/protobuf";
import { type RecipientsBody, recipientsInputSchema } from "#api/agreements.ts";
import type { JsonSchema } from "#api/kinds.ts";

import {
  anyObject,
  dateTime,
  described,
  example,
  flag,
  integer,
  listOf,
  object,
  oneOf,
  orNull,
  text,
  uuid,
} from "../schema-parts.ts";

type Maybe<Value> = Value | null;

export interface DocumentBody {
  readonly documentId?: Maybe<string>;
  readonly name: string;
  readonly fileExtension?: Maybe<string>;
  readonly order?: Maybe<number>;
  readonly documentBase64?: Maybe<string>;
}

export interface CustomFieldBody {
  readonly name: string;
  readonly value?: Maybe<string>;
  readonly items?: Maybe<readonly string[]>;
  readonly show?: Maybe<boolean>;
  readonly required?: Maybe<boolean>;
}

/** What agreements and templates have in common. */
export interface ContentBody {
  readonly emailSubject?: Maybe<string>;
  readonly emailBlurb?: Maybe<string>;
  readonly documents?: Maybe<readonly DocumentBody[]>;
  readonly recipients?: Maybe<RecipientsBody>;
  readonly customFields?: Maybe<readonly CustomFieldBody[]>;
  readonly reminders?: Maybe<{ enabled?: boolean; delayDays?: number; frequencyDays?: number }>;
  readonly expiration?: Maybe<{ enabled?: boolean; afterDays?: number; warnDays?: number }>;
  readonly metadata?: Maybe<JsonObject>;
}

export interface CompositionBody {
  readonly layers: readonly (ContentBody & { readonly templateId?: Maybe<string> })[];
  readonly document?: Maybe<DocumentBody>;
}

export interface CreateAgreementBody extends ContentBody {
  readonly status?: Maybe<"created" | "sent">;
  readonly templateId?: Maybe<string>;
  readonly compositions?: Maybe<readonly CompositionBody[]>;
}

const orNothing = (schema: JsonSchema): JsonSchema => ({ ...schema, type: [schema.type, "null"].flat() });
const days = (description: string, value: number): JsonSchema =>
  example(described(integer(0, 999), description), value);

const reminders = {
  enabled: example(flag, true),
  delayDays: days("From sending to the first reminder.", 2),
  frequencyDays: days("From one reminder to the next; 0 for one only.", 3),
};
const expiration = {
  enabled: example(flag, true),
  afterDays: days("From sending.", 120),
  warnDays: days("Before it expires; 0 for no warning.", 0),
};

/** The beginning of a PDF. */
export const exampleBase64 = "JVBERi0xLjcK";

export const documentInput = object(
  {
    documentId: orNull(example(text(0, 50, "Unique within the agreement; the lowest free number when absent."), "1")),
    name: example(text(1, 500), "NDA.pdf"),
    fileExtension: orNull(example(text(0, 20, "pdf, html, htm or txt; that of the name when absent."), "pdf")),
    order: orNull(example(integer(1, 1_000), 1)),
    documentBase64: orNull(
      example({ type: "string", description: "At most 25 MB, in Base64 without line breaks." }, exampleBase64),
    ),
  },
  ["name"],
);

export const documentsInput: JsonSchema = { ...listOf(documentInput), maxItems: 100 };

const customFieldInput = object(
  {
    name: example(text(1, 500), "orderId"),
    value: orNull(example(text(0, 500), "42")),
    items: { ...listOf(text(0, 500)), type: ["array", "null"], maxItems: 1_000, description: "The choices of a list." },
    show: orNull(flag),
    required: orNull(described(flag, "Whether it must have a value when the agreement is sent.")),
  },
  ["name"],
);

const metadata: JsonSchema = example(described(anyObject, "An object of your own, at most 16 KB."), { order: "1042" });

const contentInput = {
  emailSubject: orNull(example(text(0, 1_000), "Please sign the NDA")),
  emailBlurb: orNull(example(text(0, 10_000), "Thank you.")),
  documents: orNothing(documentsInput),
  recipients: orNothing(recipientsInputSchema),
  customFields: orNothing({ ...listOf(customFieldInput), maxItems: 100 }),
  reminders: orNothing(object(reminders, [])),
  expiration: orNothing(object(expiration, [])),
  metadata: orNothing(metadata),
};

const templateId = orNull(described(uuid, "A template of agreements."));

const compositionInput = object(
  {
    layers: {
      ...listOf(object({ templateId, ...contentInput }, [])),
      minItems: 1,
      maxItems: 50,
      description:
        "Later ones go over earlier ones. Each is a template, or what is said over it: recipients fill the role with their roleName.",
    },
    document: { ...orNothing(documentInput), description: "In place of the documents of the templates." },
  },
  ["layers"],
);

export const createAgreementSchema = object(
  {
    status: orNull(example(described(oneOf("created", "sent"), "created is a draft, the default."), "sent")),
    ...contentInput,
    templateId: described(templateId, "A template that it begins with; recipients fill the role with their roleName."),
    compositions: {
      ...listOf(compositionInput),
      type: ["array", "null"],
      maxItems: 50,
      description: "What it is put together from, one after the other; not beside templateId.",
    },
  },
  [],
);

/** Every field may be left out, and then stays. */
export const updateAgreementSchema = object(
  {
    ...contentInput,
    ifModifiedAt: orNull(
      described(dateTime, "modifiedAt of the draft that was read: when it has changed since, nothing is changed."),
    ),
  },
  [],
);

export interface UpdateAgreementBody extends ContentBody {
  readonly ifModifiedAt?: Maybe<string>;
}

const templateParts = {
  name: example(text(0, 500), "NDA"),
  description: orNull(example(text(0, 2_000), "For everybody.")),
  shared: orNull(flag),
};
export const createSignTemplateSchema = object({ ...templateParts, ...contentInput }, ["name"]);
export const updateSignTemplateSchema = object(
  { ...templateParts, name: orNull(templateParts.name), ...contentInput },
  [],
);

export interface SignTemplateBody extends ContentBody {
  readonly name?: Maybe<string>;
  readonly description?: Maybe<string>;
  readonly shared?: Maybe<boolean>;
}
