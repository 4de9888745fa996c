/** Explains why the service can't listen, beginning with the variable to change. */
export function listenError(
  error: NodeJS.ErrnoException,
  { host, port }: { readonly host: string; readonly port: number },
): Error {
  return new Error(`${why(error.code, host, port)} (${error.message})`, { cause: error });
}

function why(code: string | undefined, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `PORT: another program uses ${port} already`;
  if (code === 'EACCES') return `PORT: this user may not open ${port}`;
  return `HOST: this machine cannot listen on "${host}"`;
}
