/** An API call: its method and address, and the types of its body and answer. */
export interface Call<Names extends readonly string[] = readonly string[], Body = unknown, Answer = unknown> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: (...names: Names) => string;
  /** Only for types: never present at run time. */
  readonly types?: { readonly body: Body; readonly answer: Answer };
}
