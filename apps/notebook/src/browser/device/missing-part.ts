/** Shown when a script of the page did not come: there is no network, or another release replaced its file. */
export const missingPart = 'This part could not be loaded. Try again once you are online, or reload the page; your text stays.';

/** Whether the script of a worker did not come. An error inside a script, or too little memory, comes with a message. */
export const isMissing = (event: Event): boolean => !(event instanceof ErrorEvent);
