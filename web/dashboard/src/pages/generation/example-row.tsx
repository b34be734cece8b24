import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { useTemplate } from "./queries.ts";

interface ExampleRowProps {
  readonly templateId: string;
  /** What is there so far; nothing of it is written over. */
  readonly rows: string;
  readonly onText: (text: string) => void;
}

/** Nobody has to guess what rows look like: the sample data of the template is one. */
export function ExampleRow({ templateId, rows, onText }: ExampleRowProps) {
  const texts = useTexts("generation");
  const { data: template } = useTemplate(templateId);
  const sample = template?.sampleData;
  if (!sample) return null;
  const text = JSON.stringify([{ ref: "row-1", data: sample }], null, 2);
  // It stays after it was pressed: whoever did so by keyboard would lose their place.
  if (rows.trim() !== "" && rows !== text) return null;
  return (
    <div>
      <Button onPress={() => onText(text)}>{texts.useSample}</Button>
    </div>
  );
}
