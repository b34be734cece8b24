import "../access/access.css";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { User } from "#api/users.ts";
import { useApi } from "../../api/client.ts";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyLine } from "../../ui/copy-line.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { Page } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Select, TextField } from "../../ui/text-field.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { Loaded, Revealed, RowButtons } from "../access/parts.tsx";

/** Who may sign in; for owners. */
export function PeoplePage() {
  const texts = useTexts("people");
  const api = useApi();
  const mayChange = useSession().can("dashboard:admin");
  const people = useQuery({ queryKey: ["users"], queryFn: () => api.get<User[]>("/v1/dashboard/users") });
  const [isInviting, setIsInviting] = useState(false);
  const [task, setTask] = useState<PersonTask>();
  const columns = usePeopleColumns(mayChange ? setTask : undefined);
  const invite = mayChange && (
    <Button kind="primary" onPress={() => setIsInviting(true)}>
      {texts.invite}
    </Button>
  );
  return (
    <Page title={texts.title} intro={texts.intro} actions={invite}>
      <Loaded query={people}>
        {(all) => <Table label={texts.title} columns={columns} rows={all} rowKey={({ id }) => id} empty={null} />}
      </Loaded>
      {isInviting && <InviteDialog onInvited={people.refetch} onClose={() => setIsInviting(false)} />}
      {task && <PersonDialog task={task} onChanged={people.refetch} onClose={() => setTask(undefined)} />}
    </Page>
  );
}

interface InviteDialogProps {
  readonly onInvited: () => unknown;
  readonly onClose: () => void;
}

function InviteDialog({ onInvited, onClose }: InviteDialogProps) {
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

type OnTask = (task: PersonTask) => void;

/** The columns of the table of people; without buttons for those who may not change anything. */
function usePeopleColumns(onTask: OnTask | undefined): readonly Column<User>[] {
  const texts = useTexts("people");
  const { user } = useSession();
  const columns: Column<User>[] = [
    {
      id: "name",
      title: texts.name,
      cell: ({ id, name, email }) => (
        <span className="stacked">
          <span className="inline">
            {name}
            {id === user.id && <Badge>{texts.you}</Badge>}
          </span>
          <small>{email}</small>
        </span>
      ),
    },
    { id: "role", title: texts.role, width: "short", cell: ({ role }) => texts.roles[role] },
    {
      id: "state",
      title: texts.state,
      cell: ({ status }) => <Badge tone={tones[status]}>{texts.states[status]}</Badge>,
    },
    {
      id: "factor",
      title: texts.secondFactor,
      cell: ({ totpEnabled, passkeys }) => (totpEnabled || passkeys > 0 ? texts.on : texts.off),
    },
    { id: "login", title: texts.lastLogin, cell: ({ lastLoginAt }) => <RelativeTime value={lastLoginAt} /> },
  ];
  if (onTask === undefined) return columns;
  const buttons: Column<User> = {
    id: "buttons",
    title: "",
    align: "end",
    cell: (person) => <PersonButtons person={person} isOneself={person.id === user.id} onTask={onTask} />,
  };
  return [...columns, buttons];
}

const tones = { active: "success", invited: "warning", disabled: "danger" } as const;

interface PersonButtonsProps {
  readonly person: User;
  readonly isOneself: boolean;
  readonly onTask: OnTask;
}

/** Nobody can disable or remove themselves; that takes another owner. */
function PersonButtons({ person, isOneself, onTask }: PersonButtonsProps) {
  const texts = useTexts("people");
  const button = (kind: PersonTask["kind"], words: string, label: string) => (
    <Button kind="quiet" aria-label={label} onPress={() => onTask({ kind, person })}>
      {words}
    </Button>
  );
  return (
    <RowButtons>
      {person.status === "invited" && button("invite", texts.again, texts.againOf(person.name))}
      {button("role", texts.changeRole, texts.changeRoleOf(person.name))}
      {!isOneself && person.status === "active" && button("disable", texts.disable, texts.disableOf(person.name))}
      {!isOneself && person.status === "disabled" && button("enable", texts.enable, texts.enableOf(person.name))}
      {!isOneself && button("remove", texts.remove, texts.removeOf(person.name))}
    </RowButtons>
  );
}

/** Something that an owner is about to do with a person. */
interface PersonTask {
  readonly kind: "invite" | "role" | "disable" | "enable" | "remove";
  readonly person: User;
}

interface PersonDialogProps {
  readonly task: PersonTask;
  readonly onChanged: () => Promise<unknown>;
  readonly onClose: () => void;
}

function PersonDialog(props: PersonDialogProps) {
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

const roles: readonly User["role"][] = ["viewer", "developer", "owner"];

/** A choice of roles that says what each of them may do; the field "role" of its form. */
function RoleSelect({ initial }: { readonly initial: User["role"] }) {
  const texts = useTexts("people");
  const options = roles.map((id) => ({ id, label: texts.roles[id], hint: texts.roleMeanings[id] }));
  return <Select name="role" label={texts.role} options={options} defaultValue={initial} isRequired />;
}

interface Invited {
  readonly user: User;
  /** Null when it is mailed. */
  readonly inviteUrl: string | null;
}

/** Says how the invitation reaches the person. */
function InvitationDialog({ invited, onClose }: { readonly invited: Invited; readonly onClose: () => void }) {
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
