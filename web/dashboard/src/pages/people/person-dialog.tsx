import { useState } from "react";
import { useApi } from "../../api/client.ts";
import type { User } from "../../api/session-types.ts";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { InvitationDialog, type Invited } from "./invitation.tsx";
import { RoleSelect } from "./role-select.tsx";
import "../access/access.css";

/** Something that an owner is about to do with a person. */
export interface PersonTask {
  readonly kind: "invite" | "role" | "disable" | "enable" | "remove";
  readonly person: User;
}

interface PersonDialogProps {
  readonly task: PersonTask;
  readonly onChanged: () => Promise<unknown>;
  readonly onClose: () => void;
}

export function PersonDialog(props: PersonDialogProps) {
  const { kind } = props.task;
  if (kind === "invite") return <InviteAgain {...props} />;
  return kind === "role" ? <ChangeRole {...props} /> : <ChangeState {...props} kind={kind} />;
}

const pathOf = ({ id }: User): string => `/v1/dashboard/users/${id}`;

function InviteAgain({ task: { person }, onClose }: PersonDialogProps) {
  const texts = useTexts("people");
  const api = useApi();
  const [invited, setInvited] = useState<Invited>();
  if (invited !== undefined) return <InvitationDialog invited={invited} onClose={onClose} />;
  return (
    <Dialog title={texts.againTitle(person.name)} isOpen onClose={onClose}>
      <Form
        submit={texts.again}
        onCancel={onClose}
        onSubmit={async () => setInvited(await api.send("POST", `${pathOf(person)}/invite`))}
      >
        <p>{texts.againText(person.email)}</p>
      </Form>
    </Dialog>
  );
}

function ChangeRole({ task: { person }, onChanged, onClose }: PersonDialogProps) {
  const texts = useTexts("people");
  const api = useApi();
  const { user, refresh } = useSession();
  return (
    <Dialog title={texts.changeRoleTitle(person.name)} isOpen onClose={onClose}>
      <Form
        submit={texts.changeRole}
        onCancel={onClose}
        onSubmit={async (values) => {
          await api.send("PATCH", pathOf(person), { role: values.text("role") });
          await (person.id === user.id ? refresh() : onChanged());
          onClose();
        }}
      >
        <RoleSelect initial={person.role} />
        <p className="quiet">{texts.changeRoleText}</p>
      </Form>
    </Dialog>
  );
}

function ChangeState({
  task: { person },
  kind,
  onChanged,
  onClose,
}: PersonDialogProps & { readonly kind: "disable" | "enable" | "remove" }) {
  const texts = useTexts("people");
  const api = useApi();
  const words = {
    disable: { title: texts.disableTitle(person.name), text: texts.disableText, action: texts.disable },
    enable: { title: texts.enableTitle(person.name), text: texts.enableText, action: texts.enable },
    remove: { title: texts.removeTitle(person.name), text: texts.removeText(person.email), action: texts.remove },
  }[kind];
  const change = () => {
    if (kind === "remove") return api.send("DELETE", pathOf(person));
    return api.send("PATCH", pathOf(person), { status: kind === "disable" ? "disabled" : "active" });
  };
  return (
    <ConfirmDialog
      isOpen
      {...words}
      kind={kind === "enable" ? "primary" : "danger"}
      onConfirm={async () => {
        await change();
        await onChanged();
      }}
      onClose={onClose}
    />
  );
}
