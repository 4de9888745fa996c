/** Something the writer should know but need not answer. */
export interface SessionNote {
  /** A second note with the same name replaces the first. */
  readonly name: string;
  readonly text: string;
  /** `warning`: something was refused or may be lost. Absent for a plain fact. */
  readonly tone?: 'good' | 'warning';
  readonly action?: { readonly label: string; readonly run: () => void };
}

export class SessionNotes {
  #list: readonly SessionNote[] = [];
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get list(): readonly SessionNote[] {
    return this.#list;
  }

  show(note: SessionNote): void {
    this.#list = [...this.#list.filter(other => other.name !== note.name), note];
    this.#onChange();
  }

  /** Replaces a note only while it is shown: a dismissed note does not come back in other words. */
  replace(note: SessionNote): void {
    if (this.#list.some(({ name }) => name === note.name)) this.show(note);
  }

  dismiss(name: string): void {
    this.#list = this.#list.filter(note => note.name !== name);
    this.#onChange();
  }
}
