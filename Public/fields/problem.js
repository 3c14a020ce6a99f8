/** Invalid input of the user. The message is a sentence to show next to the input. */
export class InputProblem extends Error {
    constructor(message, control) {
        super(message);
        this.name = "InputProblem";
        this.control = control;
    }
}
