import type { Brand } from "#api/brands.ts";
import { readableOn } from "#platform/contrast.ts";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";

interface BrandPreviewProps {
  readonly brand: Pick<Brand, "logo">;
  readonly draft: BrandDraft;
}

/** The signing page with what the form holds, as light and as dark screens show it. */
export function BrandPreview(props: BrandPreviewProps) {
  const texts = useTexts("brands");
  return (
    <section className="brand-previews" aria-label={texts.preview}>
      <h2>{texts.preview}</h2>
      <Screen {...props} scheme="light" />
      <Screen {...props} scheme="dark" />
    </section>
  );
}

function Screen({ brand: { logo }, draft, scheme }: BrandPreviewProps & { readonly scheme: "light" | "dark" }) {
  const texts = useTexts("brands");
  const { organization } = useSession();
  const header = paint(draft.header, draft.headerText);
  const button = paint(draft.button, draft.buttonText);
  const name = draft.senderName.trim();
  const isNamed = name !== "" && isColor(draft.header);
  return (
    <div
      className={`brand-screen brand-screen-${scheme}`}
      style={draft.font === "serif" ? { fontFamily: 'Georgia, "Noto Serif", serif' } : {}}
    >
      {(logo !== null || isNamed) && (
        <div className="brand-screen-head" style={header}>
          {logo === null ? name : <img src={`/brand-images/${organization.id}/${logo.sha256}`} alt={name} />}
        </div>
      )}
      <div className="brand-screen-body">
        <strong>{texts.sampleSubject}</strong>
        <span>{texts.sampleFrom(organization.name)}</span>
        <span className="brand-screen-button" style={button}>
          {texts.sampleButton}
        </span>
        {draft.footer.trim() !== "" && <small>{draft.footer.trim()}</small>}
      </div>
    </div>
  );
}

function paint(background: string, text: string): { background?: string; color?: string } {
  if (!isColor(background)) return {};
  return { background, color: isColor(text) ? text : readableOn(background) };
}

/** What the form holds; empty for nothing. */
export interface BrandDraft {
  readonly name: string;
  readonly senderName: string;
  readonly replyTo: string;
  readonly footer: string;
  readonly attachFiles: boolean;
  readonly font: Brand["font"];
  readonly button: string;
  readonly buttonText: string;
  readonly header: string;
  readonly headerText: string;
}

export const draftOf = ({ name, senderName, replyTo, footer, attachFiles, font, colors }: Brand): BrandDraft => ({
  ...{ name, font, attachFiles },
  ...{ senderName: senderName ?? "", replyTo: replyTo ?? "", footer: footer ?? "" },
  ...{ button: colors.button ?? "", buttonText: colors.buttonText ?? "" },
  ...{ header: colors.header ?? "", headerText: colors.headerText ?? "" },
});

/** The same as a change of the brand. */
export function changesIn({ button, buttonText, header, headerText, ...draft }: BrandDraft) {
  const { name, font, senderName, replyTo, footer, attachFiles } = draft;
  const orNull = (text: string) => text.trim() || null;
  return {
    ...{ name: name.trim(), font, senderName: orNull(senderName), replyTo: orNull(replyTo), footer: orNull(footer) },
    attachFiles,
    colors: {
      ...{ button: orNull(button), buttonText: orNull(buttonText) },
      ...{ header: orNull(header), headerText: orNull(headerText) },
    },
  };
}

export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);
