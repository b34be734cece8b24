import { useState } from "react";
import type { GenTemplate as Template } from "#api/generation-templates.ts";
import { useApi } from "../../api/client.ts";
import { useNavigate } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { Facts, Section } from "../../ui/page.tsx";
import { Notice } from "../../ui/states.tsx";
import { Select, TextField } from "../../ui/text-field.tsx";
import { templatePath, useGenerationChanges } from "./queries.ts";

interface SettingsSectionProps {
  readonly template: Template;
  readonly mayChange: boolean;
}

const sides = ["top", "right", "bottom", "left"] as const;

/** Name, language and page of a template. */
export function SettingsSection({ template, mayChange }: SettingsSectionProps) {
  const texts = useTexts("generation");
  const { page } = template;
  if (mayChange) return <Changing template={template} />;
  const ofPage: [string, string][] = [
    [texts.size, `${texts.sizes[page.size]}, ${texts.orientations[page.orientation]}`],
    [texts.margins, sides.map((side) => `${texts.sides[side]} ${page.margins[side]} mm`).join(", ")],
    [texts.header, page.header || texts.none],
    [texts.footer, page.footer || texts.none],
    [texts.font, texts.fonts[page.font]],
  ];
  return (
    <Section title={texts.tabNames.settings}>
      <Facts
        facts={[
          [texts.name, template.name],
          [texts.slug, <code key="slug">{template.slug}</code>],
          [texts.locale, template.locale],
          ...(template.format === "docx" ? [] : ofPage),
        ]}
      />
    </Section>
  );
}

function Changing({ template }: { readonly template: Template }) {
  const texts = useTexts("generation");
  const api = useApi();
  const { templateIs } = useGenerationChanges();
  const [isSaved, setIsSaved] = useState(false);
  const save = async (values: FormValues) => {
    setIsSaved(false);
    const named = {
      name: values.text("name").trim(),
      slug: values.text("slug").trim(),
      locale: values.text("locale").trim(),
    };
    if (template.format === "docx") {
      await templateIs(await api.send<Template>("PATCH", templatePath(template.id), named));
      return setIsSaved(true);
    }
    const margins = Object.fromEntries(sides.map((side) => [side, Number(values.text(`margin-${side}`))]));
    const changed = await api.send<Template>("PATCH", templatePath(template.id), {
      ...named,
      page: {
        ...{ size: values.text("size"), orientation: values.text("orientation"), font: values.text("font") },
        ...{ margins, header: values.text("header"), footer: values.text("footer") },
      },
    });
    await templateIs(changed);
    setIsSaved(true);
  };
  return (
    <>
      <Section title={texts.tabNames.settings} intro={texts.settingsHelp}>
        <Form submit={texts.save} onSubmit={save} aside={isSaved && <span role="status">{texts.savedDraft}</span>}>
          <TextField name="name" label={texts.name} defaultValue={template.name} isRequired maxLength={255} />
          <TextField name="slug" label={texts.slug} hint={texts.slugHelp} defaultValue={template.slug} isRequired />
          <TextField
            name="locale"
            label={texts.locale}
            hint={texts.localeHelp}
            defaultValue={template.locale}
            isRequired
          />
          {template.format !== "docx" && <PageFields template={template} />}
        </Form>
      </Section>
      <Remove template={template} />
    </>
  );
}

function PageFields({ template: { page } }: { readonly template: Template }) {
  const texts = useTexts("generation");
  const options = (words: Readonly<Record<string, string>>) =>
    Object.entries(words).map(([id, label]) => ({ id, label }));
  return (
    <>
      <Select name="size" label={texts.size} options={options(texts.sizes)} defaultValue={page.size} />
      <Select
        name="orientation"
        label={texts.orientation}
        options={options(texts.orientations)}
        defaultValue={page.orientation}
      />
      <Select name="font" label={texts.font} options={options(texts.fonts)} defaultValue={page.font} />
      <fieldset className="gen-margins">
        <legend>{texts.margins}</legend>
        {sides.map((side) => (
          <TextField
            key={side}
            name={`margin-${side}`}
            type="number"
            inputMode="decimal"
            label={texts.sides[side]}
            defaultValue={String(page.margins[side])}
            isRequired
          />
        ))}
      </fieldset>
      <TextField name="header" label={texts.header} defaultValue={page.header} maxLength={500} />
      <TextField
        name="footer"
        label={texts.footer}
        hint={texts.footerHelp}
        defaultValue={page.footer}
        maxLength={500}
      />
    </>
  );
}

function Remove({ template }: { readonly template: Template }) {
  const texts = useTexts("generation");
  const api = useApi();
  const navigate = useNavigate();
  const { templateGone } = useGenerationChanges();
  const [isAsking, setIsAsking] = useState(false);
  const remove = async () => {
    await api.send("DELETE", templatePath(template.id));
    navigate("/generation");
    await templateGone(template.id);
  };
  return (
    <Section title={texts.removeSection} intro={texts.removeHelp}>
      <div>
        <Button kind="danger" onPress={() => setIsAsking(true)}>
          {texts.remove}
        </Button>
      </div>
      <ConfirmDialog
        title={texts.removeTitle}
        text={texts.removeText(template.name)}
        action={texts.remove}
        isOpen={isAsking}
        onConfirm={remove}
        onClose={() => setIsAsking(false)}
      />
      <Notice>{texts.removeKeeps}</Notice>
    </Section>
  );
}
