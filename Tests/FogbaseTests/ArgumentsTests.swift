import Testing

@testable import fogbase

@Suite struct ArgumentsTests {
    private func rejection(_ line: String) -> Failure? {
        do throws(Failure) {
            _ = try Arguments(line.split(separator: " ").map(String.init))
            return nil
        } catch {
            return error
        }
    }

    private func command(_ arguments: Arguments) -> String? {
        if case .run(let command) = arguments.request { command.name } else { nil }
    }

    @Test func `flags come with a space or an equals sign`() throws {
        let arguments = try Arguments(["serve", "--port", "81", "--data=/x=y", "--config", "f.conf"])
        #expect(command(arguments) == "serve")
        #expect(arguments.settings == ["server.port": "81", "data.path": "/x=y"])
        #expect(arguments.options == ["--config": "f.conf"])
    }

    @Test func `a command of two words takes its operand and its flags in any order`() throws {
        let arguments = try Arguments(["users", "add", "--container", "iCloud.a", "ada", "--password-file", "p"])
        #expect(command(arguments) == "users add")
        #expect(arguments.operands == ["ada"])
        #expect(arguments.settings == ["data.container": "iCloud.a"])
        #expect(arguments.options == ["--password-file": "p"])
    }

    @Test func `the schema commands take the flags of cktool`() throws {
        let line = "schema import --container-id iCloud.a --environment development --file f --validate --token t"
        let arguments = try Arguments(line.split(separator: " ").map(String.init))
        #expect(command(arguments) == "schema import")
        #expect(arguments.settings == ["data.container": "iCloud.a", "data.environment": "development"])
        #expect(arguments.options["--file"] == "f" && arguments.options["--validate"] == "")
        #expect(arguments.options["--token"] == "t")
    }

    @Test func `two hyphens end the flags`() throws {
        #expect(try Arguments(["users", "add", "--", "--ada"]).operands == ["--ada"])
    }

    @Test(arguments: [
        ("srve", "Did you mean serve?"), ("user list", "Did you mean users?"),
        ("users lst", "Did you mean users list?"),
        ("xyzzy", "'fogbase help'"), ("users", "users list"), ("help srve", "Did you mean serve?"),
        ("serve --prot 1", "Did you mean --port?"), ("serve --port", "needs a value"),
        ("serve --port 1 --port 2", "given twice"), ("doctor --quick=yes", "takes no value"),
        ("version --port 1", "no flag --port"), ("serve now", "'now'"), ("users add", "needs NAME"),
        ("users add a b", "'b'"), ("users list --password-file x", "--password-file"), ("-x", "before the flag -x"),
        ("--port 1", "fogbase serve"), ("admin", "admin list"), ("admn list", "Did you mean admin"),
        ("admin ad grace", "Did you mean admin add?"), ("keys", "keys rotate"), ("keys rotte x", "keys rotate"),
        ("keys add", "needs NAME"), ("keys add x --redonly", "--read-only"), ("admin set-role ada", "needs ROLE"),
        ("access", "access explain"), ("access explain ada", "needs ACTION"), ("audit x", "'x'"),
        ("audit --limt 2", "Did you mean --limit?"), ("admin add ada --password x", "--password-file"),
        ("users add ada --password=x", "--password-file"), ("keys show x --json=1", "takes no value"),
        ("schema", "schema export"), ("schema exprt", "Did you mean schema export?"),
        ("schema rollback", "needs SNAPSHOT"),
        ("schema import --container a --container-id b", "--container are the same"),
        ("schema promote --environment production", "no flag --environment"),
        ("schema reset --file x", "no flag --file"), ("promote", "Did you mean schema promote?"),
        ("explain", "Did you mean access explain?"), ("rotate k", "Did you mean keys rotate?"),
        ("add ada", "Did you mean admin add, users add, roles add or keys add?"),
    ])
    func `a mistake ends with 64 and a sentence`(line: String, part: String) {
        let failure = rejection(line)
        #expect(failure?.code == .usage)
        #expect(failure?.sentences.count == 1)
        #expect(failure?.sentences.first?.contains(part) == true, "\(String(describing: failure))")
    }

    @Test(arguments: [
        "", "help", "--help", "-h", "serve --help", "serve --port 1 -h", "users --help", "users add --help",
        "help users",
        "help users add", "version --help", "config -h", "doctor --help", "health --help", "help help",
        "admin --help", "admin add --help", "help keys", "keys add -h", "access explain --help", "audit --help",
        "users invite --help",
    ])
    func `help is everywhere`(line: String) throws {
        let arguments = try Arguments(line.split(separator: " ").map(String.init))
        guard case .help(let topic) = arguments.request else {
            Issue.record("\(line) is no help")
            return
        }
        #expect(Help.lines(for: topic).count > 3)
    }

    @Test func `help of every command names what it takes, and the overview names every command`() {
        let overview = Help.lines(for: nil).joined(separator: "\n")
        for command in Command.all {
            #expect(overview.contains("  " + command.name), "\(command.name)")
            let text = Help.lines(for: command.name).joined(separator: "\n")
            for word in command.operands + command.options.map(\.flag) + command.notes {
                #expect(text.contains(word), "\(command.name): \(word)")
            }
        }
    }

    @Test func `help names every setting with its flag`() {
        let text = Help.lines(for: "serve").joined(separator: "\n")
        for setting in Setting.all { #expect(text.contains(setting.flag + " ")) }
    }
}
