import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type AnchorSchema,
  type TabSchema,
  AnchorAlignment as WireAlignment,
  TabStatus as WireStatus,
  TabType as WireType,
  AnchorUnit as WireUnit,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import type { Anchor, Tab, TabType } from "../domain/tab.ts";

/** A tab as others see it. */
export function tabMessage(tab: Tab): MessageInitShape<typeof TabSchema> {
  const { type, documentId, anchor, style, status, buttons, isPlaced, items, ...same } = tab;
  return {
    ...same,
    items: [...items],
    type: wireTabTypes[type],
    status: wireStatuses[status],
    buttons: buttons.map((button) => ({ ...button, ...anchorOf(button.anchor) })),
    ...(documentId === null ? {} : { documentId }),
    ...anchorOf(anchor),
    ...(style === null ? {} : { style }),
  };
}

const anchorOf = (anchor: Anchor | null) => ({ anchor: anchor === null ? undefined : anchorMessage(anchor) });

export const anchorMessage = (anchor: Anchor): MessageInitShape<typeof AnchorSchema> => ({
  ...anchor,
  unit: wireUnits[anchor.unit],
  alignment: wireAlignments[anchor.alignment],
});

export const wireTabTypes: Readonly<Record<TabType, WireType>> = {
  signature: WireType.SIGNATURE,
  initials: WireType.INITIALS,
  "date-signed": WireType.DATE_SIGNED,
  "full-name": WireType.FULL_NAME,
  "first-name": WireType.FIRST_NAME,
  "last-name": WireType.LAST_NAME,
  email: WireType.EMAIL,
  company: WireType.COMPANY,
  title: WireType.TITLE,
  text: WireType.TEXT,
  number: WireType.NUMBER,
  date: WireType.DATE,
  checkbox: WireType.CHECKBOX,
  "radio-group": WireType.RADIO_GROUP,
  list: WireType.LIST,
  note: WireType.NOTE,
  approve: WireType.APPROVE,
  decline: WireType.DECLINE,
  attachment: WireType.ATTACHMENT,
  "agreement-id": WireType.AGREEMENT_ID,
};

const wireStatuses: Readonly<Record<Tab["status"], WireStatus>> = {
  active: WireStatus.ACTIVE,
  signed: WireStatus.SIGNED,
  declined: WireStatus.DECLINED,
};

export const wireUnits: Readonly<Record<Anchor["unit"], WireUnit>> = {
  pixels: WireUnit.PIXELS,
  inches: WireUnit.INCHES,
  millimeters: WireUnit.MILLIMETERS,
  centimeters: WireUnit.CENTIMETERS,
};

export const wireAlignments: Readonly<Record<Anchor["alignment"], WireAlignment>> = {
  left: WireAlignment.LEFT,
  right: WireAlignment.RIGHT,
};
