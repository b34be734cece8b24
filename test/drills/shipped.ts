/** Whether a path, relative to the root, is sent to the build, by the text of a .dockerignore as ours is written. */
export function isShipped(ignoreFile: string): (path: string) => boolean {
  const lines = ignoreFile.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return (path) => {
    const parts = path.split("/");
    return !lines.some((line) => {
      if (!line.startsWith("**/")) return path === line || path.startsWith(`${line}/`);
      const name = line.slice(3);
      return name.startsWith("*") ? path.endsWith(name.slice(1)) : parts.includes(name);
    });
  };
}
