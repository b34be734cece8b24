import type { ReactNode } from "react";
import { useTexts } from "../../texts/texts.tsx";
import { Form } from "../../ui/form.tsx";
import { PasswordField } from "../../ui/text-field.tsx";
import { atField } from "../access/at-field.ts";

interface PasswordFormProps {
  readonly submit: string;
  readonly kind?: "primary" | "danger";
  readonly onSubmit: (password: string) => Promise<unknown>;
  readonly onCancel: () => void;
  readonly children?: ReactNode;
}

/** Asks for the password once more, before something that nobody else may do. */
export function PasswordForm({ submit, kind = "primary", onSubmit, onCancel, children }: PasswordFormProps) {
  const texts = useTexts("account");
  const wrong = { code: "PASSWORD_WRONG", field: "password", message: texts.passwordWrong };
  return (
    <Form
      submit={submit}
      kind={kind}
      onCancel={onCancel}
      onSubmit={(values) => atField(onSubmit(values.text("password")), wrong)}
    >
      {children}
      <PasswordField
        name="password"
        label={texts.confirmPassword}
        hint={texts.confirmPasswordHelp}
        maxLength={1_000}
        isRequired
        autoFocus
        autoComplete="current-password"
      />
    </Form>
  );
}
