import { useApi } from "../../api/client.ts";
import { useNavigate } from "../../app/router.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useGenerationChanges } from "./queries.ts";
import type { Format, Template } from "./types.ts";

interface CreateTemplateDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function CreateTemplateDialog({ isOpen, onClose }: CreateTemplateDialogProps) {
  const texts = useTexts("generation");
  const { locale } = useLanguage();
  const api = useApi();
  const navigate = useNavigate();
  const { templateIs } = useGenerationChanges();
  const create = async (values: FormValues) => {
    const format: Format = values.text("format") === "markdown" ? "markdown" : "html";
    const template = await api.send<Template>("POST", "/v1/gen/templates", {
      name: values.text("name").trim(),
      format,
      locale: values.text("locale").trim() || null,
      content: texts.starter[format],
      sampleData: { customer: { name: "Example AG" }, items: [{ name: texts.starterItem, price: 120.5 }] },
    });
    onClose();
    await templateIs(template);
    navigate(`/generation/templates/${template.id}`);
  };
  return (
    <Dialog title={texts.createTemplateTitle} isOpen={isOpen} onClose={onClose}>
      <Form submit={texts.create} onSubmit={create} onCancel={onClose}>
        <TextField name="name" label={texts.name} hint={texts.nameHelp} isRequired maxLength={255} autoFocus />
        <Select
          name="format"
          label={texts.format}
          defaultValue="html"
          options={[
            { id: "html", label: texts.formats.html, hint: texts.htmlHelp },
            { id: "markdown", label: texts.formats.markdown, hint: texts.markdownHelp },
          ]}
        />
        <TextField name="locale" label={texts.locale} hint={texts.localeHelp} defaultValue={locale} maxLength={35} />
      </Form>
    </Dialog>
  );
}
