import Testing

@testable import fogbase

/// The words that tab completion offers.
@Suite struct CompletionTests {
    private func words(_ line: String) -> [String] {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        return Completion.candidates(for: words).map(\.word)
    }

    @Test func `the first word is a command or a group, each once`() {
        let found = words("")
        #expect(Set(found).count == found.count)
        #expect(Set(found) == Set(Command.all.compactMap { $0.name.split(separator: " ").first.map(String.init) }))
        #expect(words("se") == ["serve"])
    }

    @Test func `every command is reached word by word, and every flag of it is offered`() {
        for command in Command.all {
            let parts = command.name.split(separator: " ").map(String.init)
            for count in parts.indices {
                #expect(words(parts[...count].joined(separator: " ")).contains(parts[count]), "\(command.name)")
                #expect(words((["help"] + parts[...count]).joined(separator: " ")).contains(parts[count]))
            }
            guard command.name != "help" else { continue }
            let flags = Set(words(command.name + " -"))
            let expected = command.options.map(\.flag) + command.acceptedSettings.map(\.flag) + ["--help"]
            #expect(flags.isSuperset(of: expected), "\(command.name): \(Set(expected).subtracting(flags))")
            for flag in flags {
                let accepted = try? Arguments(parts + [flag, "x"] + command.operands)
                let isSwitch = (try? Arguments(parts + [flag] + command.operands)) != nil
                #expect(accepted != nil || isSwitch, "\(command.name) \(flag)")
            }
        }
    }

    @Test func `a flag with few values offers them, and others leave the choice to the shell`() {
        #expect(words("serve --log-access ") == ["off", "text", "json"])
        #expect(words("serve --log-access j") == ["json"])
        #expect(words("serve --data ").isEmpty && words("serve --config fog").isEmpty)
        #expect(words("completion ") == Completion.Shell.allCases.map(\.rawValue))
    }

    @Test func `a flag that is given is not offered again`() {
        #expect(words("serve --po") == ["--port"])
        #expect(words("serve --port 80 --po").isEmpty)
    }

    @Test func `operands are files or names, which the shell completes`() {
        #expect(words("backup verify ").isEmpty)
        #expect(words("backup verify /backups/a -").contains("--json"))
        #expect(words("health ").contains("--port"), "Nothing but flags can follow")
        #expect(words("users add ada bob ").isEmpty && words("no such command ").isEmpty)
    }

    @Test(arguments: ["tcsh", "", "Bash"]) func `another shell is rejected`(shell: String) {
        #expect(throws: Failure.self) { try Completion.run([shell]) }
        #expect(Fogbase.run(["completion", shell], environment: [:]) == .usage)
    }
}
