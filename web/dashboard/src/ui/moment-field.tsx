import { useState } from "react";
import { wrongInput } from "../api/errors.ts";
import { useLanguage } from "../texts/texts.tsx";
import { type FormValues, RadioGroup } from "./form.tsx";
import { localOf, momentsOf } from "./local-time.ts";
import { TextField } from "./text-field.tsx";

interface MomentFieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  /** Asks which of two moments is meant, when clocks are put back. */
  readonly twice: string;
  /** What is said of the moment that was chosen. */
  readonly told: (moment: string) => string;
  readonly initial: string | undefined;
}

/** A moment, written as the person's clocks show it. */
export function MomentField({ name, label, hint, twice, told, initial }: MomentFieldProps) {
  const { timeZone, times } = useLanguage();
  const [local, setLocal] = useState(initial === undefined ? "" : localOf(new Date(initial), timeZone));
  const moments = momentsOf(local, timeZone);
  const isInitial = (one: Date) => initial !== undefined && one.getTime() === Date.parse(initial);
  const [turn, setTurn] = useState(() => String(Math.max(0, moments.findIndex(isInitial))));
  const moment = moments[Number(turn)] ?? moments[0];
  return (
    <>
      <TextField
        name={name}
        type="datetime-local"
        label={label}
        hint={hint}
        isRequired
        value={local}
        onChange={setLocal}
      />
      {moments.length > 1 && (
        <RadioGroup
          name={`${name}Turn`}
          label={twice}
          value={turn}
          onChange={setTurn}
          options={moments.map((one, index) => ({ id: String(index), label: times.fully(one.toISOString()) }))}
        />
      )}
      <p role="status">{moment !== undefined && told(times.fully(moment.toISOString()))}</p>
    </>
  );
}

interface Words {
  /** For nothing, or what is no time. */
  readonly badTime: string;
  /** For a time that clocks leave out. */
  readonly missing: string;
  readonly over: string;
}

/** What such a field holds. Throws what the form shows at it. */
export function momentIn(values: FormValues, name: string, timeZone: string, texts: Words): Date {
  const written = values.text(name);
  const moments = momentsOf(written, timeZone);
  const moment = moments[Number(values.text(`${name}Turn`))] ?? moments[0];
  if (moment === undefined) throw wrongInput(written === "" ? texts.badTime : texts.missing, name);
  if (moment.getTime() <= Date.now()) throw wrongInput(texts.over, name);
  return moment;
}
