/** What a person typed cannot be a value of the field. The message is a sentence to show beside the input. */
export class InputProblem extends Error {
    constructor(message, control) {
        super(message);
        this.name = "InputProblem";
        this.control = control;
    }
}
