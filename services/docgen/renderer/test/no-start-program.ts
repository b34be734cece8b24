// A renderer process that never becomes one.
throw new Error("the secret of the document");
