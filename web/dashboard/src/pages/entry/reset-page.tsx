import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { Link } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Form } from "../../ui/form.tsx";
import { Notice } from "../../ui/states.tsx";
import { PasswordField } from "../../ui/text-field.tsx";
import { EntryFrame, LinkMissing, useLinkToken } from "./entry-frame.tsx";

export function ResetPage() {
  const texts = useTexts("entry");
  const api = useApi();
  const token = useLinkToken();
  const [isDone, setIsDone] = useState(false);
  if (token === "") return <LinkMissing canAsk />;
  const send = async (password: string) => {
    await api.send("POST", "/v1/dashboard/password/reset", { token, password });
    setIsDone(true);
  };
  if (isDone) {
    return (
      <EntryFrame title={texts.resetTitle}>
        <Notice tone="success">{texts.resetDone}</Notice>
        <ButtonLink to="/login" kind="primary">
          {texts.logIn}
        </ButtonLink>
      </EntryFrame>
    );
  }
  return (
    <EntryFrame title={texts.resetTitle} intro={texts.resetText}>
      <Form submit={texts.setPassword} onSubmit={(values) => send(values.text("password"))}>
        <PasswordField
          name="password"
          label={texts.newPassword}
          hint={texts.newPasswordHint}
          autoComplete="new-password"
          isRequired
          autoFocus
        />
      </Form>
      <p>
        <Link to="/forgot">{texts.askForLink}</Link>
      </p>
    </EntryFrame>
  );
}
