import "./brands.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { FileTrigger } from "react-aria-components";
import type { Brand, MailPreview as Preview } from "#api/brands.ts";
import { contrastOf, contrastText, leastContrast, readableOn } from "#platform/contrast.ts";
import { parseInert } from "../../../../embed/dom.ts";
import { base64Of, useApi } from "../../api/client.ts";
import { asApiError, wrongInput } from "../../api/errors.ts";
import type { PageParams } from "../../app/routes.tsx";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Checkbox, Form, RadioGroup, wordsOf } from "../../ui/form.tsx";
import { useMailLanguages } from "../../ui/locale-options.ts";
import { Page, Section } from "../../ui/page.tsx";
import { EmptyState, ErrorNotice, Notice } from "../../ui/states.tsx";
import { Select, TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-action.ts";
import { useLeaveGuard } from "../../ui/use-leave-guard.tsx";
import { atField, Loaded } from "../access/parts.tsx";
import { type BrandDraft, BrandPreview, changesIn, draftOf, isColor } from "./brand-preview.tsx";
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
    const asked = api.send<Brand>("PATCH", `${brandsPath}/${brand.id}`, changesIn(draft));
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
      <MailPreview brand={brand} draft={draft} />
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
  const { byField } = useTexts("errors");
  const picture = brand[kind];
  const path = `${brandsPath}/${brand.id}/${kind}`;
  const upload = useAction(async (file: File) => {
    // Of what is larger the service would not read the request.
    if (file.size > pictures[kind]) throw wrongInput(texts.tooLarge(file.name, pictures[kind] / 1024));
    await api.send("PUT", path, { content: await base64Of(file) }).catch((error: unknown) => {
      const fault = asApiError(error).details.find(({ field }) => field === "content");
      if (fault === undefined) throw error;
      throw wrongInput(texts.unusable(file.name, wordsOf(fault, byField) ?? fault.message));
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

interface MailPreviewProps {
  readonly brand: Brand;
  readonly draft: BrandDraft;
}

/** Nobody waits for a mail that is out of date with the next key. */
const pauseMs = 400;

/** A mail with what the form holds, written by the service that sends them. */
function MailPreview({ brand, draft }: MailPreviewProps) {
  const texts = useTexts("brands");
  const [mail, setMail] = useState<string>("invitation");
  const [locale, setLocale] = useState("en");
  const languages = useMailLanguages(locale);
  const changes = usePaused(JSON.stringify(changesIn(draft)));
  const api = useApi();
  const query = new URLSearchParams({ mail, locale });
  const { data, error } = useQuery({
    // Pictures and texts are saved by themselves.
    queryKey: [brandsPath, brand.id, brand.modifiedAt, changes, `${query}`],
    queryFn: () => api.send<Preview>("POST", `${brandsPath}/${brand.id}/mail-preview?${query}`, JSON.parse(changes)),
    placeholderData: keepPreviousData,
    retry: false,
  });
  return (
    <section className="brand-mail" aria-label={texts.mailPreview}>
      <h2>{texts.mailPreview}</h2>
      <div className="brand-mail-choice">
        <Select
          label={texts.mail}
          options={Object.entries(texts.mails).map(([id, label]) => ({ id, label }))}
          value={mail}
          onChange={(key) => setMail(String(key))}
        />
        <Select label={texts.language} options={languages} value={locale} onChange={(key) => setLocale(String(key))} />
      </div>
      {error !== null &&
        (isInvalid(error) ? <p role="status">{texts.mailPreviewInvalid}</p> : <ErrorNotice error={error} />)}
      {data !== undefined && (
        <>
          <dl className="brand-mail-head">
            <dt>{texts.mailFrom}</dt>
            <dd>{data.fromName ?? texts.mailFromUsual}</dd>
            <dt>{texts.mailReplyTo}</dt>
            <dd>{data.replyTo ?? texts.mailReplyToUsual}</dd>
            <dt>{texts.subject}</dt>
            <dd>
              <bdi>{data.subject}</bdi>
            </dd>
          </dl>
          <Letter html={data.html} />
        </>
      )}
    </section>
  );
}

/** What is wrong stands at the field once it is saved. */
const isInvalid = (error: unknown): boolean => asApiError(error).code === "VALIDATION_FAILED";

/**
 * A mail in a tree of its own. The policy of the page takes styles from scripts alone, and reports those that stand in
 * what is parsed: they are taken out before, by what marks them in mails of ours, whose texts have no such characters.
 */
function Letter({ html }: { readonly html: string }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (host.current === null) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const [whole = "", styles = ""] = /<style>([^<]*)<\/style>/.exec(html) ?? [];
    const { body } = parseInert(html.replace(whole, "").replaceAll(' style="', ' data-style="'));
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
    root.adoptedStyleSheets = [sheet];
    const page = document.createElement("div");
    page.className = body.className;
    page.style.cssText = body.dataset.style ?? "";
    page.append(...body.childNodes);
    for (const one of page.querySelectorAll<HTMLElement>("[data-style]")) {
      one.style.cssText = one.dataset.style ?? "";
    }
    for (const link of page.querySelectorAll("a")) link.removeAttribute("href");
    root.replaceChildren(page);
  }, [html]);
  return <div ref={host} className="brand-letter" />;
}

/** The text once it has not changed for a while. */
function usePaused(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
