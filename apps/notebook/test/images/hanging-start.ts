/** Never says that it is ready. */
setInterval(() => {}, 1_000);
