/// The texts that `--help` and `help` print.
enum Help {
    /// Returns the lines of a help text. The text describes one command, a group of commands, or all commands.
    static func lines(for topic: String?) -> [String] {
        guard let topic else { return overview(Command.all) }
        if let command = Command.named(topic) { return details(of: command) }
        return overview(Command.all.filter { $0.name.hasPrefix(topic + " ") })
    }

    private static func overview(_ commands: [Command]) -> [String] {
        let rows = commands.map { [([$0.name] + $0.operands).joined(separator: " "), $0.summary] }
        return ["fogbase \(Version.text): a record database server", "", "usage: fogbase COMMAND [FLAGS]", ""]
            + Terminal.table(rows, indent: "  ") + ["", "'fogbase COMMAND --help' describes a command."]
    }

    private static func details(of command: Command) -> [String] {
        var rows: [[String]] = []
        for option in command.options + (command.takesConfiguration ? [Command.config] : []) {
            rows.append([[option.flag, option.placeholder].compactMap(\.self).joined(separator: " "), option.help])
        }
        let defaults = Settings()
        for setting in command.acceptedSettings {
            let standard = setting.show(defaults)
            rows.append([
                "\(setting.flag) \(setting.placeholder)",
                setting.help + (standard.isEmpty || setting.isSecret ? "" : " (\(standard))"),
            ])
        }
        rows.append(["--help", "print this text"])
        let usage = ["usage: fogbase", command.name] + command.operands + ["[FLAGS]"]
        var lines = [usage.joined(separator: " "), "", "\(command.summary)", ""] + Terminal.table(rows, indent: "  ")
        if !command.notes.isEmpty { lines += [""] + command.notes }
        return lines
    }
}
