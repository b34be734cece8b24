import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { CopyLine } from "../../ui/copy-line.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { atField } from "../access/at-field.ts";
import { PasswordForm } from "./password-form.tsx";
import { QrCode } from "./qr-code.tsx";
import { type NewCodes, RecoveryCodesDialog } from "./recovery-codes-dialog.tsx";
import "../access/access.css";

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
