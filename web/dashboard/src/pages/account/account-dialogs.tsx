import "./account.css";
import "../access/access.css";
import { type ReactNode, useMemo, useState } from "react";
import { useApi } from "../../api/client.ts";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyLine } from "../../ui/copy-line.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { Notice } from "../../ui/states.tsx";
import { PasswordField, TextField } from "../../ui/text-field.tsx";
import { atField, Revealed } from "../access/parts.tsx";
import { qrRows } from "./qr-code.ts";

interface PasswordFormProps {
  readonly submit: string;
  readonly kind?: "primary" | "danger";
  readonly onSubmit: (password: string) => Promise<unknown>;
  readonly onCancel: () => void;
  readonly children?: ReactNode;
}

/** Asks for the password again, before an action that nobody else may perform. */
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

export interface NewCodes {
  readonly recoveryCodes: readonly string[];
}

interface RecoveryCodesDialogProps {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}

/** The recovery codes, shown only once. Printing prints nothing else. */
export function RecoveryCodesDialog({ codes, onClose }: RecoveryCodesDialogProps) {
  const texts = useTexts("account");
  return (
    <Dialog title={texts.codesTitle} isOpen isDismissable={false} onClose={onClose}>
      <Revealed>
        <Notice tone="warning">{texts.codesText}</Notice>
        <div className="recovery-codes">
          <CopyLine text={codes.join("\n")} />
        </div>
        <div className="form-buttons">
          <Button kind="primary" onPress={onClose}>
            {texts.codesKept}
          </Button>
          <Button onPress={() => window.print()}>{texts.printCodes}</Button>
        </div>
      </Revealed>
    </Dialog>
  );
}

interface TotpSecret {
  readonly secret: string;
  readonly uri: string;
}

type Step =
  | { readonly at: "password" }
  | ({ readonly at: "secret" } & TotpSecret)
  | ({ readonly at: "codes" } & NewCodes);

/** The password, the secret for the authenticator with a code of it, and the recovery codes. */
export function SetUpDialog({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts("account");
  const api = useApi();
  const { refresh } = useSession();
  const [step, setStep] = useState<Step>({ at: "password" });
  if (step.at === "codes") {
    return (
      <RecoveryCodesDialog
        codes={step.recoveryCodes}
        onClose={() => {
          onClose();
          void refresh();
        }}
      />
    );
  }
  return (
    <Dialog title={texts.setUpTitle} isOpen onClose={onClose}>
      {step.at === "password" ? (
        <PasswordForm
          submit={texts.goOn}
          onCancel={onClose}
          onSubmit={async (password) => {
            const begun = await api.send<TotpSecret>("POST", "/v1/dashboard/factor/totp", { password });
            setStep({ at: "secret", ...begun });
          }}
        />
      ) : (
        <ConfirmForm
          secret={step}
          onCancel={onClose}
          onConfirm={async (code) => {
            const codes = await api.send<NewCodes>("POST", "/v1/dashboard/factor/totp/confirm", { code });
            setStep({ at: "codes", ...codes });
          }}
        />
      )}
    </Dialog>
  );
}

interface ConfirmFormProps {
  readonly secret: TotpSecret;
  readonly onConfirm: (code: string) => Promise<void>;
  readonly onCancel: () => void;
}

function ConfirmForm({ secret: { secret, uri }, onConfirm, onCancel }: ConfirmFormProps) {
  const texts = useTexts("account");
  const wrong = { code: "TOTP_CODE_INVALID", field: "code", message: texts.codeWrong };
  return (
    <Form
      submit={texts.switchOn}
      onCancel={onCancel}
      onSubmit={(values) => atField(onConfirm(values.text("code").replaceAll(" ", "")), wrong)}
    >
      <p>{texts.scan}</p>
      <QrCode text={uri} label={texts.qrLabel} />
      <div className="stacked">
        <span>{texts.scanInstead}</span>
        <CopyLine text={secret} />
        <a href={uri}>{texts.openApp}</a>
      </div>
      <TextField
        name="code"
        label={texts.code}
        hint={texts.codeHelp}
        maxLength={20}
        isRequired
        autoFocus
        inputMode="numeric"
        autoComplete="one-time-code"
      />
    </Form>
  );
}

/** A QR code, drawn in the browser so that the text is sent nowhere. Nothing for a text that is too long for one. */
function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const rows = useMemo(() => qrRows(text), [text]);
  if (rows === undefined) return null;
  const size = rows.length;
  return (
    <svg className="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#ffffff" />
      <path d={pathOf(rows)} fill="#000000" />
    </svg>
  );
}

const pathOf = (rows: readonly (readonly boolean[])[]): string =>
  rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
