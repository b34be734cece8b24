import { useState } from "react";
import type { UserAgreement } from "#api/consents.ts";
import { csvLine, csvMark } from "#platform/csv.ts";
import { useApi } from "../../../api/client.ts";
import { useTexts } from "../../../texts/texts.tsx";
import { Button } from "../../../ui/button.tsx";
import { useNumbers } from "../../../ui/charts.tsx";
import { saveFile } from "../../../ui/download-button.tsx";
import { Form } from "../../../ui/form.tsx";
import { Section } from "../../../ui/page.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { Time } from "../../../ui/time.tsx";
import { templatePath } from "../queries.ts";

/** What one request takes. */
const askedAtOnce = 1_000;
/** The table of so many is still quick; the file has all. */
const shownRows = 200;

/** Tells of a list of users that is handed in who has accepted what is published now. */
export function WhoAccepted({ templateId }: { readonly templateId: string }) {
  const texts = useTexts("statistics");
  const api = useApi();
  const [users, setUsers] = useState<readonly UserAgreement[]>();
  const ask = async (list: string) => {
    const userRefs = [...new Set(list.split(/\r?\n/).map((line) => line.trim()))].filter((line) => line !== "");
    const found: UserAgreement[] = [];
    for (let start = 0; start < userRefs.length; start += askedAtOnce) {
      const body = { userRefs: userRefs.slice(start, start + askedAtOnce) };
      const path = `${templatePath(templateId)}/agreement-states`;
      found.push(...(await api.send<{ readonly users: readonly UserAgreement[] }>("POST", path, body)).users);
    }
    setUsers(found);
  };
  return (
    <Section title={texts.whoAccepted} intro={texts.whoAcceptedHelp}>
      <Form asksBeforeLeaving={false} submit={texts.look} onSubmit={(values) => ask(values.text("userRefs"))}>
        <TextField name="userRefs" label={texts.userRefs} hint={texts.userRefsHint} rows={5} isRequired />
      </Form>
      {users !== undefined && <Found users={users} />}
    </Section>
  );
}

function Found({ users }: { readonly users: readonly UserAgreement[] }) {
  const texts = useTexts("statistics");
  const { count } = useNumbers();
  const outstanding = users.filter((user) => user.outstanding);
  const stateOf = ({ outstanding: isOutstanding, agreement }: UserAgreement): string => {
    if (agreement === null) return texts.standing.NONE;
    return agreement.status === "ACCEPTED" && isOutstanding ? texts.standing.OLDER : texts.standing[agreement.status];
  };
  const columns: readonly Column<UserAgreement>[] = [
    { id: "userRef", title: texts.userRef, cell: ({ userRef }) => userRef },
    { id: "state", title: texts.state, cell: stateOf },
    { id: "version", title: texts.version, cell: ({ agreement }) => agreement?.versionLabel ?? "–" },
    { id: "at", title: texts.when, cell: ({ agreement }) => (agreement ? <Time value={agreement.acceptedAt} /> : "–") },
  ];
  const save = () => {
    const lines = users.map((user) => [
      user.userRef,
      stateOf(user),
      user.agreement?.versionLabel ?? "",
      user.agreement?.acceptedAt ?? "",
    ]);
    const heads = [texts.userRef, texts.state, texts.version, texts.when];
    const text = [heads, ...lines].map(csvLine).join("");
    saveFile(new Blob([csvMark, text], { type: "text/csv" }), "agreements.csv");
  };
  return (
    <>
      <p role="status">{texts.outstandingOf(count(outstanding.length), count(users.length))}</p>
      <Table
        label={texts.whoAccepted}
        columns={columns}
        rows={[...outstanding, ...users.filter((user) => !user.outstanding)].slice(0, shownRows)}
        rowKey={({ userRef }) => userRef}
        empty={null}
      />
      {users.length > shownRows && <p className="quiet">{texts.firstShown(count(shownRows))}</p>}
      <Button onPress={save}>{texts.download}</Button>
    </>
  );
}
