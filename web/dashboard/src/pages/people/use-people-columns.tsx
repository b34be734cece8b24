import type { User } from "../../api/session-types.ts";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import type { Column } from "../../ui/table.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { RowButtons } from "../access/row-buttons.tsx";
import type { PersonTask } from "./person-dialog.tsx";
import "../access/access.css";

type OnTask = (task: PersonTask) => void;

/** The columns of the table of people; without buttons for those who may not change anything. */
export function usePeopleColumns(onTask: OnTask | undefined): readonly Column<User>[] {
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
      cell: ({ totpEnabled }) => (totpEnabled ? texts.on : texts.off),
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

/** Nobody disables or removes themselves: another owner has to. */
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
