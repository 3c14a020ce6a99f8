import { repeatable } from "../attempt.js";
import { announce, hash, make, whileDisabled } from "../dom.js";
import * as posts from "../posts.js";
import * as session from "../session.js";
import { settle } from "./conflict.js";
import { pictureField } from "./picture-field.js";
import { problemBox } from "./problem.js";

// Unsent drafts by the post's name, so that a user who signs in first, or visits another page, finds the draft again. The
// post as it was read is kept with the draft; otherwise changes by others in between would be overwritten.
const drafts = new Map();

/** A form for a new post, perhaps in a `thread`, or for text and picture of the post with this `name`. */
export async function showEditor({ name, thread = "" }, signal) {
    const isNew = name === undefined;
    const draft = drafts.get(name);
    const post = draft?.post ?? (isNew ? { thread, title: "", text: "" } : await posts.read(name, signal));
    const { inputs, picture, form, button, problem } = makeForm(post, draft?.content, isNew, send);
    const attempt = repeatable();
    signal.addEventListener("abort", picture.stop);
    form.addEventListener("input", () => drafts.set(name, { post, content: content() }));

    function content() {
        return { thread: inputs.thread.value.trim(), title: inputs.title.value.trim(), text: inputs.text.value };
    }
    async function send() {
        const wrong = picture.isUploading()
            ? "The picture is still being uploaded. Wait for it, or cancel it." : posts.complaint(content());
        problem.replaceChildren();
        try {
            if (wrong !== null) throw new Error(wrong);
            const sent = isNew ? await publish({ ...content(), ...picture.value() }) : await save(post.tag, changes());
            if (sent === null) return;
            drafts.delete(name);
            if (!signal.aborted) location.hash = hash("post", { name: sent });
        } catch (error) {
            const again = () => whileDisabled(button, send);
            problem.replaceChildren(problemBox(error, wrong === null ? again : undefined));
        }
    }

    /** Returns the post's name, or `null` to continue editing. */
    async function publish(content) {
        try {
            return await attempt(content, (key) => posts.publish(content, key));
        } catch (error) {
            if (error.code !== "EXISTS") throw error;
            problem.replaceChildren(make("p", { class: "problem", role: "alert" },
                `The thread “${content.thread}” already has a post “${content.title}”. Choose another title. `,
                make("a", { href: hash("post", { name: posts.postName(content) }) }, "Look at that one")));
            inputs.title.focus();
            return null;
        }
    }

    function changes() {
        const text = inputs.text.value;
        return { ...(text === post.text ? {} : { text }), ...picture.value() };
    }
    /** Writes the changes based on the version with this tag, so no unseen change is overwritten. Returns as `publish` does. */
    async function save(tag, changes) {
        if (Object.keys(changes).length === 0) return name;
        try {
            await attempt([tag, changes], (key) => posts.change({ name, tag }, changes, key));
            announce("Saved.");
            return name;
        } catch (error) {
            if (error.code !== "CONFLICT" || error.serverRecord === undefined) throw error;
            const theirs = posts.understand(error.serverRecord);
            const choice = await settle({ ...theirs, ...changes }, theirs);
            if (choice === "mine") return save(theirs.tag, changes);
            return choice === "theirs" ? name : null;
        }
    }

    return [
        make("h1", {}, isNew ? "Write a post" : `Edit “${post.title}”`),
        ...(session.current() === null ? [guestsNote()] : []),
        form,
    ];
}

function makeForm(post, content, isNew, send) {
    const value = { ...post, ...content };
    // The title cannot change: it is part of the name of the post's record, which makes it unique.
    const line = (id, maxlength) =>
        make("input", { id, maxlength, value: value[id], required: true, readonly: !isNew, autocomplete: "off" });
    const inputs = {
        thread: line("thread", 60), title: line("title", 120),
        text: make("textarea", { id: "text", rows: 8, maxlength: 20_000, value: value.text }),
    };
    const picture = pictureField(post);
    const button = make("button", { class: "primary" }, isNew ? "Post it" : "Save");
    const problem = make("div");
    const submit = (event) => {
        event.preventDefault();
        whileDisabled(button, send);
    };
    const form = make("form", { class: "editor", onsubmit: submit },
        make("label", { for: "thread" }, "Thread"), inputs.thread,
        make("label", { for: "title" }, "Title"), inputs.title,
        make("label", { for: "text" }, "Text"), inputs.text,
        picture.element, problem, make("p", { class: "actions" }, button));
    return { inputs, picture, form, button, problem };
}

function guestsNote() {
    return make("p", { class: "note" }, "Guests read. ",
        make("a", { href: hash("sign-in", { from: location.hash }) }, "Sign in"), " to write.");
}
