/// A parsed command line: the command with its flags and operands.
struct Arguments {
    /// The action that the command line requests.
    enum Request {
        case run(Command)
        /// Print the help text of a command, of a group of commands, or of all commands.
        case help(String?)
    }

    var request: Request
    /// The values of settings given by flags, by setting key.
    var settings: [String: String] = [:]
    /// The values of all other options, by flag; empty for a switch.
    var options: [String: String] = [:]
    var operands: [String] = []

    /// Parses the arguments that follow the name of the program.
    ///
    /// `--flag value` and `--flag=value` are equivalent; `--` ends the flags.
    ///
    /// - Throws: `Failure` with code `usage`. Its sentence suggests the nearest known word.
    init(_ words: [String]) throws(Failure) {
        var rest = words[...]
        guard let first = rest.first else {
            request = .help(nil)
            return
        }
        if first == "--help" || first == "-h" {
            request = .help(nil)
            return
        }
        if first == "--version" { rest = ["version"] + rest.dropFirst() }
        if first == "help" {
            let topic = rest.dropFirst().filter { $0 != "--help" && $0 != "-h" }.joined(separator: " ")
            if !topic.isEmpty, !Self.isTopic(topic) { throw Self.unknownCommand(topic) }
            request = .help(topic.isEmpty ? nil : topic)
            return
        }
        guard let command = Self.takeCommand(&rest) else {
            let isGroup = Self.isTopic(first)
            if isGroup, rest.contains(where: { $0 == "--help" || $0 == "-h" }) {
                request = .help(first)
                return
            }
            if isGroup, let second = rest.dropFirst().first { throw Self.unknownCommand(first + " " + second) }
            if isGroup {
                let names = Command.all.map(\.name).filter { $0.hasPrefix(first + " ") }.joined(separator: ", ")
                throw .usage("'\(first)' needs another word: \(names).")
            }
            if first.hasPrefix("-") {
                throw .usage(
                    "A command comes before the flag \(first), as in 'fogbase serve'. 'fogbase help' lists all commands."
                )
            }
            throw Self.unknownCommand(first)
        }
        request = .run(command)
        try readFlags(of: command, rest)
        if case .run = request { try checkOperands(of: command) }
        // The name that `cktool` has for the flag.
        if let container = options[SchemaCommand.container.flag],
            settings.updateValue(container, forKey: "data.container") != nil
        {
            throw .usage("\(SchemaCommand.container.flag) and --container are the same. Give one of them.")
        }
    }

    private static func takeCommand(_ words: inout ArraySlice<String>) -> Command? {
        for length in [2, 1] where words.count >= length {
            if let command = Command.named(words.prefix(length).joined(separator: " ")) {
                words = words.dropFirst(length)
                return command
            }
        }
        return nil
    }

    private static func isTopic(_ text: String) -> Bool {
        Command.all.contains { $0.name == text || $0.name.hasPrefix(text + " ") }
    }

    private static func unknownCommand(_ text: String) -> Failure {
        let known = Command.all.map(\.name)
        // The user may have typed only the last word of a command: `explain` for `access explain`.
        let whole = known.filter { $0.hasSuffix(" " + text) }
        if let last = whole.last {
            let others = whole.dropLast().joined(separator: ", ")
            return .usage(
                "There is no command '\(text)'. Did you mean \(others.isEmpty ? last : others + " or " + last)?"
                    + " 'fogbase help' lists all commands.")
        }
        let guess = Suggestion.sentence(
            for: text,
            among: text.contains(" ") ? known : known + ["admin", "users", "keys", "jobs", "access", "schema"])
        return .usage("There is no command '\(text)'.\(guess) 'fogbase help' lists all commands.")
    }

    private mutating func readFlags(of command: Command, _ words: ArraySlice<String>) throws(Failure) {
        var rest = words
        let accepted = command.acceptedSettings
        var known = command.options
        if command.takesConfiguration { known.append(Command.config) }
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                return
            }
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            if word == "--help" || word == "-h" {
                request = .help(command.name)
                return
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let flag = String(parts[0])
            var value = parts.count > 1 ? String(parts[1]) : nil
            let setting = accepted.first { $0.flag == flag }
            let option = known.first { $0.flag == flag }
            guard setting != nil || option != nil else {
                let flags = accepted.map(\.flag) + known.map(\.flag) + ["--help"]
                throw .usage(
                    "'fogbase \(command.name)' has no flag \(flag).\(Suggestion.sentence(for: flag, among: flags))"
                        + " 'fogbase \(command.name) --help' lists its flags.")
            }
            if let option, option.placeholder == nil {
                if value != nil { throw .usage("The flag \(flag) takes no value.") }
                options[flag] = ""
                continue
            }
            if value == nil { value = rest.popFirst() }
            guard let value else { throw .usage("The flag \(flag) needs a value.") }
            let previous =
                setting.map { settings.updateValue(value, forKey: $0.key) } ?? options.updateValue(value, forKey: flag)
            if previous != nil { throw .usage("The flag \(flag) is given twice.") }
        }
    }

    private func checkOperands(of command: Command) throws(Failure) {
        let wanted = command.operands.filter { !$0.hasPrefix("[") }
        if operands.count < wanted.count {
            throw .usage("'fogbase \(command.name)' needs \(wanted[operands.count]).")
        }
        let most = command.operands.count
        if operands.count > most, command.operands.last?.contains("…") != true {
            throw .usage("'fogbase \(command.name)' has no parameter for '\(operands[most])'.")
        }
    }
}
