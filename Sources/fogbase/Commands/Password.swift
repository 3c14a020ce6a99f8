import Glibc

/// Reads passwords for commands. Passwords are never read from the command line, because other users of the machine can
/// see it and shells store it.
enum Password {
    static let option = CommandOption(
        flag: "--password-file", placeholder: "FILE",
        help:
            "read the password from the first line of this file; by default it is prompted for or read from standard input"
    )

    static func read(_ arguments: Arguments) throws(Failure) -> String {
        if let path = arguments.options[option.flag] {
            let text: String?
            do { text = try TextFile.read(path) } catch { throw Failure("\(error)") }
            guard let text else { throw Failure("The file \(path) does not exist.") }
            return String(text.split(separator: "\n", omittingEmptySubsequences: false).first ?? "")
        }
        guard Terminal.isInteractive else {
            guard let line = readLine() else { throw Failure("Standard input contains no password.") }
            return line
        }
        guard let first = Terminal.readSecret(prompt: "Password: "),
            let second = Terminal.readSecret(prompt: "Repeat the password: ")
        else { throw Failure("No password was given.") }
        guard first == second else { throw Failure("The passwords differ. Nothing was changed.") }
        return first
    }
}
