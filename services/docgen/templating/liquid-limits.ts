/** What keeps templates from taking all there is. Far from what documents of 200 pages need. */
export const liquidLimits = {
  /** UTF-16 code units of a template: 512 KB of text are never more. */
  source: 524_288,
  /** Tags and outputs in a template. */
  tags: 20_000,
  /** Conditions and loops in one another. */
  depth: 30,
  /** Names in one path such as `a.b.c`. */
  path: 30,
  /** Operators, operands and filters of one expression. */
  expression: 500,
  /** Texts, tags and outputs of one rendering; a loop counts each time. */
  steps: 2_000_000,
  /** Milliseconds of one rendering: half of what the renderer has for everything. */
  renderMs: 10_000,
  /** Characters and list entries that the filters of one rendering make. */
  memory: 20_000_000,
  /** UTF-16 code units of what is rendered. */
  output: 5_000_000,
} as const;
