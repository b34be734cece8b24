import {
  AnchorAlignment,
  AnchorSchema,
  AnchorUnit,
  ListItemSchema,
  RadioButtonSchema,
  TabSchema,
  TabStatus,
  TabType,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import { ProposalSource, TabProposalSchema } from "#gen/assent/sign/v1/sign_pb.ts";
import { count, described, filledOrNull, flag, integer, list, named, number, orNull, text, uuid } from "./kinds.ts";
import { type AnswerOf, type CreateOf, grouped, optional, readOnly, required } from "./members.ts";
import { nested, resource, shown } from "./resource.ts";

/** A text of at most so many characters; answers name the bound too. */
const words = (max: number, min = 0) => text(min, max, { everywhere: true });
const points = number(-100_000, 100_000);
const page = described(integer(1, 100_000), "From 1.");

const anchor = resource(AnchorSchema, {
  text: required(words(4_000, 1), {
    description: "The text. Each occurrence gets the tab when the agreement is sent.",
    example: "/sn1/",
  }),
  xOffset: optional(points, {
    null: "both",
    description: "Offset to the right, from the text's left or right end.",
    example: 20,
  }),
  yOffset: optional(points, {
    null: "both",
    description: "Offset downward, from the text's baseline, on which the tab is placed.",
    example: 10,
  }),
  unit: optional(named(AnchorUnit, "camel"), {
    default: "pixels",
    description: "The unit of the offsets. Default: pixels, 72 to an inch.",
    example: "pixels",
  }),
  alignment: optional(named(AnchorAlignment, "camel"), { default: "left", example: "left" }),
  caseSensitive: optional(flag, { null: "both", example: false }),
  wholeWord: optional(flag, { null: "both", example: false }),
  ignoreIfAbsent: optional(flag, {
    null: "both",
    description: "Drops the tab if the text doesn't occur.",
    example: false,
  }),
});

const item = resource(ListItemSchema, {
  text: required(words(1_000), { example: "Medium" }),
  value: required(words(1_000), { example: "m" }),
  selected: optional(flag),
});

const place = {
  description: {
    x: "Points from the left edge of the page as it is shown.",
    y: "Points from its upper edge.",
  },
} as const;

const button = resource(RadioButtonSchema, {
  tabId: readOnly(orNull(uuid)),
  value: required(text()),
  page: optional(orNull(page)),
  x: optional(points, { null: "both", description: place.description.x, example: 153 }),
  y: optional(points, { null: "both", description: place.description.y, example: 230 }),
  anchor: optional(orNull(nested(anchor)), {
    description: { answer: "The text that the tab was placed at." },
    answerExample: null,
  }),
  selected: optional(flag, { null: "both" }),
});

/** A field of a recipient on a page. */
export const tab = resource(TabSchema, {
  tabId: readOnly(uuid),
  type: required(named(TabType, "camel"), { example: "signature", answerExample: "list" }),
  label: optional(orNull(words(500)), {
    description: "Tabs of a recipient with the same label share their value.",
    example: "size",
  }),
  documentId: optional(filledOrNull(words(50)), { example: "1" }),
  page: optional(orNull(page)),
  x: optional(orNull(points), { description: place.description.x, example: 153 }),
  y: optional(orNull(points), { description: place.description.y, example: 230 }),
  width: optional(orNull(points), { description: "Points.", example: 100 }),
  height: optional(orNull(points), { description: "Points.", example: 16 }),
  anchor: optional(orNull(nested(anchor)), {
    description: { create: "In place of a position.", answer: "The text that the tab was placed at." },
    answerExample: null,
  }),
  required: optional(flag, { default: false, example: true }),
  locked: optional(flag, {
    default: false,
    description: "Whether the value is read-only for the recipient.",
    example: false,
  }),
  value: optional(orNull(words(10_000)), {
    description: "`true` or `false` for checkboxes; the chosen value for lists and radio groups.",
    example: "m",
  }),
  items: optional(list(nested(item)), { null: "both", description: { answer: "Of lists." } }),
  buttons: optional(list(nested(button)), {
    null: "both",
    description: { answer: "For radio groups: the buttons, each with its own place." },
    answerExample: [],
  }),
  tooltip: optional(filledOrNull(words(500)), { example: "Your size" }),
  maxLength: optional(filledOrNull(integer(0, 10_000), 0), {
    description: "For texts: the maximum number of characters.",
    example: 100,
  }),
  validationPattern: optional(filledOrNull(words(500)), {
    description: "A regular expression that must match the whole value.",
    example: "[0-9]{5}",
  }),
  validationMessage: optional(filledOrNull(words(500)), { example: "Five digits, please." }),
  scale: optional(orNull(number(0.5, 2)), { description: "For signatures and initials.", example: 1 }),
  condition: grouped(
    {
      label: required(words(500), { at: "conditionLabel", example: "color" }),
      value: optional(filledOrNull(words(10_000)), { at: "conditionValue", example: "white" }),
    },
    "label",
    {
      description: "Shown only while the same recipient's tab with this label has that value.",
      answerExample: null,
    },
  ),
  shared: optional(flag, {
    default: false,
    description: "Whether several recipients see and change it.",
    example: false,
  }),
  status: readOnly(orNull(named(TabStatus, "camel")), { example: "active" }),
});

/** A change of a field that an agreement has: what is left out stays. */
export const tabChange = resource(TabSchema, {
  ...tab.table,
  tabId: required(uuid),
  type: optional(named(TabType, "camel"), { description: "The ID of the tab, which never changes.", example: "text" }),
});

/** The same as the signing page gets it, which has nothing to say of what is not there. */
export const tabToFill = shown(TabSchema, {
  tabId: readOnly(text()),
  type: readOnly(named(TabType, "dashed"), { example: "date-signed" }),
  label: readOnly(text(), { default: "" }),
  documentId: readOnly(text(), { default: "" }),
  page: readOnly(count, { default: 1 }),
  x: readOnly(number(), { default: 0, description: "Points from the left edge of the page." }),
  y: readOnly(number(), { default: 0, description: "Points from its top edge." }),
  width: readOnly(number(), { default: 0 }),
  height: readOnly(number(), { default: 0 }),
  required: readOnly(flag, { default: false }),
  locked: readOnly(flag, { default: false }),
  value: readOnly(text(), { default: "" }),
  items: readOnly(list(nested(shown(ListItemSchema, { text: readOnly(text()), value: readOnly(text()) })))),
  buttons: readOnly(
    list(
      nested(
        shown(RadioButtonSchema, {
          value: readOnly(text()),
          page: readOnly(count),
          x: readOnly(number()),
          y: readOnly(number()),
        }),
      ),
    ),
  ),
  tooltip: readOnly(text(), { default: "" }),
  name: readOnly(text(), { default: "" }),
  maxLength: readOnly(count, { default: 0 }),
  validationMessage: readOnly(text(), { default: "" }),
  conditionLabel: readOnly(text(), { default: "" }),
  conditionValue: readOnly(text(), { default: "" }),
  tabOrder: readOnly(count, { default: 0 }),
});

/** A tab that the text of a document asks for. */
export const tabProposal = shown(TabProposalSchema, {
  type: readOnly(named(TabType, "camel"), { example: "signature" }),
  label: readOnly(text(), { description: "The label found in the text; may be empty.", example: "" }),
  page: readOnly(page, { example: 1 }),
  x: readOnly(number(), { description: place.description.x, example: 72 }),
  y: readOnly(number(), { description: place.description.y, example: 640.5 }),
  width: readOnly(number(), { example: 110 }),
  height: readOnly(number(), { example: 35 }),
  required: readOnly(flag, { example: true }),
  signer: readOnly(count, {
    description: "Which of those who sign it is for, from 1 in their routing order; 0 if nothing says so.",
    example: 1,
  }),
  source: readOnly(named(ProposalSource, "camel"), {
    description: "What was found: a tag, a blank or box, or a word.",
    example: "tag",
  }),
  text: readOnly(text(), { description: "The text found there.", example: "{{signature:1}}" }),
});

export type TabProposal = AnswerOf<typeof tabProposal.table>;
export type TabAnswer = AnswerOf<typeof tab.table>;
export type TabBody = CreateOf<typeof tab.table>;
export type TabToFill = AnswerOf<typeof tabToFill.table>;
