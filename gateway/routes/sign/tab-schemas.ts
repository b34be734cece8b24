import { anchorAlignments, anchorUnits, tabStatuses, tabTypes } from "../../../views/sign/names.ts";
import type { JsonSchema } from "../route.ts";
import {
  answer,
  anyText,
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

export interface AnchorBody {
  readonly text: string;
  readonly xOffset?: Maybe<number>;
  readonly yOffset?: Maybe<number>;
  readonly unit?: Maybe<string>;
  readonly alignment?: Maybe<string>;
  readonly caseSensitive?: Maybe<boolean>;
  readonly wholeWord?: Maybe<boolean>;
  readonly ignoreIfAbsent?: Maybe<boolean>;
}

export interface ButtonBody {
  readonly value: string;
  readonly page?: Maybe<number>;
  readonly x?: Maybe<number>;
  readonly y?: Maybe<number>;
  readonly anchor?: Maybe<AnchorBody>;
  readonly selected?: Maybe<boolean>;
}

export interface TabBody {
  readonly type: string;
  readonly label?: Maybe<string>;
  readonly documentId?: Maybe<string>;
  readonly page?: Maybe<number>;
  readonly x?: Maybe<number>;
  readonly y?: Maybe<number>;
  readonly width?: Maybe<number>;
  readonly height?: Maybe<number>;
  readonly anchor?: Maybe<AnchorBody>;
  readonly required?: Maybe<boolean>;
  readonly locked?: Maybe<boolean>;
  readonly value?: Maybe<string>;
  readonly items?: Maybe<readonly { text: string; value: string; selected?: boolean }[]>;
  readonly buttons?: Maybe<readonly ButtonBody[]>;
  readonly tooltip?: Maybe<string>;
  readonly maxLength?: Maybe<number>;
  readonly validationPattern?: Maybe<string>;
  readonly validationMessage?: Maybe<string>;
  readonly scale?: Maybe<number>;
  readonly condition?: Maybe<{ label: string; value?: Maybe<string> }>;
  readonly shared?: Maybe<boolean>;
}

const points = (description: string, value: number): JsonSchema =>
  example(described({ type: "number", minimum: -100_000, maximum: 100_000 }, description), value);
const optional = (schema: JsonSchema): JsonSchema => orNull(schema);
const page = described(integer(1, 100_000), "From 1.");

const anchorParts = {
  text: example(text(1, 4_000, "Each place where it stands gets the tab, when the agreement is sent."), "/sn1/"),
  xOffset: points("To the right, from the left end of the text or its right one.", 20),
  yOffset: points("Downwards, from the baseline of the text, on which the tab stands.", 10),
  unit: example(described(oneOf(...anchorUnits.names), "Of the offsets; pixels when absent, 72 to an inch."), "pixels"),
  alignment: example(oneOf(...anchorAlignments.names), "left"),
  caseSensitive: example(flag, false),
  wholeWord: example(flag, false),
  ignoreIfAbsent: example(described(flag, "Drops the tab where the text stands nowhere."), false),
};

const anchor: JsonSchema = {
  ...answer(anchorParts),
  type: ["object", "null"],
  description: "The text that the tab was placed at.",
  examples: [null],
};

const { text: anchorText, ...anchorOptions } = anchorParts;
const anchorInput: JsonSchema = {
  ...object({ text: anchorText, ...optionalOf(anchorOptions) }, ["text"]),
  type: ["object", "null"],
};

function optionalOf(properties: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, optional(schema)]));
}

const itemParts = { text: example(text(0, 1_000), "Medium"), value: example(text(0, 1_000), "m"), selected: flag };
const place = {
  page,
  x: points("Points from the left edge of the page as it is shown.", 153),
  y: points("Points from its upper edge.", 230),
};

const tabParts = {
  label: example(text(0, 500, "Tabs of a recipient with one label share their value."), "size"),
  documentId: example(text(0, 50), "1"),
  ...place,
  width: points("Points.", 100),
  height: points("Points.", 16),
  required: example(flag, true),
  locked: example(described(flag, "Whether the recipient may not change the value."), false),
  value: example(text(0, 10_000, "`true` or `false` of checkboxes; the chosen value of lists and radio groups."), "m"),
  tooltip: example(text(0, 500), "Your size"),
  maxLength: example(described(integer(0, 10_000), "Of texts: characters at most."), 100),
  validationPattern: example(text(0, 500, "A regular expression that the whole value has to match."), "[0-9]{5}"),
  validationMessage: example(text(0, 500), "Five digits, please."),
  scale: example(described({ type: "number", minimum: 0.5, maximum: 2 }, "Of signatures and initials."), 1),
  shared: example(described(flag, "Whether several recipients see and change it."), false),
};

const condition = { label: example(text(0, 500), "color"), value: example(text(0, 10_000), "white") };
const conditionMeaning = "Shown only while the tab with this label of the same recipient has that value.";

/** A tab of a request. */
export const tabInput: JsonSchema = object(
  {
    type: example(oneOf(...tabTypes.names), "signature"),
    ...optionalOf(tabParts),
    anchor: described(anchorInput, "In place of a position."),
    items: { ...listOf(object(itemParts, ["text", "value"])), type: ["array", "null"], maxItems: 1_000 },
    buttons: {
      ...listOf(
        object({ value: text(0, 1_000), ...optionalOf({ ...place, selected: flag }), anchor: anchorInput }, ["value"]),
      ),
      type: ["array", "null"],
      maxItems: 1_000,
    },
    condition: {
      ...object({ label: condition.label, value: optional(condition.value) }, ["label"]),
      type: ["object", "null"],
      description: conditionMeaning,
    },
  },
  ["type"],
);

/** A tab of an answer. */
export const tabSchema = answer({
  tabId: uuid,
  type: example(oneOf(...tabTypes.names), "list"),
  ...optionalOf(tabParts),
  anchor,
  required: flag,
  locked: flag,
  items: described(listOf(answer(itemParts)), "Of lists."),
  buttons: {
    ...listOf(
      answer({
        tabId: orNull(uuid),
        value: anyText,
        page: orNull(page),
        x: place.x,
        y: place.y,
        anchor,
        selected: flag,
      }),
    ),
    description: "Of radio groups, each with a place of its own.",
    examples: [[]],
  },
  condition: {
    ...answer({ label: condition.label, value: orNull(condition.value) }),
    type: ["object", "null"],
    description: conditionMeaning,
    examples: [null],
  },
  shared: flag,
  status: example(orNull(oneOf(...tabStatuses.names)), "active"),
});
