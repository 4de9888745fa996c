import type { ApiProblem } from '../api/api-client.ts';
import { isGone } from './notebook-sync.ts';
import { isUnanswered } from './save-problems.ts';

/** A link of a deleted notebook gets the same answer as a replaced link of a private one. */
const unproven =
  'We don’t know whether the notebook is deleted: its edit link no longer works here. Your first try may have deleted it, or the link was replaced elsewhere. Your text is safe in this browser.';

/** Deletes a notebook. Only the server's own word counts as a deletion, because the texts kept in this browser go with it. */
export class Deletion {
  #mayHaveArrived = false;

  /**
   * @param onGone called when the edit link no longer works
   * @throws unless the server deleted the notebook
   */
  async send(deleteNotebook: () => Promise<unknown>, onGone: (problem: ApiProblem) => void): Promise<void> {
    try {
      await deleteNotebook();
    } catch (problem) {
      const earlier = this.#mayHaveArrived;
      this.#mayHaveArrived ||= isUnanswered(problem);
      if (!isGone(problem)) throw problem;
      onGone(problem);
      throw earlier && problem.code === 'not_found' ? new Error(unproven) : problem;
    }
  }
}
