import type { User } from "#api/users.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyLine } from "../../ui/copy-line.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Revealed } from "../access/parts.tsx";

export interface Invited {
  readonly user: User;
  /** Null when it is mailed. */
  readonly inviteUrl: string | null;
}

/** Says how the invitation reaches the person. */
export function InvitationDialog({ invited, onClose }: { readonly invited: Invited; readonly onClose: () => void }) {
  const texts = useTexts("people");
  const { done } = useTexts("common");
  const { user, inviteUrl } = invited;
  return (
    <Dialog title={texts.invitedTitle} isOpen isDismissable={inviteUrl === null} onClose={onClose}>
      <Revealed>
        <p>{inviteUrl === null ? texts.invitedByMail(user.email) : texts.invitedByLink(user.email)}</p>
        {inviteUrl !== null && <CopyLine text={inviteUrl} />}
        <div className="form-buttons">
          <Button kind="primary" onPress={onClose}>
            {done}
          </Button>
        </div>
      </Revealed>
    </Dialog>
  );
}
