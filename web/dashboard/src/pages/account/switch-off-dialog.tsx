import { useApi } from "../../api/client.ts";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { PasswordForm } from "./password-form.tsx";

/** Switches the second factor off. */
export function SwitchOffDialog({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts("account");
  const api = useApi();
  const { refresh } = useSession();
  return (
    <Dialog title={texts.switchOffTitle} isOpen onClose={onClose}>
      <PasswordForm
        submit={texts.switchOff}
        kind="danger"
        onCancel={onClose}
        onSubmit={async (password) => {
          await api.send("DELETE", "/v1/dashboard/factor/totp", { password });
          await refresh();
          onClose();
        }}
      >
        <p>{texts.switchOffText}</p>
      </PasswordForm>
    </Dialog>
  );
}
