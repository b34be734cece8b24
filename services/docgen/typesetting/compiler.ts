import { NodeCompiler } from "@myriaddreamin/typst-ts-node-compiler";

/** One Typst program with one set of fonts. */
export interface Compiler {
  compile(input: CompileInput): Compiled;
  /** True when the bytes are an image that can be decoded. */
  canShow(file: InputFile): boolean;
}

export interface InputFile {
  /** Absolute, within the world of the program only: nothing is read from the disk. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface CompileInput {
  /** The JSON that the program reads. */
  readonly document: string;
  readonly files: readonly InputFile[];
  readonly pdfStandard: string;
  readonly createdAt: Date;
  readonly maxPages: number;
}

export type Compiled =
  | { readonly kind: "compiled"; readonly pdf: Uint8Array; readonly pages: number }
  | { readonly kind: "too-many-pages"; readonly pages: number }
  /** In Typst's words. */
  | { readonly kind: "refused"; readonly messages: readonly string[] };

/**
 * Fonts are read once for as long as the compiler is used. Its cache is emptied of what the documents before the last ones
 * had; what was laid out for them goes when its object is collected, which somebody has to bring about.
 */
export function createCompiler(program: string, fonts: readonly Buffer[]): Compiler {
  const compiler = NodeCompiler.create({ workspace: emptyWorkspace, fontArgs: [{ fontBlobs: [...fonts] }] });
  return {
    compile: (input) => withFiles(compiler, input.files, () => compile(compiler, program, input)),
    canShow: (file) => withFiles(compiler, [file], () => canShow(compiler, file.path)),
  };
}

/** A place that has no files, so that no path leads to one. */
const emptyWorkspace = "/nonexistent";

/** How many documents long something should stay in the cache without being used again. */
const cacheAge = 2;

function withFiles<Result>(compiler: NodeCompiler, files: readonly InputFile[], run: () => Result): Result {
  for (const { path, bytes } of files)
    compiler.mapShadow(`${emptyWorkspace}${path}`, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  try {
    return run();
  } finally {
    compiler.resetShadow();
    compiler.evictCache(cacheAge);
  }
}

function compile(compiler: NodeCompiler, program: string, input: CompileInput): Compiled {
  const compiled = compiler.compile({
    mainFileContent: program,
    inputs: { document: input.document },
    resetRead: true,
  });
  const { result } = compiled;
  if (result === null) return { kind: "refused", messages: messagesOf(compiled.takeDiagnostics()?.shortDiagnostics) };
  const pages = result.numOfPages;
  if (pages > input.maxPages) return { kind: "too-many-pages", pages };
  const creationTimestamp = Math.floor(input.createdAt.getTime() / 1000);
  try {
    const pdf = compiler.pdf(result, { pdfStandard: input.pdfStandard, creationTimestamp });
    return { kind: "compiled", pdf, pages };
  } catch (error) {
    // What a standard forbids is found while the PDF is written.
    return { kind: "refused", messages: [error instanceof Error ? error.message : String(error)] };
  }
}

function messagesOf(diagnostics: readonly unknown[] | undefined): string[] {
  return (diagnostics ?? []).map((diagnostic) =>
    typeof diagnostic === "object" && diagnostic !== null && "message" in diagnostic
      ? String(diagnostic.message)
      : JSON.stringify(diagnostic),
  );
}

const canShow = (compiler: NodeCompiler, path: string): boolean => {
  const compiled = compiler.compile({ mainFileContent: `#image(sys.inputs.path)`, inputs: { path }, resetRead: true });
  if (compiled.result === null) return false;
  try {
    return compiler.pdf(compiled.result, {}).byteLength > 0;
  } catch {
    return false;
  }
};
