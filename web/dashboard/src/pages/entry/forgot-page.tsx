import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { Link } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Form } from "../../ui/form.tsx";
import { Notice } from "../../ui/states.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { EntryFrame } from "./entry-frame.tsx";

export function ForgotPage() {
  const texts = useTexts("entry");
  const api = useApi();
  const [isSent, setIsSent] = useState(false);
  const send = async (email: string) => {
    await api.send("POST", "/v1/dashboard/password/forgot", { email });
    setIsSent(true);
  };
  return (
    <EntryFrame title={texts.forgotTitle} {...(isSent ? {} : { intro: texts.forgotText })}>
      {isSent ? (
        <Notice tone="success">{texts.forgotDone}</Notice>
      ) : (
        <Form submit={texts.sendLink} onSubmit={(values) => send(values.text("email"))}>
          <TextField name="email" type="email" label={texts.email} autoComplete="username" isRequired autoFocus />
        </Form>
      )}
      <p>
        <Link to="/login">{texts.backToLogin}</Link>
      </p>
    </EntryFrame>
  );
}
