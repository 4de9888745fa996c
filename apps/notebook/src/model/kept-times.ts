/** The last time that some process of the service took for right: its name among the times that the database keeps. */
export const believedTime = 'clock-believed';
