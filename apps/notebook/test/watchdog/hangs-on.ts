/** A word that the service of hanging-service.ts cannot read. */
export const hangsOn = 'never-comes-back';
