import { useState } from "react";
import type { ListedGenTemplate as ListedTemplate, GenTemplate as Template } from "#api/generation-templates.ts";
import { useApi } from "../../api/client.ts";
import { wrongInput } from "../../api/errors.ts";
import { Link, useNavigate } from "../../app/router.tsx";
import { useSession } from "../../app/session.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { Select, TextField } from "../../ui/text-field.tsx";
import { Time } from "../../ui/time.tsx";
import { GenerationTabs, RowPages, TemplateState } from "./parts.tsx";
import { useGenerationChanges, useTemplates } from "./queries.ts";
import { storeWordFile, WordFileChoice } from "./word-file.tsx";

export function GenTemplatesPage() {
  const texts = useTexts("generation");
  const mayChange = useSession().can("gen:write");
  const list = useTemplates();
  const [isCreating, setIsCreating] = useState(false);
  const create = mayChange && (
    <Button kind="primary" onPress={() => setIsCreating(true)}>
      {texts.createTemplate}
    </Button>
  );
  const columns: Column<ListedTemplate>[] = [
    { id: "name", title: texts.name, cell: (template) => <TemplateName template={template} /> },
    { id: "state", title: texts.state, cell: (template) => <TemplateState template={template} /> },
    { id: "format", title: texts.format, cell: ({ format }) => texts.formats[format] },
    { id: "updated", title: texts.updated, cell: ({ updatedAt }) => <Time value={updatedAt} /> },
  ];
  return (
    <Page title={texts.title} intro={texts.intro} actions={create}>
      <GenerationTabs current="templates" />
      <RowPages
        list={list}
        label={texts.templates}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            title={texts.noTemplates}
            text={mayChange ? texts.noTemplatesText : texts.noTemplatesForYou}
            action={create}
          />
        }
      />
      {mayChange && <CreateTemplateDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />}
    </Page>
  );
}

function TemplateName({ template: { id, name, slug } }: { readonly template: ListedTemplate }) {
  return (
    <>
      <Link to={`/generation/templates/${id}`}>{name}</Link>
      <div className="gen-aside">{slug}</div>
    </>
  );
}

interface CreateTemplateDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function CreateTemplateDialog({ isOpen, onClose }: CreateTemplateDialogProps) {
  const texts = useTexts("generation");
  const { locale } = useLanguage();
  const api = useApi();
  const navigate = useNavigate();
  const { templateIs } = useGenerationChanges();
  const [format, setFormat] = useState<Template["format"]>("html");
  const [file, setFile] = useState<File>();
  const contentOf = async () => {
    if (format !== "docx") {
      const sampleData = { customer: { name: "Example AG" }, items: [{ name: texts.starterItem, price: 120.5 }] };
      return { content: texts.starter[format], sampleData };
    }
    if (file === undefined) throw wrongInput(texts.chooseWordFile);
    return { content: await storeWordFile(api, file) };
  };
  const create = async (values: FormValues) => {
    const template = await api.send<Template>("POST", "/v1/gen/templates", {
      name: values.text("name").trim(),
      format,
      locale: values.text("locale").trim() || null,
      ...(await contentOf()),
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
          label={texts.format}
          value={format}
          onChange={(key) => setFormat(key as Template["format"])}
          options={[
            { id: "html", label: texts.formats.html, hint: texts.htmlHelp },
            { id: "markdown", label: texts.formats.markdown, hint: texts.markdownHelp },
            { id: "docx", label: texts.formats.docx, hint: texts.docxHelp },
          ]}
        />
        {format === "docx" && (
          <div className="gen-file">
            <WordFileChoice text={texts.chooseFile} onFile={setFile} />
            <span role="status">{file?.name ?? texts.noFile}</span>
            <small>{texts.sourceHelp.docx}</small>
          </div>
        )}
        <TextField name="locale" label={texts.locale} hint={texts.localeHelp} defaultValue={locale} maxLength={35} />
      </Form>
    </Dialog>
  );
}
