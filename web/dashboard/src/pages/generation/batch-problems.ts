import type { Texts } from "../../texts/texts.tsx";
import { type InputProblem, maxRows } from "./batch-input.ts";

export function wordsOf(problem: InputProblem, texts: Texts["generation"]): string {
  switch (problem.kind) {
    case "empty":
      return texts.rowsEmpty;
    case "no_list":
      return texts.rowsNoList;
    case "bad_json":
      return texts.rowsBadJson;
    case "too_many":
      return texts.rowsTooMany(problem.count, maxRows);
    case "bad_quotes":
      return texts.rowsBadQuotes(problem.line);
    case "wrong_cells":
      return texts.rowsWrongCells(problem.line);
    case "bad_item":
      return texts.rowsBadItem(problem.index + 1);
  }
}
