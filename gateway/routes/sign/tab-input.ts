import type { MessageInitShape } from "@bufbuild/protobuf";
import type { AnchorSchema, RadioButtonSchema, TabSchema } from "#gen/assent/sign/v1/agreement_pb.ts";
import { anchorAlignments, anchorUnits, tabTypes } from "../../../views/sign/names.ts";
import { given } from "./base.ts";
import type { AnchorBody, ButtonBody, TabBody } from "./tab-schemas.ts";

/** A tab of a body as the service takes it. */
export function tabOf(tab: TabBody): MessageInitShape<typeof TabSchema> {
  const { type, anchor, items, buttons, condition, ...plain } = tab;
  const { label, documentId, page, x, y, width, height, required, locked, value } = plain;
  const { tooltip, maxLength, validationPattern, validationMessage, scale, shared } = plain;
  return {
    type: tabTypes.valueOf(type),
    ...given({ label, documentId, page, x, y, width, height, required, locked, value }),
    ...given({ tooltip, maxLength, validationPattern, validationMessage, scale, shared }),
    ...given({ anchor: anchorOf(anchor), conditionLabel: condition?.label, conditionValue: condition?.value }),
    items: (items ?? []).map((item) => ({ selected: false, ...item })),
    buttons: (buttons ?? []).map(buttonOf),
  };
}

const buttonOf = ({ anchor, value, page, x, y, selected }: ButtonBody): MessageInitShape<typeof RadioButtonSchema> => ({
  value,
  ...given({ page, x, y, selected, anchor: anchorOf(anchor) }),
});

function anchorOf(anchor: AnchorBody | null | undefined): MessageInitShape<typeof AnchorSchema> | undefined {
  if (anchor === null || anchor === undefined) return undefined;
  const { text, unit, alignment, xOffset, yOffset, caseSensitive, wholeWord, ignoreIfAbsent } = anchor;
  return {
    text,
    ...given({ xOffset, yOffset, caseSensitive, wholeWord, ignoreIfAbsent }),
    ...(typeof unit === "string" ? { unit: anchorUnits.valueOf(unit) } : {}),
    ...(typeof alignment === "string" ? { alignment: anchorAlignments.valueOf(alignment) } : {}),
  };
}
