// The posts: what the Swift example `Forum` reads and writes, with the same types, names and fields, and a little more.
//
// Everyone can read a `Post`, and only its author can change it; these are the default grants of a new type. The number
// of likes is a separate record, `Likes`, whose access list lets every user write it. A `Like` records that an account likes
// a post. Only that account can read it. Its name consists of the account's and the post's, so there cannot be two.

import { call, path, Refusal } from "./server.js";
import * as session from "./session.js";

const pageSize = 20;

/** The bytes of a like's name that precede the name of the post. */
const longestPrefix = "_0123456789abcdef0123456789abcdef likes ".length;

/** The name of a post's record. Record names are unique, so a thread cannot have two posts with the same title. */
export function postName({ thread, title }) {
    return `${thread}: ${title}`;
}

function likesName(post) {
    return `Likes of ${post}`;
}

function likeName(post) {
    return `${session.current()?.user.userRecordName} likes ${post}`;
}

/** A thread in the form that the search compares: case and other forms of a letter do not matter. */
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
    // Every user can create such records. Only those named after their post count.
    const counts = page.records.filter((likes) => likes.recordName === likesName(postOf(likes)));
    const names = counts.map(postOf);
    const [posts, mine] = await Promise.all([lookUp("Post", names, signal), ownLikes(names, signal)]);
    const liked = counts.filter((likes) => posts.has(postOf(likes))); // A post may just have been deleted.
    return { posts: liked.map((likes) => understand(posts.get(postOf(likes)), likes, mine)), cursor: page.cursor };
}

export async function read(name, signal) {
    const [record, likes, mine] = await Promise.all([
        call("GET", path("records", "Post", name), { signal }), lookUp("Likes", [likesName(name)], signal),
        ownLikes([name], signal)]);
    return understand(record, likes.get(likesName(name)), mine);
}

/** The signed-in user's likes among the likes of these posts. */
function ownLikes(posts, signal) {
    return lookUp("Like", session.current() === null ? [] : posts.map(likeName), signal);
}

/** User input is an argument, never a part of the predicate's text. */
function condition({ thread, search }) {
    if (thread !== undefined) return { where: "thread == %@", args: [thread] };
    return search === undefined ? {} : { where: "threadFolded BEGINSWITH %@", args: [folded(search)] };
}

/** The records with these names, as a map. Record names need no index, and large records arrive on several pages. */
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
 * A post as the pages show it. `image` is a small picture in Base64, `photo` an asset: `{size, downloadURL, …}`; `mine` has
 * the signed-in user's likes. The server sets `creator`; `author` is what the creator's client has written.
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

/**
 * What a change in the feed says about the post `name`: `{name, post}`, `{name, isDeleted: true}`, `{name, ...counted}` (see
 * `like`), or `{name, isLiked}` for the signed-in user; `null` if it says nothing.
 */
export function understandChange(record) {
    const { recordName, recordType, deleted = false } = record;
    switch (recordType) {
    case "Post": return { name: recordName, ...(deleted ? { isDeleted: true } : { post: understand(record) }) };
    case "Likes": {
        const name = deleted ? "" : postOf(record);
        return recordName === likesName(name) ? { name, ...counted(record) } : null;
    }
    case "Like": {
        const name = recordName.slice(likeName("").length);
        return recordName === likeName(name) ? { name, isLiked: !deleted } : null;
    }
    default: return null;
    }
}

/** Whether a list with this thread or search has the post. */
export function belongs(post, { thread, search }) {
    if (thread !== undefined) return post.thread === thread;
    return search === undefined || folded(post.thread).startsWith(folded(search));
}

/** A number of likes, and when it became that, in milliseconds. */
function counted(likes) {
    return { likes: likes.fields.count?.value, counted: likes.modified?.timestamp };
}

// Writing. A call's idempotency key allows it to be repeated after a lost response; the server executes it once.

/** Returns the post's name. An error with the code `EXISTS` means that the thread already has a post with this title. */
export async function publish({ thread, title, text, image, photo }, key) {
    const name = postName({ thread, title });
    const threadFolded = folded(thread);
    const author = session.current()?.user.name;
    const create = (recordType, recordName, fields, acl) =>
        ({ operationType: "create", record: { recordType, recordName, fields, acl } });
    // Both or neither.
    const operations = [
        create("Post", name, { thread, threadFolded, title, text, author, ...written({ image, photo }) }),
        create("Likes", likesName(name),
            { thread, threadFolded, count: 0, post: { recordName: name, action: "DELETE_SELF" } }, { "*": ["read", "write"] }),
    ];
    await perform(operations, key);
    return name;
}

/** Executes all operations or none. The failed one has the reason; the others say that they were not executed. */
async function perform(operations, key) {
    const { records } = await call("POST", "/records", { body: { operations }, headers: { "Idempotency-Key": key } });
    const refused = records.find(({ serverErrorCode: code }) => code !== undefined && code !== "ATOMIC_ERROR");
    if (refused !== undefined) throw new Refusal(200, refused);
    return records;
}

/**
 * Likes a post or removes the like, and returns the new number of likes: `{likes, counted}`. The server increments the
 * counter, so no like is lost. Since a like has a name of its own, it counts once, on any number of devices.
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
        return counted(likes);
    } catch (error) {
        // Another device was faster.
        const isDone = error.code === (isLiked ? "EXISTS" : "NOT_FOUND");
        const likes = isDone ? (await lookUp("Likes", [likesName(post)])).get(likesName(post)) : undefined;
        if (likes === undefined) throw error;
        return counted(likes);
    }
}

/** Writes these fields if the post still has this tag. Otherwise the error contains the current post: `serverRecord`. */
export async function change({ name, tag }, { text, image, photo }, key) {
    const fields = { text, ...written({ image, photo }) };
    return understand(await call("PATCH", path("records", "Post", name),
        { body: { fields }, headers: { "If-Match": `"${tag}"`, "Idempotency-Key": key } }));
}

/** Deletes the post if it still has this tag. Its likes refer to it and are deleted with it. */
export async function remove({ name, tag }, key) {
    const headers = { "If-Match": `"${tag}"`, "Idempotency-Key": key };
    await call("DELETE", path("records", "Post", name), { headers });
}

/** The pictures as fields: `undefined` leaves one unchanged, `null` removes it. */
function written({ image, photo }) {
    const typed = (value, type) => (value === undefined || value === null ? value : { value, type });
    return { image: typed(image, "BYTES"), photo: typed(photo, "ASSET") };
}
