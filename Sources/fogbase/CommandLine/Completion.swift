/// `fogbase completion`: the script of a shell for tab completion, and the words with which the script answers.
///
/// The scripts call the program for each completion, so they fit every version of it.
enum Completion {
    /// A word that can be next on a command line.
    struct Candidate: Hashable {
        let word: String
        let summary: String
    }

    enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    static let notes = [
        "Without words, prints a script. Load it with one of these lines:",
        "  bash: source <(fogbase completion bash)",
        "  zsh:  source <(fogbase completion zsh)",
        "  fish: fogbase completion fish | source",
        "With the words of a command line after --, prints the words that can replace the last one.",
    ]

    /// Prints the script of a shell. With the words of a command line, prints the candidates for the last one.
    ///
    /// - Throws: `Failure` with code `usage` for an unknown shell.
    static func run(_ operands: [String]) throws(Failure) {
        let name = operands.first ?? ""
        guard let shell = Shell(rawValue: name) else {
            let names = Shell.allCases.map(\.rawValue)
            let guess = Suggestion.sentence(for: name, among: names)
            throw .usage("There is no completion for '\(name)': choose bash, zsh or fish.\(guess)")
        }
        guard operands.count > 1 else {
            Terminal.say(script(for: shell))
            return
        }
        for candidate in candidates(for: Array(operands.dropFirst())) { Terminal.say(show(candidate, in: shell)) }
    }

    /// Returns the words that can replace the last one of a command line. None if it is a text or a file of the user.
    ///
    /// - Parameter words: The words after the name of the program. The last one may be empty or incomplete.
    static func candidates(for words: [String]) -> [Candidate] {
        let beginning = words.last ?? ""
        return choices(after: Array(words.dropLast()), beginning).filter { $0.word.hasPrefix(beginning) }
    }

    private static func choices(after words: [String], _ beginning: String) -> [Candidate] {
        if words.first == "help" { return names(after: Array(words.dropFirst())) }
        // `import` is a command and a group.
        if words.count == 1, !beginning.hasPrefix("-") {
            let found = names(after: words)
            if !found.isEmpty { return found }
        }
        guard let command = Command.named(words.prefix(2).joined(separator: " ")) ?? words.first.flatMap(Command.named)
        else { return names(after: words) }
        let flags = flags(of: command)
        if let flag = flags.first(where: { $0.name == words.last }), let placeholder = flag.placeholder {
            return alternatives(placeholder)
        }
        let given = words.dropFirst(command.name.split(separator: " ").count)
        let operands = given.filter { !$0.hasPrefix("-") }.count
        if !beginning.hasPrefix("-"), operands < command.operands.count {
            return alternatives(command.operands[operands])
        }
        guard beginning.hasPrefix("-") || command.operands.isEmpty else { return [] }
        return flags.filter { !words.contains($0.name) }.map { Candidate(word: $0.name, summary: $0.help) }
    }

    /// The words that continue the name of a command.
    private static func names(after words: [String]) -> [Candidate] {
        guard words.count < 2 else { return [] }
        var found: [Candidate] = []
        for command in Command.all {
            let parts = command.name.split(separator: " ").map(String.init)
            guard parts.count > words.count, parts.starts(with: words) else { continue }
            let word = parts[words.count]
            guard parts.count > words.count + 1 else {
                found.append(Candidate(word: word, summary: command.summary))
                continue
            }
            if found.contains(where: { $0.word == word }) { continue }
            let rest = Command.all.map(\.name).filter { $0.hasPrefix(word + " ") }.map { $0.dropFirst(word.count + 1) }
            found.append(Candidate(word: word, summary: rest.joined(separator: ", ")))
        }
        return found
    }

    private static func flags(of command: Command) -> [(name: String, placeholder: String?, help: String)] {
        let own = command.options + (command.takesConfiguration ? [Command.config] : [])
        let settings = command.acceptedSettings.map { ($0.flag, Optional($0.placeholder), $0.help) }
        return own.map { ($0.flag, $0.placeholder, $0.help) } + settings + [("--help", nil, "print the help text")]
    }

    /// The words of a placeholder such as `off|text|json`; none for other placeholders.
    private static func alternatives(_ placeholder: String) -> [Candidate] {
        guard placeholder.contains("|") else { return [] }
        return placeholder.split(separator: "|").map { Candidate(word: String($0), summary: "") }
    }

    private static func show(_ candidate: Candidate, in shell: Shell) -> String {
        switch shell {
        case .bash: candidate.word
        case .zsh: candidate.word.replacing(":", with: "\\:") + ":" + candidate.summary
        case .fish: candidate.word + "\t" + candidate.summary
        }
    }

    // Where the program has no candidates, the shell completes the names of files.
    private static func script(for shell: Shell) -> String {
        switch shell {
        case .bash:
            """
            _fogbase() {
                mapfile -t COMPREPLY < <("$1" completion bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
            }
            complete -o default -F _fogbase fogbase
            """
        case .zsh:
            """
            #compdef fogbase
            _fogbase() {
                local -a found
                found=("${(@f)$("${words[1]}" completion zsh -- "${(@)words[2,CURRENT]}" 2> /dev/null)}")
                if [[ -n "${found[1]}" ]]; then _describe -V fogbase found; else _files; fi
            }
            if [[ "${funcstack[1]}" = _fogbase ]]; then _fogbase "$@"; else compdef _fogbase fogbase; fi
            """
        case .fish:
            """
            function __fogbase_complete
                set -l words (commandline -opc) "$(commandline -ct)"
                set -l found ($words[1] completion fish -- $words[2..-1] 2> /dev/null)
                if set -q found[1]
                    printf '%s\\n' $found
                else
                    __fish_complete_path "$(commandline -ct)"
                end
            end
            complete -c fogbase -f -a '(__fogbase_complete)'
            """
        }
    }
}
