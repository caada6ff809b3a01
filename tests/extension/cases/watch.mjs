/** Later. */
export const watchCases = [];
