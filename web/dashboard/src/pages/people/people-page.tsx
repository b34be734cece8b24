import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useApi } from "../../api/client.ts";
import type { User } from "../../api/session-types.ts";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { Loaded } from "../access/loaded.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { PersonDialog, type PersonTask } from "./person-dialog.tsx";
import { usePeopleColumns } from "./use-people-columns.tsx";

/** Who may log in; for owners. */
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
