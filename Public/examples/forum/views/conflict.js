import { make } from "../dom.js";
import { smallAddress } from "../pictures.js";
import { ask } from "./dialog.js";

function version(title, { text, image }) {
    return make("section", {},
        make("h3", {}, title),
        make("p", { class: "text" }, text === "" ? "(no text)" : text),
        image ? make("img", { class: "small", src: smallAddress(image), alt: "Its picture" }) : null);
}

/** Shows the user's version and the current one. Returns `"mine"`, `"theirs"`, or `null` to continue editing. */
export async function settle(mine, theirs) {
    const answer = await ask({
        title: "Two versions of one post",
        content: [
            make("p", {}, "This post was changed after you opened it. Your version is not saved yet. Which one do you want to keep?"),
            make("div", { class: "versions" }, version("Yours", mine), version("On the server", theirs)),
        ],
        choices: [["mine", "Save mine"], ["theirs", "Take the server's"], ["stay", "Keep editing"]],
    });
    return answer === "stay" ? null : answer;
}
