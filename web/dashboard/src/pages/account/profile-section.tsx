import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Form } from "../../ui/form.tsx";
import { optionOf, settingOf, useLocaleOptions, useTimeZoneOptions } from "../../ui/locale-options.ts";
import { Notice } from "../../ui/notice.tsx";
import { Facts, Section } from "../../ui/page.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";

export function ProfileSection() {
  const texts = useTexts("account");
  const { save, saved } = useTexts("common");
  const api = useApi();
  const { user, refresh } = useSession();
  const [isSaved, setIsSaved] = useState(false);
  return (
    <Section title={texts.profile}>
      <Facts facts={[[texts.email, user.email]]} />
      <Form
        submit={save}
        aside={isSaved && <Notice tone="success">{saved}</Notice>}
        onSubmit={async (values) => {
          setIsSaved(false);
          await api.send("PATCH", `/v1/dashboard/users/${user.id}`, {
            name: values.text("name").trim(),
            locale: settingOf(values.text("locale")),
            timeZone: settingOf(values.text("timeZone")),
          });
          await refresh();
          setIsSaved(true);
        }}
      >
        <TextField
          name="name"
          label={texts.name}
          defaultValue={user.name}
          maxLength={255}
          isRequired
          autoComplete="name"
        />
        <Select
          name="locale"
          label={texts.locale}
          options={useLocaleOptions(user.locale, texts.localeBrowser)}
          defaultValue={optionOf(user.locale)}
        />
        <Select
          name="timeZone"
          label={texts.timeZone}
          options={useTimeZoneOptions(user.timeZone, texts.timeZoneBrowser)}
          defaultValue={optionOf(user.timeZone)}
        />
      </Form>
    </Section>
  );
}
