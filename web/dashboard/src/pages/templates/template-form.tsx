import type { Counterparty, Template } from "#api/templates.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { Select, TextField } from "../../ui/text-field.tsx";
import { BrandField } from "../brands/brand-select.tsx";
import { templateTypes } from "./configuration.ts";

export interface TemplateValues {
  readonly name: string;
  readonly type?: string;
  readonly slug?: string;
  readonly description: string | null;
  readonly defaultLocale: string;
  readonly counterparty: Counterparty | null;
  /** Only when it is another one: the one that it has may be gone. */
  readonly brandId?: string | null;
}

interface TemplateFormProps {
  /** What is changed; nothing when one is created. */
  readonly template?: Template;
  readonly submit: string;
  readonly onSubmit: (values: TemplateValues) => Promise<unknown>;
  readonly onCancel: () => void;
}

export function TemplateForm({ template, submit, onSubmit, onCancel }: TemplateFormProps) {
  const texts = useTexts("templates");
  return (
    <Form submit={submit} onSubmit={(values) => onSubmit(valuesOf(values, template))} onCancel={onCancel}>
      <TextField
        name="name"
        label={texts.name}
        hint={texts.nameHelp}
        defaultValue={template?.name ?? ""}
        isRequired
        maxLength={255}
      />
      {template === undefined && (
        <Select
          name="type"
          label={texts.type}
          options={templateTypes.map((id) => ({ id, label: texts.types[id], hint: texts.typeHints[id] }))}
          defaultValue="STATIC"
        />
      )}
      <TextField
        name="slug"
        label={texts.slug}
        hint={template === undefined ? texts.slugHelp : texts.slugWarning}
        defaultValue={template?.slug ?? ""}
        isRequired={template !== undefined}
        maxLength={100}
      />
      <TextField
        name="description"
        label={texts.descriptionLabel}
        defaultValue={template?.description ?? ""}
        maxLength={2_000}
        rows={2}
      />
      <TextField
        name="defaultLocale"
        label={texts.defaultLocale}
        hint={texts.defaultLocaleHelp}
        defaultValue={template?.defaultLocale ?? "en"}
        isRequired
        maxLength={35}
      />
      <TextField
        name="legalName"
        label={texts.counterparty}
        hint={texts.counterpartyHelp}
        defaultValue={template?.counterparty?.legalName ?? ""}
        maxLength={255}
      />
      <BrandField chosen={template?.brandId ?? null} />
    </Form>
  );
}

function valuesOf(values: FormValues, template: Template | undefined): TemplateValues {
  const slug = values.text("slug").trim();
  const brandId = values.text("brand") || null;
  return {
    name: values.text("name").trim(),
    ...(template === undefined ? { type: values.text("type") } : {}),
    ...(slug === "" ? {} : { slug }),
    description: values.text("description").trim() || null,
    defaultLocale: values.text("defaultLocale").trim(),
    counterparty: counterpartyOf(values.text("legalName").trim(), template),
    ...(brandId === (template?.brandId ?? null) ? {} : { brandId }),
  };
}

/** What the form does not show of it stays. */
function counterpartyOf(legalName: string, template: Template | undefined): Counterparty | null {
  if (legalName === "") return null;
  const { address = null, url = null } = template?.counterparty ?? {};
  return { legalName, address, url };
}
