import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { PasswordForm } from "./password-form.tsx";
import { type NewCodes, RecoveryCodesDialog } from "./recovery-codes-dialog.tsx";

/** Replaces the recovery codes. */
export function NewCodesDialog({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts("account");
  const api = useApi();
  const { refresh } = useSession();
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes !== undefined) return <RecoveryCodesDialog codes={codes} onClose={onClose} />;
  return (
    <Dialog title={texts.newCodesTitle} isOpen onClose={onClose}>
      <PasswordForm
        submit={texts.makeCodes}
        onCancel={onClose}
        onSubmit={async (password) => {
          const made = await api.send<NewCodes>("POST", "/v1/dashboard/factor/recovery-codes", { password });
          setCodes(made.recoveryCodes);
          await refresh();
        }}
      >
        <p>{texts.newCodesText}</p>
      </PasswordForm>
    </Dialog>
  );
}
