import { repeatable } from "../attempt.js";
import { announce, by, hash, make, moment, whileDisabled } from "../dom.js";
import * as posts from "../posts.js";
import { Refusal } from "../server.js";
import * as session from "../session.js";
import { listen } from "../updates.js";
import { ask } from "./dialog.js";
import { likes } from "./likes.js";
import { photo } from "./photo.js";
import { problemBox } from "./problem.js";

/** One post with its picture, and buttons for its author to change and delete it. What others do to it is shown in place. */
export async function showPost({ name }, signal) {
    const receive = await listen(signal);
    const post = { ...await posts.read(name, signal), isDeleted: false, isBeingDeleted: false };
    const heading = make("h1", {}, post.title);
    const about = make("p", { class: "about" }, ...aboutLine(post));
    const text = make("p", { class: "text" }, post.text);
    const picture = make("div", {}, photo(post));
    const liking = likes(post);
    const content = make("div", {}, about, text, picture, liking.element,
        ...(session.isOwn(post) ? authorsButtons(post, signal) : []));

    function take(change) {
        if (change.name !== name || post.isDeleted) return;
        if (change.isDeleted) leave();
        else if (change.post !== undefined) update(change.post);
        else liking.take(change);
    }
    function update(current) {
        if (current.tag === post.tag || current.changed < post.changed) return;
        if (current.image !== post.image) picture.replaceChildren(photo(current) ?? "");
        const { likes, isLiked } = post;
        Object.assign(post, current, { likes, isLiked });
        about.replaceChildren(...aboutLine(post));
        text.textContent = post.text;
        announce("This post was just changed.");
    }
    function leave() {
        if (post.isBeingDeleted) return; // by this page, which then shows another one
        post.isDeleted = true;
        const hadFocus = content.contains(document.activeElement);
        content.replaceChildren(make("p", { class: "note" }, "This post was deleted. ",
            make("a", { href: hash("newest", { thread: post.thread }) }, `Newest in “${post.thread}”`)));
        if (hadFocus) heading.focus({ preventScroll: true });
        announce("This post was deleted.");
    }
    receive(take);
    return [heading, content];
}

function aboutLine(post) {
    return [
        make("a", { href: hash("newest", { thread: post.thread }) }, post.thread), " · ", moment(post.written), by(post),
        post.changed > post.written ? [", changed ", moment(post.changed)] : null,
        session.isOwn(post) ? " · yours" : null,
    ].flat(2).filter((part) => part !== null);
}

function authorsButtons(post, signal) {
    const attempt = repeatable();
    const problem = make("div");
    async function remove() {
        problem.replaceChildren();
        const { name, tag } = post; // the version that the user sees before the dialog covers it
        const answer = await ask({
            title: `Delete “${post.title}”?`,
            content: [make("p", {}, "Its likes will be deleted too. This cannot be undone.")],
            choices: [["stay", "Keep it"], ["delete", "Delete"]],
        });
        if (answer !== "delete") return;
        try {
            post.isBeingDeleted = true;
            await attempt(tag, (key) => posts.remove({ name, tag }, key));
            announce(`“${post.title}” is deleted.`);
            if (!signal.aborted) location.hash = hash("newest", { thread: post.thread });
        } catch (error) {
            if (error instanceof Refusal) post.isBeingDeleted = false;
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
