/** Later. */
export const bothCases = [];
