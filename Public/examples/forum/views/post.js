import { repeatable } from "../attempt.js";
import { announce, by, hash, make, moment, whileDisabled } from "../dom.js";
import * as posts from "../posts.js";
import * as session from "../session.js";
import { ask } from "./dialog.js";
import { likes } from "./likes.js";
import { photo } from "./photo.js";
import { problemBox } from "./problem.js";

/** One post with its picture, and buttons for its author to change and delete it. */
export async function showPost({ name }, signal) {
    const post = await posts.read(name, signal);
    return [
        make("h1", {}, post.title),
        make("p", { class: "about" },
            make("a", { href: hash("newest", { thread: post.thread }) }, post.thread), " · ", moment(post.written), by(post),
            post.changed > post.written ? [", changed ", moment(post.changed)] : null,
            session.isOwn(post) ? " · yours" : null),
        make("p", { class: "text" }, post.text),
        photo(post),
        likes(post),
        ...(session.isOwn(post) ? authorsButtons(post, signal) : []),
    ].filter((node) => node !== null);
}

function authorsButtons(post, signal) {
    const attempt = repeatable();
    const problem = make("div");
    async function remove() {
        problem.replaceChildren();
        const answer = await ask({
            title: `Delete “${post.title}”?`,
            content: [make("p", {}, "Its likes will be deleted too. This cannot be undone.")],
            choices: [["stay", "Keep it"], ["delete", "Delete"]],
        });
        if (answer !== "delete") return;
        try {
            await attempt(post.tag, (key) => posts.remove(post, key));
            announce(`“${post.title}” is deleted.`);
            if (!signal.aborted) location.hash = hash("newest", { thread: post.thread });
        } catch (error) {
            problem.replaceChildren(error.code === "CONFLICT" ? changedMeanwhile() : problemBox(error, remove));
        }
    }
    const edit = make("a", { class: "button", href: hash("edit", { name: post.name }) }, "Edit");
    const button = make(
        "button", { type: "button", class: "danger", onclick: () => whileDisabled(button, remove) }, "Delete");
    return [make("p", { class: "actions" }, edit, button), problem];
}

/** Prevents deleting a version that the user has not seen. */
function changedMeanwhile() {
    return make("div", { class: "problem", role: "alert" },
        make("p", {}, "This post was changed after you opened it. Look at it again before you delete it."),
        make("p", { class: "actions" },
            make("button", { type: "button", onclick: () => location.reload() }, "Show it as it is now")));
}
