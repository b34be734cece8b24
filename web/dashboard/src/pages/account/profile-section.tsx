import { useMemo, useState } from "react";
import { useApi } from "../../api/client.ts";
import { useSession } from "../../app/session.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Form } from "../../ui/form.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Facts, Section } from "../../ui/page.tsx";
import { type Option, Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";

/** In the lists of languages and time zones: as the browser has it, which the API knows as null. */
const ofBrowser = "browser";

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
            locale: chosen(values.text("locale")),
            timeZone: chosen(values.text("timeZone")),
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
          options={useLocales(user.locale)}
          defaultValue={user.locale ?? ofBrowser}
        />
        <Select
          name="timeZone"
          label={texts.timeZone}
          options={useTimeZones(user.timeZone)}
          defaultValue={user.timeZone ?? ofBrowser}
        />
      </Form>
    </Section>
  );
}

const chosen = (value: string): string | null => (value === "" || value === ofBrowser ? null : value);

/** The languages of our words, in the forms that write dates and numbers differently. */
const locales = ["en", "en-GB", "en-US", "de", "de-AT", "de-CH"];

function useLocales(current: string | null): readonly Option[] {
  const { localeBrowser } = useTexts("account");
  const { locale } = useLanguage();
  return useMemo(() => {
    const names = new Intl.DisplayNames(locale, { type: "language", fallback: "code" });
    const others = current === null || locales.includes(current) ? [] : [current];
    const options = [...locales, ...others].map((id) => ({ id, label: names.of(id) ?? id }));
    return [{ id: ofBrowser, label: localeBrowser }, ...options];
  }, [current, locale, localeBrowser]);
}

function useTimeZones(current: string | null): readonly Option[] {
  const { timeZoneBrowser } = useTexts("account");
  return useMemo(() => {
    const known = new Set(["UTC", ...Intl.supportedValuesOf("timeZone"), ...(current === null ? [] : [current])]);
    const options = [...known].map((id) => ({ id, label: id.replaceAll("_", " ") }));
    return [{ id: ofBrowser, label: timeZoneBrowser }, ...options];
  }, [current, timeZoneBrowser]);
}
