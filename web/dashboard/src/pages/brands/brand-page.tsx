import "./brands.css";
import { useState } from "react";
import { FileTrigger } from "react-aria-components";
import type { Brand } from "#api/brands.ts";
import { contrastOf, contrastText, leastContrast, readableOn } from "#platform/contrast.ts";
import { base64Of, useApi } from "../../api/client.ts";
import { asApiError, wrongInput } from "../../api/errors.ts";
import type { PageParams } from "../../app/routes.tsx";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Checkbox, RadioGroup } from "../../ui/choices.tsx";
import { Form } from "../../ui/form.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { EmptyState, ErrorNotice, Notice } from "../../ui/states.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-action.ts";
import { useLeaveGuard } from "../../ui/use-leave-guard.tsx";
import { atField, Loaded } from "../access/parts.tsx";
import { type BrandDraft, BrandPreview, draftOf, isColor } from "./brand-preview.tsx";
import { brandsPath, useBrands, useBrandsChanged, useMayChangeBrands } from "./brand-select.tsx";
import { BrandTexts } from "./brand-texts.tsx";

/** One brand: what it says and how it looks, seen while it is changed. */
export function BrandPage({ params }: PageParams) {
  const texts = useTexts("brands");
  const brands = useBrands();
  const id = params.get("id") ?? "";
  return (
    <Loaded query={brands}>
      {(all) => {
        const brand = all.find((one) => one.id === id);
        if (brand === undefined) {
          const back = <ButtonLink to="/brands">{texts.toAll}</ButtonLink>;
          return <EmptyState title={texts.gone} text={texts.goneText} action={back} />;
        }
        return <Editor key={brand.id} brand={brand} />;
      }}
    </Loaded>
  );
}

function Editor({ brand }: { readonly brand: Brand }) {
  const texts = useTexts("brands");
  const { save, saved } = useTexts("common");
  const mayChange = useMayChangeBrands();
  const api = useApi();
  const changed = useBrandsChanged();
  const kept = draftOf(brand);
  const [draft, setDraft] = useState(kept);
  const [isSaved, setIsSaved] = useState(false);
  const isDirty = JSON.stringify(draft) !== JSON.stringify(kept);
  useLeaveGuard(isDirty, () => setDraft(kept));
  const set = (part: Partial<BrandDraft>) => {
    setIsSaved(false);
    setDraft((before) => ({ ...before, ...part }));
  };
  const send = async () => {
    const { button, buttonText, header, headerText, name, senderName, replyTo, footer, attachFiles, font } = draft;
    const orNull = (text: string) => text.trim() || null;
    const asked = api.send<Brand>("PATCH", `${brandsPath}/${brand.id}`, {
      ...{ name: name.trim(), font, senderName: orNull(senderName), replyTo: orNull(replyTo), footer: orNull(footer) },
      attachFiles,
      colors: {
        ...{ button: orNull(button), buttonText: orNull(buttonText) },
        ...{ header: orNull(header), headerText: orNull(headerText) },
      },
    });
    // Texts of colours that were left out are chosen by the service.
    setDraft(draftOf(await atField(asked, { code: "BRAND_NAME_EXISTS", field: "name", message: texts.nameTaken })));
    await changed();
    setIsSaved(true);
  };
  const text = (name: "name" | "senderName" | "replyTo" | "footer") => ({
    ...{ name, value: draft[name], onChange: (value: string) => set({ [name]: value }), isReadOnly: !mayChange },
  });
  return (
    <Page
      title={brand.name}
      intro={texts.editIntro}
      actions={brand.isDefault && <Badge tone="success">{texts.isDefault}</Badge>}
    >
      <div className="brand-editor">
        <Form
          asksBeforeLeaving={false}
          submit={save}
          aside={isSaved && <Notice tone="success">{saved}</Notice>}
          onSubmit={send}
        >
          <TextField {...text("name")} label={texts.name} hint={texts.nameHint} maxLength={100} isRequired />
          <ColorPair draft={draft} onChange={set} behind="header" label={texts.header} isReadOnly={!mayChange} />
          <ColorPair draft={draft} onChange={set} behind="button" label={texts.button} isReadOnly={!mayChange} />
          <RadioGroup
            label={texts.font}
            value={draft.font}
            isReadOnly={!mayChange}
            onChange={(font) => set({ font: font === "serif" ? "serif" : "sans" })}
            options={(["sans", "serif"] as const).map((id) => ({ id, label: texts.fonts[id] }))}
          />
          <TextField {...text("senderName")} label={texts.senderName} hint={texts.senderNameHint} maxLength={100} />
          <TextField {...text("replyTo")} label={texts.replyTo} hint={texts.replyToHint} type="email" maxLength={320} />
          <Checkbox
            isSelected={draft.attachFiles}
            isReadOnly={!mayChange}
            onChange={(attachFiles) => set({ attachFiles })}
          >
            {texts.attachFiles}
          </Checkbox>
          <TextField {...text("footer")} label={texts.footer} hint={texts.footerHint} rows={3} maxLength={500} />
        </Form>
        <BrandPreview brand={brand} draft={draft} />
      </div>
      <Pictures brand={brand} mayChange={mayChange} />
      <BrandTexts brand={brand} mayChange={mayChange} />
    </Page>
  );
}

interface ColorPairProps {
  readonly draft: BrandDraft;
  readonly onChange: (part: Partial<BrandDraft>) => void;
  readonly behind: "button" | "header";
  readonly label: string;
  readonly isReadOnly: boolean;
}

/** A colour and that of the text on it, with the contrast between them as it is chosen. */
function ColorPair({ draft, onChange, behind, label, isReadOnly }: ColorPairProps) {
  const texts = useTexts("brands");
  const onIt = behind === "button" ? "buttonText" : "headerText";
  const [background, chosen] = [draft[behind].trim(), draft[onIt].trim()];
  const foreground = chosen === "" && isColor(background) ? readableOn(background) : chosen;
  const contrast = isColor(background) && isColor(foreground) ? contrastOf(foreground, background) : undefined;
  const isLow = contrast !== undefined && contrast < leastContrast;
  const field = (name: "button" | "buttonText" | "header" | "headerText", words: string, hint?: string) => (
    <div className="brand-color">
      <input
        type="color"
        aria-label={texts.pick(words)}
        disabled={isReadOnly}
        value={isColor(draft[name]) ? draft[name] : "#808080"}
        onChange={({ target }) => onChange({ [name]: target.value })}
      />
      <TextField
        name={name}
        label={words}
        hint={hint}
        value={draft[name]}
        onChange={(value) => onChange({ [name]: value })}
        isReadOnly={isReadOnly}
        maxLength={7}
        pattern="#[0-9a-fA-F]{6}"
        placeholder="#0b5d3b"
        autoComplete="off"
        spellCheck="false"
      />
    </div>
  );
  return (
    <fieldset className="brand-pair">
      <legend>{label}</legend>
      {field(behind, texts.background)}
      {field(onIt, texts.textColor, texts.textColorHint)}
      <p role="status" className={isLow ? "brand-contrast brand-contrast-low" : "brand-contrast"}>
        {contrast === undefined ? "" : (isLow ? texts.contrastLow : texts.contrast)(contrastText(contrast))}
      </p>
    </fieldset>
  );
}

const pictures = { logo: 300 * 1024, favicon: 100 * 1024 } as const;

function Pictures({ brand, mayChange }: { readonly brand: Brand; readonly mayChange: boolean }) {
  const texts = useTexts("brands");
  return (
    <Section title={texts.pictures} intro={texts.picturesIntro}>
      <div className="brand-pictures">
        <Picture brand={brand} kind="logo" mayChange={mayChange} />
        <Picture brand={brand} kind="favicon" mayChange={mayChange} />
      </div>
    </Section>
  );
}

interface PictureProps {
  readonly brand: Brand;
  readonly kind: keyof typeof pictures;
  readonly mayChange: boolean;
}

function Picture({ brand, kind, mayChange }: PictureProps) {
  const texts = useTexts("brands");
  const { organization } = useSession();
  const api = useApi();
  const changed = useBrandsChanged();
  const picture = brand[kind];
  const path = `${brandsPath}/${brand.id}/${kind}`;
  const upload = useAction(async (file: File) => {
    // Of what is larger the service would not read the request.
    if (file.size > pictures[kind]) throw wrongInput(texts.tooLarge(file.name, pictures[kind] / 1024));
    await api.send("PUT", path, { content: await base64Of(file) }).catch((error: unknown) => {
      const fault = asApiError(error).details.find(({ field }) => field === "content");
      throw fault === undefined ? error : wrongInput(texts.unusable(file.name, fault.message));
    });
    await changed();
  });
  const remove = useAction(async () => {
    await api.send("DELETE", path);
    await changed();
  });
  const failure = upload.error ?? remove.error;
  return (
    <div className="brand-picture">
      <h3>{texts.pictureNames[kind]}</h3>
      <p className="quiet">{texts.pictureHints[kind]}</p>
      {picture === null ? (
        <p>{texts.noPicture}</p>
      ) : (
        <p className="brand-paper">
          <img src={`/brand-images/${organization.id}/${picture.sha256}`} alt={texts.pictureNames[kind]} />
        </p>
      )}
      {mayChange && (
        <div className="form-buttons">
          <FileTrigger
            acceptedFileTypes={["image/png", "image/jpeg"]}
            onSelect={(files) => files?.[0] && void upload.run(files[0])}
          >
            <Button isBusy={upload.isBusy}>{picture === null ? texts.upload : texts.replace}</Button>
          </FileTrigger>
          {picture !== null && (
            <Button kind="quiet" isBusy={remove.isBusy} onPress={() => void remove.run()}>
              {texts.remove}
            </Button>
          )}
        </div>
      )}
      {failure !== undefined && <ErrorNotice error={failure} />}
    </div>
  );
}
