import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { UserSession } from "#api/users.ts";
import { useApi } from "../../api/client.ts";
import { type Texts, useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Section } from "../../ui/page.tsx";
import { Notice } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { RelativeTime, Time } from "../../ui/time.tsx";
import { deviceOf, Loaded, RowButtons } from "../access/parts.tsx";
import "../access/access.css";

const path = "/v1/dashboard/sessions";

/** Where one is signed in, with ways to end it. */
export function SessionsSection() {
  const texts = useTexts("account");
  const api = useApi();
  const sessions = useQuery({ queryKey: ["own-sessions"], queryFn: () => api.get<UserSession[]>(path) });
  const [ending, setEnding] = useState<UserSession | "others">();
  const [ended, setEnded] = useState("");
  const columns = useColumns(setEnding);
  const end = async () => {
    if (ending === "others") {
      const { revoked } = await api.send<{ revoked: number }>("DELETE", path);
      setEnded(texts.othersEnded(revoked));
    } else {
      await api.send("DELETE", `${path}/${ending?.id}`);
      setEnded(texts.sessionEnded);
    }
    await sessions.refetch();
  };
  const hasOthers = sessions.data?.some(({ current }) => !current) ?? false;
  return (
    <Section
      title={texts.sessions}
      intro={texts.sessionsText}
      actions={hasOthers && <Button onPress={() => setEnding("others")}>{texts.endOthers}</Button>}
    >
      {ended !== "" && <Notice tone="success">{ended}</Notice>}
      <Loaded query={sessions}>
        {(all) => <Table label={texts.sessions} columns={columns} rows={all} rowKey={({ id }) => id} empty={null} />}
      </Loaded>
      {ending && (
        <ConfirmDialog
          isOpen
          title={ending === "others" ? texts.endOthersTitle : texts.endSessionTitle(deviceName(texts, ending))}
          text={ending === "others" ? texts.endOthersText : texts.endSessionText}
          action={ending === "others" ? texts.endOthers : texts.endSession}
          onConfirm={end}
          onClose={() => setEnding(undefined)}
        />
      )}
    </Section>
  );
}

function deviceName(texts: Texts["account"], { userAgent }: UserSession): string {
  const { browser, system } = deviceOf(userAgent ?? "");
  if (browser === undefined) return system ?? texts.unknownDevice;
  return system === undefined ? browser : texts.onSystem(browser, system);
}

function useColumns(onEnd: (session: UserSession) => void): readonly Column<UserSession>[] {
  const texts = useTexts("account");
  return [
    {
      id: "device",
      title: texts.device,
      cell: (session) => (
        <span className="inline">
          {deviceName(texts, session)}
          {session.current && <Badge tone="success">{texts.thisOne}</Badge>}
        </span>
      ),
    },
    { id: "ip", title: texts.address, cell: ({ ip }) => ip ?? "–" },
    { id: "since", title: texts.since, cell: ({ createdAt }) => <Time value={createdAt} /> },
    { id: "seen", title: texts.lastSeen, cell: ({ lastSeenAt }) => <RelativeTime value={lastSeenAt} /> },
    {
      id: "buttons",
      title: "",
      align: "end",
      cell: (session) =>
        !session.current && (
          <RowButtons>
            <Button
              kind="quiet"
              aria-label={texts.endSessionOf(deviceName(texts, session), session.ip ?? "–")}
              onPress={() => onEnd(session)}
            >
              {texts.endSession}
            </Button>
          </RowButtons>
        ),
    },
  ];
}
