import type { SignedIn } from "#api/users.ts";
import { useApi } from "../../api/client.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { PasswordField, TextField } from "../../ui/text-field.tsx";
import { EntryFrame, LinkMissing, ProviderLogin, useEnter, useLinkToken, useLoginMethods } from "./entry-frame.tsx";

export function InvitationPage() {
  const texts = useTexts("entry");
  const api = useApi();
  const enter = useEnter();
  const token = useLinkToken();
  const methods = useLoginMethods();
  if (token === "") return <LinkMissing />;
  const join = async (values: FormValues) => {
    const name = values.text("name").trim();
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    const session = await api.send<SignedIn>("POST", "/v1/dashboard/invitations/accept", {
      token,
      password: values.text("password"),
      ...(name === "" ? {} : { name }),
      locale: navigator.language || "en",
      timeZone,
    });
    enter(session);
  };
  return (
    <EntryFrame title={texts.invitationTitle} intro={texts.invitationText}>
      <Form submit={texts.join} onSubmit={join}>
        <TextField name="name" label={texts.yourName} hint={texts.yourNameHint} autoComplete="name" maxLength={255} />
        <PasswordField
          name="password"
          label={texts.newPassword}
          hint={texts.newPasswordHint}
          autoComplete="new-password"
          isRequired
        />
      </Form>
      <ProviderLogin methods={methods} />
    </EntryFrame>
  );
}
