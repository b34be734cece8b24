import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Form } from "../../ui/form.tsx";
import { optionOf, settingOf, useLocaleOptions, useTimeZoneOptions } from "../../ui/locale-options.ts";
import { Notice } from "../../ui/notice.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";

/** The name, and what users who are invited begin with. */
export function SettingsForm() {
  const texts = useTexts("organization");
  const { save, saved } = useTexts("common");
  const api = useApi();
  const { organization, refresh } = useSession();
  const { name, locale, timeZone } = organization;
  const [isSaved, setIsSaved] = useState(false);
  return (
    <Form
      submit={save}
      aside={isSaved && <Notice tone="success">{saved}</Notice>}
      onSubmit={async (values) => {
        setIsSaved(false);
        await api.send("PATCH", "/v1/dashboard/organization", {
          name: values.text("name").trim(),
          locale: settingOf(values.text("locale")),
          timeZone: settingOf(values.text("timeZone")),
        });
        await refresh();
        setIsSaved(true);
      }}
    >
      <TextField name="name" label={texts.name} defaultValue={name} maxLength={255} isRequired />
      <Select
        name="locale"
        label={texts.locale}
        hint={texts.defaultsHelp}
        options={useLocaleOptions(locale, texts.ofBrowser)}
        defaultValue={optionOf(locale)}
      />
      <Select
        name="timeZone"
        label={texts.timeZone}
        options={useTimeZoneOptions(timeZone, texts.ofBrowser)}
        defaultValue={optionOf(timeZone)}
      />
    </Form>
  );
}
