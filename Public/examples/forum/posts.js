// The posts: what the Swift example `Forum` reads and writes, with the same types, names and fields, and a little more.
//
// A `Post` is its author's: everybody reads it, and nobody else changes it. New types are so by themselves. How many
// like it is a record of its own, `Likes`, whose access list lets whoever is signed in write it. That an account likes it
// is a `Like`, which that account alone reads: its name has the account's and the post's, so there cannot be two.

import { call, path, Refusal } from "./server.js";
import * as session from "./session.js";

const pageSize = 20;

/** The bytes that the name of a like has in front of the post's. */
const longestPrefix = "_0123456789abcdef0123456789abcdef likes ".length;

/** The name of a post's record. There cannot be two, so a thread has each title once, however many post at once. */
export function postName({ thread, title }) {
    return `${thread}: ${title}`;
}

function likesName(post) {
    return `Likes of ${post}`;
}

function likeName(post) {
    return `${session.current()?.user.userRecordName} likes ${post}`;
}

/** A thread as the search compares it: capitals, and other forms of one letter, do not count. */
function folded(thread) {
    return thread.normalize("NFKC").toLowerCase();
}

/** Why a thread and a title cannot name a post, or `null`. */
export function complaint({ thread, title }) {
    if (thread === "" || title === "") return "A post needs a thread and a title.";
    const bytes = new TextEncoder().encode(postName({ thread, title })).length + longestPrefix;
    return bytes > 255 ? "Thread and title are too long together. Shorten one of them." : null;
}

// Reading

/** A page of the newest posts, `{posts, cursor?}`. `where` may have a `thread`, or the beginning of one as `search`. */
export async function newest(where, cursor, signal) {
    const query = { recordType: "Post", ...condition(where), sort: "-createdTimestamp", limit: pageSize, cursor };
    const page = await call("POST", "/query", { body: query, signal });
    const names = page.records.map((record) => record.recordName);
    const [likes, mine] = await Promise.all([lookUp("Likes", names.map(likesName), signal), ownLikes(names, signal)]);
    const posts = page.records.map((record) => understand(record, likes.get(likesName(record.recordName)), mine));
    return { posts, cursor: page.cursor };
}

/** The same, with the most liked first. */
export async function mostLiked(where, cursor, signal) {
    const query = { recordType: "Likes", ...condition(where), sort: "-count", limit: pageSize, cursor };
    const page = await call("POST", "/query", { body: query, signal });
    // Whoever has an account can make such records; those that count are called after their post.
    const counts = page.records.filter((likes) => likes.recordName === likesName(postOf(likes)));
    const names = counts.map(postOf);
    const [posts, mine] = await Promise.all([lookUp("Post", names, signal), ownLikes(names, signal)]);
    const liked = counts.filter((likes) => posts.has(postOf(likes))); // One may just have been deleted.
    return { posts: liked.map((likes) => understand(posts.get(postOf(likes)), likes, mine)), cursor: page.cursor };
}

export async function read(name, signal) {
    const [record, likes, mine] = await Promise.all([
        call("GET", path("records", "Post", name), { signal }), lookUp("Likes", [likesName(name)], signal),
        ownLikes([name], signal)]);
    return understand(record, likes.get(likesName(name)), mine);
}

/** The likes of who is signed in, among those of these posts. */
function ownLikes(posts, signal) {
    return lookUp("Like", session.current() === null ? [] : posts.map(likeName), signal);
}

/** What people have typed is an argument, never a part of the condition's text. */
function condition({ thread, search }) {
    if (thread !== undefined) return { where: "thread == %@", args: [thread] };
    return search === undefined ? {} : { where: "threadFolded BEGINSWITH %@", args: [folded(search)] };
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

/**
 * A post as the pages show it. `image` is a small picture in base64, `photo` an asset: `{size, downloadURL, …}`; `mine` has
 * the likes of who is signed in. The server knows `creator`; `author` is what the creator's client has written.
 */
export function understand(record, likes, mine = new Map()) {
    const value = (name) => record.fields[name]?.value;
    return {
        name: record.recordName, tag: record.recordChangeTag,
        creator: record.created?.userRecordName, author: value("author"), written: record.created?.timestamp, changed: record.modified?.timestamp,
        thread: value("thread") ?? "", title: value("title") ?? "", text: value("text") ?? "",
        image: value("image"), photo: value("photo"),
        likes: likes?.fields.count?.value, isLiked: mine.has(likeName(record.recordName)),
    };
}

// Writing. The key of a call lets it be sent again after a lost answer: it happens once.

/** Answers the post's name. A refusal with the code `EXISTS` says that the thread has a post with this title. */
export async function publish({ thread, title, text, image, photo }, key) {
    const name = postName({ thread, title });
    const threadFolded = folded(thread);
    const author = session.current()?.user.name;
    const create = (recordType, recordName, fields, acl) =>
        ({ operationType: "create", record: { recordType, recordName, fields, acl } });
    // Both or none.
    const operations = [
        create("Post", name, { thread, threadFolded, title, text, author, ...written({ image, photo }) }),
        create("Likes", likesName(name),
            { thread, threadFolded, count: 0, post: { recordName: name, action: "DELETE_SELF" } }, { "*": ["read", "write"] }),
    ];
    await perform(operations, key);
    return name;
}

/** Performs all of it, or nothing: the guilty one says why, the others that they were not done either. */
async function perform(operations, key) {
    const { records } = await call("POST", "/records", { body: { operations }, headers: { "Idempotency-Key": key } });
    const refused = records.find(({ serverErrorCode: code }) => code !== undefined && code !== "ATOMIC_ERROR");
    if (refused !== undefined) throw new Refusal(200, refused);
    return records;
}

/**
 * Likes a post, or takes that back, and answers how many like it then. The server adds in the moment of writing, so no like
 * is lost; and since the like has a name of its own, none counts twice, at however many devices somebody presses.
 */
export async function like(post, isLiked, key) {
    const name = likeName(post);
    const like = isLiked
        ? { operationType: "create", record: {
            recordType: "Like", recordName: name, acl: { _creator: ["read", "write"] },
            fields: { post: { recordName: post, action: "DELETE_SELF" } },
        } }
        : { operationType: "delete", record: { recordType: "Like", recordName: name } };
    const count = { operationType: "forceUpdate", record: {
        recordType: "Likes", recordName: likesName(post), fields: { count: { increment: isLiked ? 1 : -1 } },
    } };
    try {
        const [, likes] = await perform([like, count], key);
        return likes.fields.count.value;
    } catch (error) {
        // Another device was first.
        const isDone = error.code === (isLiked ? "EXISTS" : "NOT_FOUND");
        const likes = isDone ? (await lookUp("Likes", [likesName(post)])).get(likesName(post)) : undefined;
        if (likes === undefined) throw error;
        return likes.fields.count.value;
    }
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
