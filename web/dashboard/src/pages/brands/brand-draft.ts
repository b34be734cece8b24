import type { Brand } from "#api/brands.ts";

/** What the form holds; empty for nothing. */
export interface BrandDraft {
  readonly name: string;
  readonly senderName: string;
  readonly replyTo: string;
  readonly footer: string;
  readonly font: Brand["font"];
  readonly button: string;
  readonly buttonText: string;
  readonly header: string;
  readonly headerText: string;
}

export const draftOf = ({ name, senderName, replyTo, footer, font, colors }: Brand): BrandDraft => ({
  ...{ name, font },
  ...{ senderName: senderName ?? "", replyTo: replyTo ?? "", footer: footer ?? "" },
  ...{ button: colors.button ?? "", buttonText: colors.buttonText ?? "" },
  ...{ header: colors.header ?? "", headerText: colors.headerText ?? "" },
});

export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);
