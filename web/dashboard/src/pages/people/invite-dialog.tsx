import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { InvitationDialog, type Invited } from "./invitation.tsx";
import { RoleSelect } from "./role-select.tsx";

interface InviteDialogProps {
  readonly onInvited: () => unknown;
  readonly onClose: () => void;
}

export function InviteDialog({ onInvited, onClose }: InviteDialogProps) {
  const texts = useTexts("people");
  const api = useApi();
  const [invited, setInvited] = useState<Invited>();
  if (invited !== undefined) return <InvitationDialog invited={invited} onClose={onClose} />;
  return (
    <Dialog title={texts.inviteTitle} isOpen onClose={onClose}>
      <Form
        submit={texts.sendInvitation}
        onCancel={onClose}
        onSubmit={async (values) => {
          const person = { name: values.text("name").trim(), email: values.text("email").trim() };
          setInvited(await api.send("POST", "/v1/dashboard/users", { ...person, role: values.text("role") }));
          onInvited();
        }}
      >
        <TextField name="name" label={texts.name} maxLength={255} isRequired autoFocus autoComplete="off" />
        <TextField name="email" type="email" label={texts.email} maxLength={320} isRequired autoComplete="off" />
        <RoleSelect initial="developer" />
      </Form>
    </Dialog>
  );
}
