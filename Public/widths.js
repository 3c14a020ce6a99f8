// The widths of a table's columns in the room that there is.

/** No column is narrower, in rem. */
export const narrowest = 4;

/**
 * The widths of columns `{min, ideal, grow, priority}` in `room` pixels, as a list with `null` for a column that is left out.
 *
 * A column never gets less than its `min`. While the columns do not fit, the last one with the highest `priority` above 0 is left out;
 * those with 0 stay, even if the table is then wider than the room. What is left brings the columns to their `ideal` width in proportion
 * to what they lack, and then goes to those with a share `grow`, or else to all that are not `solid` in proportion to their ideal width.
 */
export function fitted(columns, room) {
    const shown = columns.map((_, at) => at);
    const sum = (values) => values.reduce((total, each) => total + each, 0);
    const needed = () => sum(shown.map((at) => columns[at].min));
    const least = () => Math.max(...shown.map((at) => columns[at].priority ?? 0));
    while (needed() > room && least() > 0) {
        shown.splice(shown.findLastIndex((at) => (columns[at].priority ?? 0) === least()), 1);
    }
    const lacks = shown.map((at) => Math.max(0, columns[at].ideal - columns[at].min));
    let rest = Math.max(0, room - needed());
    const part = sum(lacks) === 0 ? 0 : Math.min(1, rest / sum(lacks));
    const widths = shown.map((at, index) => columns[at].min + lacks[index] * part);
    rest -= sum(lacks) * part;
    const isDeclared = shown.some((at) => (columns[at].grow ?? 0) > 0);
    const shares = shown.map((at) => (isDeclared ? columns[at].grow ?? 0 : columns[at].solid ? 0 : columns[at].ideal));
    const found = columns.map(() => null);
    shown.forEach((at, index) => {
        found[at] = Math.floor(widths[index] + (sum(shares) === 0 ? 0 : rest * shares[index] / sum(shares)));
    });
    return found;
}
