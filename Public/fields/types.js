// The names of field types, without their editors: the first page needs no more.

/** One spelling per type: `ASSETID` is `ASSET`, and the schema language's `LIST<STRING>` is `STRING_LIST`. */
export function normalized(type) {
    const list = /^LIST<(.+)>$/.exec(type);
    return (list === null ? type : `${list[1]}_LIST`).replace(/^ASSETID/, "ASSET");
}
