// The posts: what the Swift example `Forum` reads and writes, with the same types, names and fields.
//
// A `Post` is its author's: everybody reads it, and nobody else changes it. New types are so by themselves. How many
// like it is a record of its own, `Likes`, whose access list lets whoever is signed in write it.

import { call, path, Refusal } from "./server.js";

const pageSize = 20;

/** The name of a post's record. There cannot be two, so a thread has each title once, however many post at once. */
export function postName({ thread, title }) {
    return `${thread}: ${title}`;
}

function likesName(post) {
    return `Likes of ${post}`;
}

/** Why a thread and a title cannot name a post, or `null`. */
export function complaint({ thread, title }) {
    if (thread === "" || title === "") return "A post needs a thread and a title.";
    const bytes = new TextEncoder().encode(likesName(postName({ thread, title }))).length;
    return bytes > 255 ? "Thread and title are too long together. Shorten one of them." : null;
}

// Reading

/** A page of the newest posts, `{posts, cursor?}`. `where` may have a `thread`, or the beginning of one as `search`. */
export async function newest(where, cursor, signal) {
    const query = { recordType: "Post", ...condition(where), sort: "-createdTimestamp", limit: pageSize, cursor };
    const page = await call("POST", "/query", { body: query, signal });
    const likes = await lookUp("Likes", page.records.map((record) => likesName(record.recordName)), signal);
    const posts = page.records.map((record) => understand(record, likes.get(likesName(record.recordName))));
    return { posts, cursor: page.cursor };
}

/** The same, with the most liked first. */
export async function mostLiked(where, cursor, signal) {
    const query = { recordType: "Likes", ...condition(where), sort: "-count", limit: pageSize, cursor };
    const page = await call("POST", "/query", { body: query, signal });
    // Whoever has an account can make such records; those that count are called after their post.
    const counts = page.records.filter((likes) => likes.recordName === likesName(postOf(likes)));
    const posts = await lookUp("Post", counts.map(postOf), signal);
    const liked = counts.filter((likes) => posts.has(postOf(likes))); // One may just have been deleted.
    return { posts: liked.map((likes) => understand(posts.get(postOf(likes)), likes)), cursor: page.cursor };
}

export async function read(name, signal) {
    const [record, likes] = await Promise.all([
        call("GET", path("records", "Post", name), { signal }), lookUp("Likes", [likesName(name)], signal)]);
    return understand(record, likes.get(likesName(name)));
}

/** What people have typed is an argument, never a part of the condition's text. */
function condition({ thread, search }) {
    if (thread !== undefined) return { where: "thread == %@", args: [thread] };
    return search === undefined ? {} : { where: "thread BEGINSWITH %@", args: [search] };
}

/** The records with these names, as a map. Names of records need no index, and large records come on several pages. */
async function lookUp(recordType, names, signal) {
    const found = new Map();
    let cursor;
    do {
        if (names.length === 0) break;
        const query = { recordType, where: "recordName IN %@", args: [names], cursor };
        const page = await call("POST", "/query", { body: query, signal });
        for (const record of page.records) found.set(record.recordName, record);
        cursor = page.cursor;
    } while (cursor !== undefined);
    return found;
}

function postOf(likes) {
    return likes.fields.post?.value.recordName ?? "";
}

/** A post as the pages show it. `image` is a small picture in base64, `photo` an asset: `{size, downloadURL, …}`. */
export function understand(record, likes) {
    const value = (name) => record.fields[name]?.value;
    return {
        name: record.recordName, tag: record.recordChangeTag,
        author: record.created?.userRecordName, written: record.created?.timestamp, changed: record.modified?.timestamp,
        thread: value("thread") ?? "", title: value("title") ?? "", text: value("text") ?? "",
        image: value("image"), photo: value("photo"),
        likes: likes?.fields.count?.value,
    };
}

// Writing. The key of a call lets it be sent again after a lost answer: it happens once.

/** Answers the post's name. A refusal with the code `EXISTS` says that the thread has a post with this title. */
export async function publish({ thread, title, text, image, photo }, key) {
    const name = postName({ thread, title });
    const create = (recordType, recordName, fields, acl) =>
        ({ operationType: "create", record: { recordType, recordName, fields, acl } });
    // Both or none.
    const operations = [
        create("Post", name, { thread, title, text, ...written({ image, photo }) }),
        create("Likes", likesName(name),
            { thread, count: 0, post: { recordName: name, action: "DELETE_SELF" } }, { "*": ["read", "write"] }),
    ];
    const { records } = await call("POST", "/records", { body: { operations }, headers: { "Idempotency-Key": key } });
    // The guilty one says why, the other one that it was not done either.
    const refused = records.find(({ serverErrorCode: code }) => code !== undefined && code !== "ATOMIC_ERROR");
    if (refused !== undefined) throw new Refusal(200, refused);
    return name;
}

/** Counts one more, and answers how many there are. The server adds in the moment of writing, so no like is lost. */
export async function like(name, key) {
    const record = await call("PATCH", path("records", "Likes", likesName(name)),
        { body: { fields: { count: { increment: 1 } } }, headers: { "Idempotency-Key": key } });
    return record.fields.count.value;
}

/** Writes these fields if the post still has this tag. Else the refusal has the post as it is: `serverRecord`. */
export async function change({ name, tag }, { text, image, photo }, key) {
    const fields = { text, ...written({ image, photo }) };
    return understand(await call("PATCH", path("records", "Post", name),
        { body: { fields }, headers: { "If-Match": `"${tag}"`, "Idempotency-Key": key } }));
}

/** Deletes the post if it still has this tag. Its likes refer to it and go with it. */
export async function remove({ name, tag }, key) {
    const headers = { "If-Match": `"${tag}"`, "Idempotency-Key": key };
    await call("DELETE", path("records", "Post", name), { headers });
}

/** The pictures as fields: `undefined` leaves one as it is, `null` takes it away. */
function written({ image, photo }) {
    const typed = (value, type) => (value === undefined || value === null ? value : { value, type });
    return { image: typed(image, "BYTES"), photo: typed(photo, "ASSET") };
}
