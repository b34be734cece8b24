import { useState } from "react";
import type { Brand } from "#api/brands.ts";
import { useApi } from "../../api/client.ts";
import { wrongInput } from "../../api/errors.ts";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { useMailLanguages } from "../../ui/locale-options.ts";
import { Section } from "../../ui/page.tsx";
import { ErrorNotice } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Select, TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-action.ts";
import { RowButtons } from "../access/parts.tsx";
import { brandsPath, useBrandsChanged } from "./brand-select.tsx";

type MailText = Brand["texts"][number];

interface BrandTextsProps {
  readonly brand: Brand;
  readonly mayChange: boolean;
}

const keyOf = ({ locale, mail }: Pick<MailText, "locale" | "mail">): string => `${locale} ${mail}`;

/** What mails say in the languages of those who get them. */
export function BrandTexts({ brand, mayChange }: BrandTextsProps) {
  const texts = useTexts("brands");
  const languages = new Intl.DisplayNames(useLanguage().locale, { type: "language", fallback: "code" });
  const [editing, setEditing] = useState<MailText | "new">();
  const save = useSaveTexts(brand);
  const remove = useAction((text: MailText) => save(brand.texts.filter((one) => keyOf(one) !== keyOf(text))));
  const columns: readonly Column<MailText>[] = [
    { id: "mail", title: texts.mail, cell: ({ mail }) => texts.mails[mail] },
    { id: "locale", title: texts.language, cell: ({ locale }) => languages.of(locale) ?? locale },
    {
      id: "says",
      title: texts.says,
      width: "broad",
      cell: ({ subject, intro }) => (
        <span className="stacked">
          {subject}
          {intro !== null && <small>{intro}</small>}
        </span>
      ),
    },
    {
      id: "buttons",
      title: "",
      align: "end",
      cell: (text) =>
        mayChange && (
          <RowButtons>
            <Button kind="quiet" aria-label={texts.editOf(texts.mails[text.mail])} onPress={() => setEditing(text)}>
              {texts.edit}
            </Button>
            <Button
              kind="quiet"
              aria-label={texts.removeOf(texts.mails[text.mail])}
              onPress={() => void remove.run(text)}
            >
              {texts.remove}
            </Button>
          </RowButtons>
        ),
    },
  ];
  return (
    <Section
      title={texts.mailTexts}
      intro={texts.mailTextsIntro}
      actions={mayChange && <Button onPress={() => setEditing("new")}>{texts.addText}</Button>}
    >
      {remove.error !== undefined && <ErrorNotice error={remove.error} />}
      {brand.texts.length > 0 && (
        <Table label={texts.mailTexts} columns={columns} rows={brand.texts} rowKey={keyOf} empty={null} />
      )}
      {editing !== undefined && (
        <TextDialog
          brand={brand}
          text={editing === "new" ? undefined : editing}
          onClose={() => setEditing(undefined)}
        />
      )}
    </Section>
  );
}

function useSaveTexts({ id }: Brand): (texts: readonly MailText[]) => Promise<void> {
  const api = useApi();
  const changed = useBrandsChanged();
  return async (texts) => {
    await api.send("PATCH", `${brandsPath}/${id}`, { texts });
    await changed();
  };
}

interface TextDialogProps {
  readonly brand: Brand;
  /** Undefined for a new one. */
  readonly text: MailText | undefined;
  readonly onClose: () => void;
}

function TextDialog({ brand, text, onClose }: TextDialogProps) {
  const texts = useTexts("brands");
  const save = useSaveTexts(brand);
  const kinds = Object.keys(texts.mails) as MailText["mail"][];
  const [mail, setMail] = useState<MailText["mail"]>(text?.mail ?? "invitation");
  const [locale, setLocale] = useState(text?.locale ?? "en");
  const languages = useMailLanguages(locale);
  const send = async (values: FormValues) => {
    const made: MailText = {
      ...{ mail, locale },
      ...{ subject: values.text("subject").trim() || null, intro: values.text("intro").trim() || null },
    };
    const others = brand.texts.filter((one) => text === undefined || keyOf(one) !== keyOf(text));
    if (others.some((one) => keyOf(one) === keyOf(made))) throw wrongInput(texts.textExists);
    await save([...others, made]);
    onClose();
  };
  return (
    <Dialog title={text === undefined ? texts.addText : texts.editOf(texts.mails[text.mail])} isOpen onClose={onClose}>
      <Form submit={texts.saveText} onSubmit={send} onCancel={onClose}>
        <Select
          label={texts.mail}
          options={kinds.map((id) => ({ id, label: texts.mails[id] }))}
          selectedKey={mail}
          onSelectionChange={(chosen) => setMail(kinds.find((kind) => kind === chosen) ?? "invitation")}
        />
        <Select
          label={texts.language}
          options={languages}
          selectedKey={locale}
          onSelectionChange={(chosen) => setLocale(String(chosen))}
        />
        <TextField
          name="subject"
          label={texts.subject}
          hint={texts.subjectHint}
          defaultValue={text?.subject ?? ""}
          maxLength={150}
        />
        <TextField
          name="intro"
          label={texts.introduction}
          hint={texts.placeholders(mail)}
          defaultValue={text?.intro ?? ""}
          rows={4}
          maxLength={2_000}
        />
      </Form>
    </Dialog>
  );
}
