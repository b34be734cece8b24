import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Form } from "../../ui/form.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { PasswordField } from "../../ui/text-field.tsx";
import { atField } from "../access/at-field.ts";

export function PasswordSection() {
  const texts = useTexts("account");
  const api = useApi();
  const [changes, setChanges] = useState(0);
  const wrong = { code: "PASSWORD_WRONG", field: "currentPassword", message: texts.passwordWrong };
  return (
    <Section title={texts.password} intro={texts.passwordText}>
      {changes > 0 && <Notice tone="success">{texts.passwordChanged}</Notice>}
      <Form
        key={changes}
        submit={texts.changePassword}
        onSubmit={async (values) => {
          const passwords = {
            currentPassword: values.text("currentPassword"),
            newPassword: values.text("newPassword"),
          };
          await atField(api.send("POST", "/v1/dashboard/password/change", passwords), wrong);
          setChanges((count) => count + 1);
        }}
      >
        <PasswordField
          name="currentPassword"
          label={texts.currentPassword}
          maxLength={1_000}
          isRequired
          autoComplete="current-password"
        />
        <PasswordField
          name="newPassword"
          label={texts.newPassword}
          hint={texts.newPasswordHelp}
          maxLength={1_000}
          isRequired
          autoComplete="new-password"
        />
      </Form>
    </Section>
  );
}
