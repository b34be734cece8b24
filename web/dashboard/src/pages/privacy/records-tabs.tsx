import { type FormEvent, useEffect, useState } from "react";
import type { Deletion, PrivacyAct } from "#api/privacy.ts";
import { useNavigate, useSearch } from "../../app/router.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Facts, Section } from "../../ui/page.tsx";
import { MoreRows } from "../../ui/pager.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { Time } from "../../ui/time.tsx";
import { Loaded } from "../access/parts.tsx";
import { idPattern, type Period, useActorNames, useActs, useDeletions } from "./queries.ts";
import { useSpelledDays } from "./retention-tab.tsx";

/** What remains of agreements whose period was over. */
export function DeletionsTab() {
  const texts = useTexts("privacy");
  const wanted = useSearch().get("agreement") ?? "";
  const agreementId = idPattern.test(wanted) ? wanted.toLowerCase() : undefined;
  const deletions = useDeletions(agreementId);
  const columns = useDeletionColumns();
  const [emptyTitle, emptyText] =
    agreementId === undefined
      ? [texts.noDeletionTitle, texts.noDeletionText]
      : [texts.notDeletedTitle, texts.notDeletedText];
  return (
    <Section title={texts.tabNames.deletions} intro={texts.deletionsIntro}>
      <FindDeletion wanted={wanted} />
      <Loaded query={deletions}>
        {({ pages }) => (
          <Table
            label={texts.tabNames.deletions}
            columns={columns}
            rows={pages.flatMap(({ items }) => items)}
            rowKey={(deletion) => deletion.agreementId}
            empty={<EmptyState title={emptyTitle} text={emptyText} />}
          />
        )}
      </Loaded>
      <MoreRows list={deletions} />
    </Section>
  );
}

/** By the id of the agreement, which stands in the address of the page. */
function FindDeletion({ wanted }: { readonly wanted: string }) {
  const texts = useTexts("privacy");
  const navigate = useNavigate();
  const [typed, setTyped] = useState(wanted);
  useEffect(() => setTyped(wanted), [wanted]);
  const id = typed.trim();
  const isWrong = id !== "" && !idPattern.test(id);
  const show = (agreement: string) =>
    navigate(agreement === "" ? "/privacy/deletions" : `/privacy/deletions?agreement=${agreement}`, { replace: true });
  const find = (event: FormEvent) => {
    event.preventDefault();
    if (!isWrong) show(id);
  };
  return (
    <form className="privacy-line" onSubmit={find}>
      <TextField
        type="search"
        label={texts.agreementId}
        hint={isWrong ? texts.idWrong : undefined}
        maxLength={40}
        value={typed}
        onChange={setTyped}
        autoComplete="off"
      />
      <Button type="submit">{texts.find}</Button>
      {wanted !== "" && <Button onPress={() => show("")}>{texts.showAll}</Button>}
    </form>
  );
}

function useDeletionColumns(): readonly Column<Deletion>[] {
  const texts = useTexts("privacy");
  return [
    { id: "agreement", title: texts.agreement, cell: ({ agreementId }) => <code>{agreementId}</code> },
    {
      id: "status",
      title: texts.status,
      width: "short",
      cell: ({ status }) => (status === "created" ? texts.draft : texts.statuses[status]),
    },
    { id: "created", title: texts.created, cell: ({ createdAt }) => <Time value={createdAt} /> },
    { id: "ended", title: texts.ended, cell: ({ endedAt }) => <Time value={endedAt} /> },
    { id: "deleted", title: texts.deleted, cell: ({ deletedAt }) => <Time value={deletedAt} /> },
    { id: "proof", title: texts.proof, cell: (deletion) => <Proof deletion={deletion} /> },
  ];
}

function Proof({ deletion }: { readonly deletion: Deletion }) {
  const texts = useTexts("privacy");
  const { agreementId, ground, trailHead, trailLength, evidenceLeafHash, deletionLeafHash, deletionLeafIndex } =
    deletion;
  return (
    <details className="privacy-proof">
      <summary>
        {texts.showProof}
        <span className="unseen"> {agreementId}</span>
      </summary>
      <Facts
        facts={[
          [texts.ground, texts.grounds.get(ground) ?? ground],
          [texts.trailHead, <code key="head">{trailHead}</code>],
          [texts.trailLength, trailLength],
          [texts.completionLeaf, evidenceLeafHash === null ? "–" : <code key="completion">{evidenceLeafHash}</code>],
          [
            texts.deletionLeaf,
            deletionLeafHash === null ? (
              texts.leafPending
            ) : (
              <code key="deletion">{`${deletionLeafIndex ?? "–"} (${deletionLeafHash})`}</code>
            ),
          ],
        ]}
      />
    </details>
  );
}

/** Who changed periods, set and lifted holds, and what was deleted. */
export function ActsTab() {
  const texts = useTexts("privacy");
  const acts = useActs();
  const nameOf = useActorNames();
  const columns: readonly Column<PrivacyAct>[] = [
    { id: "at", title: texts.when, cell: ({ at }) => <Time value={at} seconds /> },
    { id: "who", title: texts.who, cell: ({ actor }) => nameOf(actor) },
    { id: "what", title: texts.what, width: "broad", cell: (act) => <What act={act} /> },
    {
      id: "request",
      title: texts.request,
      cell: ({ requestId }) => (requestId === null ? "–" : <code>{requestId}</code>),
    },
  ];
  return (
    <Section title={texts.tabNames.acts} intro={texts.actsIntro}>
      <Loaded query={acts}>
        {({ pages }) => (
          <Table
            label={texts.tabNames.acts}
            columns={columns}
            rows={pages.flatMap(({ items }) => items)}
            rowKey={({ id }) => id}
            empty={<EmptyState title={texts.noActTitle} text={texts.noActText} />}
          />
        )}
      </Loaded>
      <MoreRows list={acts} />
    </Section>
  );
}

function What({ act: { action, subjectId, details } }: { readonly act: PrivacyAct }) {
  const texts = useTexts("privacy");
  const kind =
    texts.holdKinds[details.kind as keyof typeof texts.holdKinds] ??
    texts.statuses[details.kind as keyof typeof texts.statuses];
  return (
    <span className="stacked">
      <span>{[texts.actions.get(action) ?? action, kind, details.count].filter(Boolean).join(": ")}</span>
      {action !== "retention.changed" && <small>{subjectId}</small>}
      <Changes details={details} />
    </span>
  );
}

/** As the service writes it. */
interface WrittenPeriod extends Pick<Period, "status" | "days"> {
  readonly nextDays?: number;
  readonly nextAt?: string;
}

/** What an act about periods says of each that it changed; nothing of other acts. */
function Changes({ details }: Pick<PrivacyAct, "details">) {
  const texts = useTexts("privacy");
  const { times } = useLanguage();
  const spell = useSpelledDays();
  const [before, after] = [periodsIn(details.before), periodsIn(details.after)];
  // Of a template, which has not all of them.
  const say = (period: WrittenPeriod | undefined): string => {
    if (period === undefined) return texts.asAll;
    const { status, days, nextDays, nextAt } = period;
    if (nextAt === undefined) return spell(days, status);
    const next = nextDays ? spell(nextDays, status) : texts.asAll;
    return texts.thenPeriod(spell(days, status), times.moment(nextAt, false), next);
  };
  return [...new Set([...before.keys(), ...after.keys()])].map((status) => {
    const [from, to] = [say(before.get(status)), say(after.get(status))];
    return from === to ? null : <small key={status}>{texts.changed(texts.statuses[status], from, to)}</small>;
  });
}

const periodsIn = (periods: unknown): ReadonlyMap<Period["status"], WrittenPeriod> =>
  new Map(Array.isArray(periods) ? (periods as WrittenPeriod[]).map((period) => [period.status, period]) : []);
